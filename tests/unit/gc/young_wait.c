/* While young collections do not pay nothing is logged; then what is young becomes old. */
#include "gc/state/heap.h"
#include "gc/threads/mutator/barrier.h"
#include "gc/when/when.h"
#include "heap/young.h"
#include "tests/unit/gc/young.h"

enum { LIST = 20000, ROOM = 1 << 20 };

/* As if the last young collection had not paid: the next trial is due after ROOM bytes. */
static void begin_wait(struct world *w) {
  w->heap->when->youth.on = false;
  w->heap->when->youth.due_bytes = ROOM;
  td_barrier_switch(w->m);
  td_young_bear_old(&w->heap->space, true);
  td_young_set_due(&w->heap->space, ROOM, SIZE_MAX);
}

static void drop_until_collected(struct world *w) {
  struct tide_heap_stats before, now;
  tide_heap_stats(w->heap, &before);
  do {
    pair_new(w, NULL, NULL, 0);
    tide_heap_stats(w->heap, &now);
  } while (now.collections == before.collections);
}

static struct world begin(void) {
  struct world w = world_young();
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  begin_wait(&w);
  return w;
}

Test(young_wait, ends_with_all_young_objects_old) {
  struct world w = begin();
  for (unsigned i = 0; i < 100; i++)
    cr_assert_not_null(pair_new(&w, NULL, NULL, i));
  uint64_t there = count_objects(&w);
  drop_until_collected(&w);
  struct tide_cycle_stats stats = cycle_of(w.heap);
  cr_assert_eq(stats.kind, TIDE_CYCLE_YOUNG);
  cr_assert_eq(stats.cause, TIDE_CAUSE_YOUNG);
  cr_assert_eq(stats.objects, 0, "nothing was looked at");
  cr_assert_geq(stats.promoted_bytes, 100 * 32);
  cr_assert(w.heap->when->youth.on);
  cr_assert_geq(count_after_young(&w), there);
  cr_assert_eq(live_after_collect(&w), 0);
  world_end(&w);
}

/* Stores into old objects are not logged before, and are after. */
YoungTest(young_wait, loses_nothing) {
  struct pair *old = pair_new(&w, NULL, NULL, 1);
  cr_assert_not_null(tide_handle(w.m, old));
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  begin_wait(&w);
  struct tide_weak *weak = tide_weak_new(w.m, old, TIDE_WEAK_BEFORE);
  tide_write(w.m, old, &old->right, weak);
  size_t sizes[] = {3000, 40000, 300000};
  for (unsigned i = 0; i < 3; i++) { /* of each kind of block */
    void **array = (void **)tide_alloc(w.m, TIDE_LAYOUT_REFS, sizes[i]);
    array[1] = old->left;
    tide_write(w.m, old, &old->left, array);
  }
  drop_until_collected(&w);
  for (unsigned i = 0; i < LIST; i++) {
    tide_write(w.m, old, &old->left, pair_new(&w, old->left, NULL, i));
    if (i % 5000 == 0) count_after_young(&w);
  }
  const struct pair *at = old->left;
  for (unsigned i = LIST; i-- > 0; at = at->left)
    cr_assert_eq(at->number, i);
  cr_assert_eq(((void *const *)at)[1] != NULL, true);
  cr_assert_eq(tide_weak_get(w.m, weak), old);
  cr_assert_eq(live_after_collect(&w), LIST + 3 + 2);
}

/* The budget is used up and most of it is young: a young collection makes room. */
YoungTest(young_wait, is_not_for_a_full_collection_where_a_young_one_will_do) {
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  w.heap->when->youth.due_bytes = ROOM;
  td_young_set_due(&w.heap->space, SIZE_MAX, SIZE_MAX);
  drop_until_collected(&w);
  struct tide_cycle_stats stats = cycle_of(w.heap);
  cr_assert_eq(stats.kind, TIDE_CYCLE_YOUNG);
}
