/* SPDX-License-Identifier: MIT */
/* Allocation where the system gives no memory, far below the heap's limit: it is refused at once,
 * and the budget stays near what is used. And where it gives little: tables do not use it up. */
#include <sys/resource.h>

#include "gc/state/heap.h"
#include "tests/unit/gc/child.h"

#define GIB ((size_t)1 << 30)

static struct tide_mutator *enter(struct tide_heap **heap, size_t max_bytes) {
  struct tide_options options;
  tide_options_init(&options);
  options.heap_max_bytes = max_bytes;
  options.markers = 1;
  *heap = tide_heap_create(&options, NULL);
  return *heap ? tide_attach(*heap, NULL, NULL) : NULL;
}

/* In a child, which may have 128 MiB more than it has. Returns 0, or the step that went wrong. */
static int starved(void) {
  struct tide_heap *heap;
  struct tide_mutator *mutator = enter(&heap, 16 * GIB);
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

struct feed {
  size_t own_bytes, heap_bytes, wanted;
};
/* The same. The process may have `own_bytes` more than it has, and a heap for `heap_bytes`, 0 for
 * the default, has to get `wanted` of them. */
static int fed(const struct feed *feed) {
  size_t bytes = data_bytes();
  struct rlimit limit = {bytes + feed->own_bytes, bytes + feed->own_bytes};
  if (bytes == 0 || setrlimit(RLIMIT_DATA, &limit) != 0) return 2;
  struct tide_heap *heap;
  struct tide_mutator *mutator = enter(&heap, feed->heap_bytes);
  if (!mutator) return 3;
  void **list = NULL;
  for (size_t got = 0; got < feed->wanted; got += 1024) {
    void **element = tide_alloc(mutator, TIDE_LAYOUT_REFS, 1024);
    if (!element) return 4;
    *element = list;
    list = element;
  }
  return tide_detach(mutator) == TIDE_OK && tide_heap_destroy(heap) == TIDE_OK ? 0 : 5;
}

static bool limited(const void *feed) {
  _exit(feed ? fed(feed) : starved());
}

static void expect_good(const struct feed *feed) {
#if defined(TD_SANITIZE_address) || defined(TD_SANITIZE_thread)
  cr_skip_test("sanitizers need memory of their own");
#endif
  int status = child_of(limited, feed);
  cr_assert(WIFEXITED(status));
  cr_assert_eq(WEXITSTATUS(status), 0, "step %d", WEXITSTATUS(status));
}

Test(refused, for_want_of_memory_below_the_limit) {
  expect_good(NULL);
}

Test(refused, no_objects_because_of_tables) {
  expect_good(&(struct feed){GIB / 8, GIB / 16, GIB / 18});
  expect_good(&(struct feed){GIB / 4, 0, GIB / 8});
  expect_good(&(struct feed){GIB / 2, 0, GIB / 3});
}
