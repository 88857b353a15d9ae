/* SPDX-License-Identifier: MIT */
/* When young collections come: not while they do not pay, and nothing is logged meanwhile; early
 * where much is logged. */
#include "gc/state/heap.h"
#include "gc/state/mutator.h"
#include "gc/threads/mutator/barrier.h"
#include "gc/when/when.h"
#include "heap/young/young.h"
#include "platform/platform.h"
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
  uint64_t before = collections(w);
  do
    pair_new(w, NULL, NULL, 0);
  while (collections(w) == before);
}

static struct world begin(void) {
  struct world w = world_young();
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  begin_wait(&w);
  return w;
}

Test(young_wait, ends_with_all_young_objects_old) {
  SCOPED_WORLD w = begin();
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
}

/* Stores into old objects are not logged before, and are after. */
YoungTest(young_wait, loses_nothing) {
  struct pair *old = held(&w, pair_new(&w, NULL, NULL, 1));
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

/* ---- As the program says ---- */

static enum tide_cycle_kind next_kind(struct world *w) {
  drop_until_collected(w);
  return cycle_of(w->heap).kind;
}

YoungTest(young_switch, never_and_again) {
  struct pair *old = held(&w, pair_new(&w, NULL, NULL, 1));
  cr_assert_eq(next_kind(&w), TIDE_CYCLE_YOUNG);
  cr_assert_eq(tide_heap_set_young(w.heap, TIDE_YOUNG_NEVER), TIDE_OK);
  (void)next_kind(&w); /* it counts from the next one on */
  for (int i = 0; i < 5; i++)
    cr_assert_eq(next_kind(&w), TIDE_CYCLE_FULL);
  cr_assert_eq(w.m->fast.mark_mask, 0, "stores are not told of");
  cr_assert_eq(tide_collect_young(w.m), TIDE_OK);
  cr_assert_eq(cycle_of(w.heap).kind, TIDE_CYCLE_FULL);
  old->left = pair_new(&w, NULL, NULL, 2);
  cr_assert_eq(tide_heap_set_young(w.heap, TIDE_YOUNG_WHERE_IT_PAYS), TIDE_OK);
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  cr_assert_eq(next_kind(&w), TIDE_CYCLE_YOUNG);
  cr_assert_eq(old->left->number, 2);
  cr_assert_eq(live_after_collect(&w), 2);
}

/* All survives, and young collections go on. */
YoungTest(young_switch, always) {
  struct pair *list = NULL;
  void **handle = tide_handle(w.m, NULL);
  cr_assert_eq(tide_heap_set_young(w.heap, TIDE_YOUNG_ALWAYS), TIDE_OK);
  for (int i = 0; i < 800000; i++)
    *handle = list = pair_new(&w, list, NULL, (uint64_t)i);
  cr_assert(w.heap->when->youth.on);
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  cr_assert(w.heap->when->youth.on);
  cr_assert_gt(stats_of(w.heap).young_collections, 3);
}

EVENT(set_young_in_event) {
  cr_assert_eq(tide_heap_set_young(heap, TIDE_YOUNG_NEVER), TIDE_ERROR_STATE);
}

HeapTest(young_switch, refusals) {
  cr_assert_eq(tide_heap_set_young(w.heap, TIDE_YOUNG_ALWAYS), TIDE_ERROR_STATE);
  SCOPED_WORLD young = world_young();
  cr_assert_eq(tide_heap_set_young(NULL, TIDE_YOUNG_ALWAYS), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_heap_set_young(young.heap, (enum tide_young)3), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_heap_set_young(young.heap, (enum tide_young) - 1), TIDE_ERROR_ARGUMENT);
  tide_heap_on_event(young.heap, set_young_in_event, NULL);
  cr_assert_eq(tide_collect(young.m), TIDE_OK);
  cr_assert_eq(young.heap->when->youth.kind, TIDE_YOUNG_WHERE_IT_PAYS);
}

/* ---- What the program does in its events is no cost of collecting ---- */

enum { EVENT_NS = 20000000 };

EVENT(take_time) {
  if (event > TIDE_EVENT_SWEEP_END) return;
  uint64_t until = td_plat_thread_ns() + EVENT_NS;
  while (td_plat_thread_ns() < until) {
  }
}

YoungTest(young_events, are_not_counted_as_the_collectors_time) {
  const struct td_youth *youth = &w.heap->when->youth;
  tide_heap_on_event(w.heap, take_time, NULL);
  drop_until_collected(&w);
  cr_assert_eq(cycle_of(w.heap).kind, TIDE_CYCLE_YOUNG);
  cr_assert_lt(youth->young_cost * (double)youth->least_bytes, EVENT_NS / 2.0);
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  cr_assert_lt(youth->full_cost * 2 * (double)youth->most_bytes, EVENT_NS / 2.0);
}

/* ---- Much that is logged brings a young collection before the young part is full ---- */

enum { SURPLUS = 2 * TD_YOUNG_LOGGED_STEP, LOGGED_LIST = TD_YOUTH_LOGGED + SURPLUS, FRESH = 4096 };
enum { LONG = 4096 };

/* A list of old objects, and a young part that is far from full. */
static struct world begin_list(struct pair **list) {
  struct world w = world_young();
  void **handle = tide_handle(w.m, NULL);
  *list = NULL;
  for (unsigned i = 0; i < LOGGED_LIST; i++) {
    *list = pair_new(&w, *list, NULL, i);
    *handle = *list;
  }
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  w.heap->when->youth.due_bytes = (size_t)64 << 20;
  td_young_set_due(&w.heap->space, (size_t)64 << 20, TD_YOUTH_LOGGED);
  return w;
}

static void write_to(struct world *w, struct pair *list, unsigned count) {
  for (; count-- > 0; list = list->left)
    tide_write(w->m, list, &list->right, list);
}

/* Returns the kind of the collection that a few allocations have brought; false: none. */
static bool brings(struct world *w, struct tide_cycle_stats *stats) {
  uint64_t before = collections(w);
  for (unsigned i = 0; i < FRESH; i++)
    cr_assert_not_null(pair_new(w, NULL, NULL, i));
  *stats = cycle_of(w->heap);
  return collections(w) != before;
}

Test(young_logged, brings_a_young_collection) {
  struct pair *list;
  SCOPED_WORLD w = begin_list(&list);
  struct tide_cycle_stats stats;
  write_to(&w, list, LOGGED_LIST);
  cr_assert(brings(&w, &stats));
  cr_assert_eq(stats.kind, TIDE_CYCLE_YOUNG);
  cr_assert_eq(stats.cause, TIDE_CAUSE_YOUNG);
  cr_assert_eq(stats.logged, LOGGED_LIST);
  cr_assert_eq(w.heap->space.logged, 0);
  cr_assert_eq(live_after_collect(&w), LOGGED_LIST);
}

Test(young_logged, brings_none_if_it_is_less) {
  struct pair *list;
  SCOPED_WORLD w = begin_list(&list);
  struct tide_cycle_stats stats;
  for (unsigned i = 0; i < 2; i++) /* the second time the objects are logged already */
    write_to(&w, list, LOGGED_LIST - 2 * SURPLUS);
  cr_assert(!brings(&w, &stats));
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
  SCOPED_WORLD w = begin_list(&list);
  struct tide_cycle_stats stats;
  cr_assert_eq(tide_collect_pause(w.heap), TIDE_OK);
  write_to(&w, list, LOGGED_LIST);
  cr_assert(!brings(&w, &stats));
  cr_assert_eq(tide_collect_resume(w.heap), TIDE_OK);
  cr_assert_geq(count_after_young(&w), LOGGED_LIST);
}
