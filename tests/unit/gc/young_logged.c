/* Much that is logged brings a young collection before the young part is full. */
#include "gc/state/heap.h"
#include "gc/state/mutator.h"
#include "gc/when/when.h"
#include "heap/young.h"
#include "tests/unit/gc/young.h"

enum { SURPLUS = 2 * TD_YOUNG_LOGGED_STEP, LIST = TD_YOUTH_LOGGED_FIRST + SURPLUS, FRESH = 4096 };
enum { LONG = 4096 };

/* A list of old objects, and a young part that is far from full. */
static struct world begin(struct pair **list) {
  struct world w = world_young();
  void **handle = tide_handle(w.m, NULL);
  *list = NULL;
  for (unsigned i = 0; i < LIST; i++) {
    *list = pair_new(&w, *list, NULL, i);
    *handle = *list;
  }
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  w.heap->when->youth.due_bytes = (size_t)64 << 20;
  td_young_set_due(&w.heap->space, (size_t)64 << 20, TD_YOUTH_LOGGED_FIRST);
  return w;
}

static void write_to(struct world *w, struct pair *list, unsigned count) {
  for (; count-- > 0; list = list->left)
    tide_write(w->m, list, &list->right, list);
}

/* Returns the kind of the collection that a few allocations have brought; false: none. */
static bool brings(struct world *w, struct tide_cycle_stats *stats) {
  struct tide_heap_stats before, now;
  tide_heap_stats(w->heap, &before);
  for (unsigned i = 0; i < FRESH; i++)
    cr_assert_not_null(pair_new(w, NULL, NULL, i));
  tide_heap_stats(w->heap, &now);
  tide_cycle_stats(w->heap, stats);
  return now.collections != before.collections;
}

Test(young_logged, brings_a_young_collection) {
  struct pair *list;
  struct world w = begin(&list);
  struct tide_cycle_stats stats;
  write_to(&w, list, LIST);
  cr_assert(brings(&w, &stats));
  cr_assert_eq(stats.kind, TIDE_CYCLE_YOUNG);
  cr_assert_eq(stats.cause, TIDE_CAUSE_YOUNG);
  cr_assert_eq(stats.logged, LIST);
  cr_assert_eq(w.heap->space.logged, 0);
  cr_assert_eq(live_after_collect(&w), LIST);
  world_end(&w);
}

Test(young_logged, brings_none_if_it_is_less) {
  struct pair *list;
  struct world w = begin(&list);
  struct tide_cycle_stats stats;
  for (unsigned i = 0; i < 2; i++) /* the second time the objects are logged already */
    write_to(&w, list, LIST - 2 * SURPLUS);
  cr_assert(!brings(&w, &stats));
  world_end(&w);
}

/* However often they are written to. */
YoungTest(young_logged, counts_slots_of_arrays_once) {
  void **array = tide_alloc(w.m, TIDE_LAYOUT_REFS, LONG * sizeof *array);
  void **handle = tide_handle(w.m, array);
  struct tide_cycle_stats stats;
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  array = *handle;
  w.heap->when->youth.due_bytes = (size_t)64 << 20;
  td_young_set_due(&w.heap->space, (size_t)64 << 20, LONG);
  for (unsigned i = 0; i < 4 * LONG; i++)
    tide_write(w.m, array, &array[i % LONG], array);
  cr_assert_eq(w.m->logged, LONG / 2 - 1, "once for each granule, the first with the second");
  cr_assert(!brings(&w, &stats));
  td_young_set_due(&w.heap->space, (size_t)64 << 20, LONG / 4);
  cr_assert(brings(&w, &stats));
  cr_assert_eq(stats.logged, LONG);
  cr_assert_eq(w.m->logged, 0);
}

Test(young_logged, waits_while_collecting_is_paused) {
  struct pair *list;
  struct world w = begin(&list);
  struct tide_cycle_stats stats;
  cr_assert_eq(tide_collect_pause(w.heap), TIDE_OK);
  write_to(&w, list, LIST);
  cr_assert(!brings(&w, &stats));
  cr_assert_eq(tide_collect_resume(w.heap), TIDE_OK);
  cr_assert_geq(count_after_young(&w), LIST);
  world_end(&w);
}
