/* SPDX-License-Identifier: MIT */
/* AddressSanitizer knows of dead objects: the first touch ends the program with a report, and
 * nothing else does. The library is built with the sanitizer, or without it: the program is. */
#include <stdbool.h>
#include <sys/mman.h>

#include "tests/stress/driver.h"

static struct tide_heap *heap;
static struct tide_mutator *m;

static void open_heap(void) {
  heap = HEAP(.heap_max_bytes = (size_t)64 << 20,
              .heap_initial_bytes = (size_t)32 << 20, /* collect when the test says so */
              .markers = 1);
  m = ATTACH(heap, .stack = TIDE_STACK_PRECISE);
}

struct touch {
  size_t bytes;
  bool is_dead; /* else a handle holds the object */
};

/* Writes to the object. */
static void touch(const void *which) {
  const size_t bytes = ((const struct touch *)which)->bytes;
  open_heap();
  volatile char *object = tide_alloc(m, TIDE_LAYOUT_LEAF, bytes);
  void **handle = tide_handle(m, (void *)object);
  if (((const struct touch *)which)->is_dead) *handle = NULL;
  tide_handle(m, tide_alloc(m, TIDE_LAYOUT_LEAF, bytes)); /* the block stays */
  CHECK(tide_collect(m) == TIDE_OK);
  object[bytes / 2] = 1;
}

/* Returns whether the child died; its report must be the sanitizer's and about poison then. */
static bool dies(size_t bytes, bool is_dead) {
  static char report[SAID_MOST];
  bool good = child_says(touch, &(struct touch){bytes, is_dead}, report) == 0;
  if (!good && !strstr(report, "use-after-poison")) fputs(report, stderr);
  CHECK(good || strstr(report, "use-after-poison"));
  return !good;
}

/* What dies comes again, whole and zeroed, in cells and extents of other sizes too. */
static void use_again(void) {
  open_heap();
  for (uint32_t i = 0, random = 1; i < 100000; i++) {
    size_t bytes = 1 + random_next(&random) % (i % 100 ? 600 : 200000);
    char *object = tide_alloc(m, TIDE_LAYOUT_LEAF, bytes);
    CHECK(object && object[0] == 0 && object[bytes - 1] == 0);
    memset(object, 1, bytes);
  }
  /* Others who get the addresses may touch them. */
  uintptr_t low = (uintptr_t)tide_alloc(m, TIDE_LAYOUT_LEAF, 100000) & ~(uintptr_t)0xfffff;
  CHECK(tide_collect(m) == TIDE_OK);
  heap_end(heap, m);
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
  char *others = mmap((void *)low, 1 << 20, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (others == MAP_FAILED) return;
  memset(others, 1, 1 << 20);
  munmap(others, 1 << 20);
}

int main(void) {
  const size_t sizes[] = {16, 48, 3000, 20000, 100000, (size_t)4 << 20};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    CHECK(!dies(sizes[i], false));
    bool died = dies(sizes[i], true);
    if (!died) fprintf(stderr, "%zu bytes: still alive after the touch\n", sizes[i]);
    CHECK(died);
  }
  use_again();
  setenv("TIDE_VERIFY", "1", 1); /* with a quarantine */
  CHECK(dies(48, true) && dies(100000, true) && !dies(48, false));
  use_again();
  return 0;
}
