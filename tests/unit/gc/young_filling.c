/* A heap that is being filled does with fewer full collections, and finds all garbage afterwards.
 */
#include "gc/state/heap.h"
#include "gc/when/when.h"
#include "tests/unit/gc/young.h"

#define LEAF_BYTES ((size_t)1024)
/* More than the 72 MiB from which on a full collection may be postponed, and thrice that. */
#define LEAVES_FIRST ((size_t)80 << 10)
#define LEAVES (3 * LEAVES_FIRST)

static uint64_t full_of(const struct world *w) {
  struct tide_heap_stats stats;
  tide_heap_stats(w->heap, &stats);
  return stats.collections - stats.young_collections;
}

/* Fills the heap with leaves in an array, which nobody drops. Returns how many full collections
 * that took from the first part on. How often young collections look depends on the machine's
 * caches and clock, so it is not waited for. */
static uint64_t fill(bool write_barrier, uint64_t *after) {
  struct tide_options options;
  tide_options_init(&options);
  options.heap_max_bytes = (size_t)8 << 30; /* of which a quarter may come from guesses */
  options.write_barrier = write_barrier;
  struct world w = world_with(&options, TIDE_STACK_PRECISE);
  void **held = tide_handle(w.m, tide_alloc_array(w.m, TIDE_LAYOUT_REFS, LEAVES, sizeof(void *)));
  cr_assert_not_null(*held);
  uint64_t full = 0;
  for (size_t i = 0; i < LEAVES; i++) {
    if (i == LEAVES_FIRST) {
      cr_assert_eq(tide_collect(w.m), TIDE_OK);
      full = full_of(&w);
      cr_assert_eq(w.heap->when->filling.keeps, write_barrier);
    }
    if (i >= LEAVES_FIRST) w.heap->when->filling.samples = 2;
    size_t *leaf = tide_alloc(w.m, TIDE_LAYOUT_LEAF, LEAF_BYTES);
    cr_assert_not_null(leaf);
    *leaf = i;
    tide_write(w.m, *held, (void **)*held + i, leaf);
  }
  full = full_of(&w) - full;
  for (size_t i = 0; i < LEAVES; i++)
    cr_assert_eq(*((size_t **)*held)[i], i);
  *held = NULL;
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  *after = count_objects(&w);
  world_end(&w);
  return full;
}

Test(young_filling, takes_fewer_full_collections, .timeout = 120) {
  uint64_t left, left_without;
  uint64_t full = fill(true, &left), without = fill(false, &left_without);
  cr_assert_eq(full, 0);
  cr_assert_gt(without, 0);
  cr_assert_eq(left, 0);
  cr_assert_eq(left_without, 0);
}
