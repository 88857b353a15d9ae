/* Programs where young collections do not pay for a while. */
#include "tests/unit/gc/young.h"

enum { PAIRS = 3000000, DROPPED = 6000000 };

struct seen {
  uint64_t kept;   /* times that what was young became old, unlooked at */
  uint64_t looked; /* young collections that marked */
};

static void note(struct tide_heap *heap, enum tide_event event, uint64_t now_ns, void *context) {
  (void)now_ns;
  struct seen *seen = context;
  struct tide_cycle_stats stats;
  if (event != TIDE_EVENT_CYCLE_BEGIN) return;
  tide_cycle_stats(heap, &stats); /* of the collection before */
  if (stats.kind != TIDE_CYCLE_YOUNG) return;
  seen->kept += stats.objects == 0 && stats.promoted_bytes > 0;
  seen->looked += stats.objects > 0;
}

/* A list that grows and a tail of weak references to it: nothing of it dies. Then garbage only. */
Test(young_wait, keeps_all_then_goes_on) {
  struct tide_options options;
  tide_options_init(&options);
  options.write_barrier = true;
  struct world w = world_with(&options, TIDE_STACK_PRECISE);
  struct seen seen = {0};
  tide_heap_on_event(w.heap, note, &seen);
  struct pair **list = (struct pair **)tide_handle(w.m, NULL);
  struct tide_weak **weak = (struct tide_weak **)tide_handle(w.m, NULL);
  for (uint64_t i = 0; i < PAIRS; i++) {
    *list = pair_new(&w, *list, NULL, i);
    if (i % 100000 == 0) *weak = tide_weak_new(w.m, *list, TIDE_WEAK_BEFORE);
  }
  cr_assert_gt(seen.kept, 0);
  cr_assert_not_null(tide_weak_get(w.m, *weak));
  struct tide_heap_stats before, after;
  tide_heap_stats(w.heap, &before);
  for (uint64_t i = 0; i < DROPPED; i++) {
    struct pair *fresh = pair_new(&w, NULL, NULL, i);
    if (i % 1000 == 0) tide_write(w.m, *list, &(*list)->right, fresh);
  }
  tide_heap_stats(w.heap, &after);
  cr_assert_gt(after.young_collections, before.young_collections + 5, "they pay now");
  cr_assert_gt(seen.looked, 5);
  uint64_t count = 0;
  for (const struct pair *pair = *list; pair; pair = pair->left)
    cr_assert_eq(pair->number, PAIRS - 1 - count++);
  cr_assert_eq(count, PAIRS);
  struct tide_error error;
  cr_assert_eq(tide_check_heap(w.m, &error), TIDE_OK, "%s", error.text);
  *list = NULL;
  cr_assert_leq(live_after_collect(&w), 2);
  cr_assert_null(tide_weak_get(w.m, *weak));
  world_end(&w);
}
