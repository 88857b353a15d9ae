/* SPDX-License-Identifier: MIT */
/* Allocation where the system gives no memory, far below the heap's limit: it is refused at once,
 * and the budget stays near what is used. And where it gives little: tables do not use it up. */
#include <sys/resource.h>
#include <sys/wait.h>

#include "gc/state/heap.h"
#include "tests/unit/gc/common.h"

#define GIB ((size_t)1 << 30)

/* Returns what the system counts as this process's data, 0 if it does not say. */
static size_t data_bytes(void) {
  size_t pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file && fscanf(file, "%*u %*u %*u %*u %*u %zu", &pages) != 1) pages = 0;
  if (file) fclose(file);
  return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* The child's exit status; it must not use Criterion. It may have 128 MiB more than it has. */
static int starved(void) {
  struct tide_options options;
  tide_options_init(&options);
  options.heap_max_bytes = 16 * GIB;
  options.markers = 1;
  struct tide_heap *heap = tide_heap_create(&options, NULL);
  struct tide_mutator *mutator = heap ? tide_attach(heap, NULL, NULL) : NULL;
  if (!mutator) return 2;
  size_t bytes = data_bytes();
  struct rlimit limit = {bytes + GIB / 8, bytes + GIB / 8};
  if (bytes == 0 || setrlimit(RLIMIT_DATA, &limit) != 0) return 3;
  if (tide_alloc(mutator, TIDE_LAYOUT_LEAF, GIB)) return 4;
  if (tide_alloc_status(mutator) != TIDE_ERROR_MEMORY) return 5;
  if (heap->space.budget_blocks > 4 * GIB / TD_BLOCK_BYTES) return 6;
  if (!tide_alloc(mutator, TIDE_LAYOUT_LEAF, GIB / 1024)) return 7; /* less than there is */
  if (tide_detach(mutator) != TIDE_OK || tide_heap_destroy(heap) != TIDE_OK) return 8;
  return 0;
}

/* A child's exit status, too. The process may have `own_bytes` more than it has, and a heap for
 * `heap_bytes`, 0 for the default, has to get `wanted` of them. */
static int fed(size_t own_bytes, size_t heap_bytes, size_t wanted) {
  size_t bytes = data_bytes();
  struct rlimit limit = {bytes + own_bytes, bytes + own_bytes};
  if (bytes == 0 || setrlimit(RLIMIT_DATA, &limit) != 0) return 2;
  struct tide_options options;
  tide_options_init(&options);
  options.heap_max_bytes = heap_bytes;
  options.markers = 1;
  struct tide_heap *heap = tide_heap_create(&options, NULL);
  struct tide_mutator *mutator = heap ? tide_attach(heap, NULL, NULL) : NULL;
  if (!mutator) return 3;
  void **list = NULL;
  for (size_t got = 0; got < wanted; got += 1024) {
    void **element = tide_alloc(mutator, TIDE_LAYOUT_REFS, 1024);
    if (!element) return 4;
    *element = list;
    list = element;
  }
  return tide_detach(mutator) == TIDE_OK && tide_heap_destroy(heap) == TIDE_OK ? 0 : 5;
}

static void expect_good(pid_t child) {
  int status;
  cr_assert_eq(waitpid(child, &status, 0), child);
  cr_assert(WIFEXITED(status));
  cr_assert_eq(WEXITSTATUS(status), 0, "step %d", WEXITSTATUS(status));
}

static void skip_with_sanitizer(void) {
#if defined(TD_SANITIZE_address) || defined(TD_SANITIZE_thread)
  cr_skip_test("sanitizers need memory of their own");
#endif
}

Test(refused, for_want_of_memory_below_the_limit) {
  skip_with_sanitizer();
  pid_t child = fork();
  cr_assert_geq(child, 0);
  if (child == 0) _exit(starved());
  expect_good(child);
}

Test(refused, no_objects_because_of_tables) {
  skip_with_sanitizer();
  const struct {
    size_t own_bytes, heap_bytes, wanted;
  } cases[] = {{GIB / 8, GIB / 16, GIB / 18}, {GIB / 4, 0, GIB / 8}, {GIB / 2, 0, GIB / 3}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) _exit(fed(cases[i].own_bytes, cases[i].heap_bytes, cases[i].wanted));
    expect_good(child);
  }
}
