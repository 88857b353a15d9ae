/* Young objects that share spans of several blocks. Their marks lie in all of these blocks. */
#include "tests/unit/gc/young.h"

enum { MANY = 60, KEPT = 12 };

/* Allocates objects, without a collection meanwhile, and keeps every fifth. */
static void make_some(struct world *w, size_t bytes, void ***handles) {
  cr_assert_eq(tide_collect_pause(w->heap), TIDE_OK);
  for (unsigned i = 0; i < MANY; i++) {
    void *object = tide_alloc(w->m, TIDE_LAYOUT_REFS, bytes);
    cr_assert_not_null(object);
    if (i % 5 == 0) *handles[i / 5] = object;
  }
  cr_assert_eq(tide_collect_resume(w->heap), TIDE_OK);
}

YoungTest(young_medium, die_in_collections_of_both_kinds_wherever_they_lie) {
  void **handles[KEPT];
  for (unsigned i = 0; i < KEPT; i++)
    cr_assert_not_null(handles[i] = tide_handle(w.m, NULL));
  size_t sizes[] = {33000, 40000, 70000, 100000, 300000};
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    for (unsigned round = 0; round < 3; round++) {
      make_some(&w, sizes[i], handles);
      cr_assert_eq(live_after_collect(&w), KEPT);
      make_some(&w, sizes[i], handles); /* those of before are old garbage now */
      cr_assert_eq(tide_collect_young(w.m), TIDE_OK);
      struct tide_cycle_stats stats; /* young ones may not pay */
      tide_cycle_stats(w.heap, &stats);
      cr_assert_eq(count_objects(&w), stats.kind == TIDE_CYCLE_YOUNG ? 2 * KEPT : KEPT);
    }
    for (unsigned k = 0; k < KEPT; k++)
      *handles[k] = NULL;
    cr_assert_eq(live_after_collect(&w), 0);
  }
}
