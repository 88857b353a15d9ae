/* Young collections: what they keep, what they reclaim, what they look at. */
#include "tests/unit/gc/common.h"

static struct world world_young(void) {
  struct tide_options options = small_options();
  options.write_barrier = true;
  return world_with(&options, TIDE_STACK_PRECISE);
}

static uint64_t count_objects(struct world *w) {
  uint64_t count = 0;
  cr_assert_eq(tide_heap_walk(w->m, count_visit, &count), TIDE_OK);
  return count;
}

static uint64_t count_after_young(struct world *w) {
  cr_assert_eq(tide_collect_young(w->m), TIDE_OK);
  struct tide_check check;
  enum tide_status status = tide_check_marks(w->m, &check);
  cr_assert_eq(status, TIDE_OK, "%s", check.difference);
  struct tide_error error;
  cr_assert_eq(tide_check_heap(w->m, &error), TIDE_OK, "%s", error.text);
  struct tide_cycle_stats stats;
  tide_cycle_stats(w->heap, &stats);
  cr_assert_eq(stats.kind, TIDE_CYCLE_YOUNG);
  return count_objects(w);
}

Test(young, needs_the_promise) {
  struct world w = world_new();
  cr_assert_eq(tide_collect_young(w.m), TIDE_ERROR_STATE);
  cr_assert_eq(tide_collect_young(NULL), TIDE_ERROR_ARGUMENT);
  world_end(&w);
}

Test(young, is_off_where_the_environment_says_so) {
  setenv("TIDE_YOUNG", "0", 1);
  struct world w = world_young();
  cr_assert_eq(tide_collect_young(w.m), TIDE_ERROR_STATE);
  world_end(&w);
  setenv("TIDE_YOUNG", "yes", 1);
  struct tide_error error;
  cr_assert_null(tide_heap_create(NULL, &error));
  cr_assert_eq(error.status, TIDE_ERROR_ENVIRONMENT);
  cr_assert_not_null(strstr(error.text, "TIDE_YOUNG"));
  setenv("TIDE_YOUNG", "1", 1);
  w = world_new();
  cr_assert_eq(tide_collect_young(w.m), TIDE_ERROR_STATE);
  world_end(&w);
}

Test(young, reclaims_young_garbage_and_keeps_old) {
  struct world w = world_young();
  struct pair *kept = pair_new(&w, NULL, NULL, 1);
  void **handle = tide_handle(w.m, kept);
  pair_new(&w, NULL, NULL, 2);
  cr_assert_eq(count_objects(&w), 2);
  cr_assert_eq(count_after_young(&w), 1);
  struct tide_cycle_stats stats;
  tide_cycle_stats(w.heap, &stats);
  cr_assert_eq(stats.objects, 1);
  cr_assert_eq(stats.promoted_bytes, 32);
  *handle = NULL; /* old garbage is for a full collection */
  cr_assert_eq(count_after_young(&w), 1);
  tide_cycle_stats(w.heap, &stats);
  cr_assert_eq(stats.objects, 0);
  cr_assert_eq(live_after_collect(&w), 0);
  struct tide_heap_stats heap;
  tide_heap_stats(w.heap, &heap);
  cr_assert_eq(heap.collections, 3);
  cr_assert_eq(heap.young_collections, 2);
  cr_assert_eq(heap.promoted_bytes, 32);
  world_end(&w);
}

Test(young, looks_into_old_objects_that_were_written_to) {
  struct world w = world_young();
  struct pair *old = pair_new(&w, NULL, NULL, 1);
  cr_assert_not_null(tide_handle(w.m, old));
  for (unsigned round = 0; round < 3; round++) {
    cr_assert_eq(count_after_young(&w), 1 + round);
    struct pair *young = pair_new(&w, old->left, NULL, round);
    tide_write(w.m, old, &old->left, young);
    tide_write(w.m, old, &old->left, young);
    struct tide_error error;
    cr_assert_eq(tide_check_heap(w.m, &error), TIDE_OK, "%s", error.text);
  }
  cr_assert_eq(count_after_young(&w), 4);
  struct tide_cycle_stats stats;
  tide_cycle_stats(w.heap, &stats);
  cr_assert_eq(stats.logged, 1);
  cr_assert_eq(stats.objects, 1);
  cr_assert_eq(live_after_collect(&w), 4);
  world_end(&w);
}

/* The log of what no collection has taken does not outlive a full one. */
Test(young, a_full_collection_forgets_the_log) {
  struct world w = world_young();
  struct pair *old = pair_new(&w, NULL, NULL, 1);
  void **handle = tide_handle(w.m, old);
  cr_assert_eq(count_after_young(&w), 1);
  tide_write(w.m, old, &old->left, pair_new(&w, NULL, NULL, 2));
  cr_assert_eq(live_after_collect(&w), 2);
  cr_assert_eq(count_after_young(&w), 2);
  struct tide_cycle_stats stats;
  tide_cycle_stats(w.heap, &stats);
  cr_assert_eq(stats.logged, 0);
  tide_write(w.m, old, &old->right, pair_new(&w, NULL, NULL, 3));
  *handle = NULL;
  cr_assert_eq(live_after_collect(&w), 0);
  world_end(&w);
}

Test(young, cells_of_the_dead_are_handed_out_again) {
  struct world w = world_young();
  struct pair *old = pair_new(&w, NULL, NULL, 1);
  cr_assert_not_null(tide_handle(w.m, old));
  for (unsigned round = 0; round < 400; round++) { /* more than there are epochs */
    for (unsigned i = 0; i < 100; i++)
      pair_new(&w, old, NULL, i);
    tide_write(w.m, old, &old->left, pair_new(&w, NULL, NULL, round));
    cr_assert_eq(round % 5 ? count_after_young(&w) : live_after_collect(&w), 2 + round % 5);
  }
  struct tide_heap_stats stats;
  tide_heap_stats(w.heap, &stats);
  cr_assert_leq(stats.heap_bytes, 2 << 16);
  world_end(&w);
}

Test(young, long_arrays_are_logged_by_the_slot) {
  struct world w = world_young();
  size_t counts[] = {512, 513, 600, 4000, 20000, 200000};
  for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++) {
    size_t count = counts[i];
    void **array = (void **)tide_alloc_array(w.m, TIDE_LAYOUT_REFS, count, sizeof(void *));
    cr_assert_not_null(array);
    void **handle = tide_handle(w.m, array);
    cr_assert_eq(count_after_young(&w), 1);
    size_t at[] = {0, 1, 2, 3, count / 2, count - 1};
    for (unsigned k = 0; k < 6; k++)
      tide_write(w.m, array, &array[at[k]], pair_new(&w, NULL, NULL, at[k]));
    cr_assert_eq(count_after_young(&w), 7);
    struct tide_cycle_stats stats;
    tide_cycle_stats(w.heap, &stats);
    cr_assert_leq(stats.logged, 10);
    for (unsigned k = 0; k < 6; k++)
      cr_assert_eq(((struct pair *)array[at[k]])->number, at[k]);
    void *fresh[8];
    size_t scope = tide_scope_open(w.m);
    for (unsigned k = 0; k < 8; k++)
      cr_assert_not_null(tide_handle(w.m, fresh[k] = pair_new(&w, NULL, NULL, k)));
    tide_write_range(w.m, array, &array[count - 8], fresh, 8);
    tide_write_range(w.m, array, &array[1], fresh, 8);
    tide_scope_close(w.m, scope);
    cr_assert_eq(count_after_young(&w), 15);
    *handle = NULL;
    cr_assert_eq(live_after_collect(&w), 0);
  }
  world_end(&w);
}
