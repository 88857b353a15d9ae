/* SPDX-License-Identifier: MIT */
/* Young collections: what they keep, what they reclaim, what they look at. */
#include "heap/space/poison.h"
#include "tests/unit/gc/young.h"
#include "tide/foreign.h"

HeapTest(young, needs_the_promise) {
  cr_assert_eq(tide_collect_young(w.m), TIDE_ERROR_STATE);
}

Test(young, is_off_where_the_environment_says_so) {
  setenv("TIDE_YOUNG", "0", 1);
  SCOPED_WORLD w = world_young();
  cr_assert_eq(tide_collect_young(w.m), TIDE_ERROR_STATE);
  world_end(&w);
  setenv("TIDE_YOUNG", "1", 1);
  w = world_new();
  cr_assert_eq(tide_collect_young(w.m), TIDE_ERROR_STATE);
}

YoungTest(young, reclaims_young_garbage_and_keeps_old) {
  struct pair *kept = pair_new(&w, NULL, NULL, 1);
  void **handle = tide_handle(w.m, kept);
  pair_new(&w, NULL, NULL, 2);
  cr_assert_eq(count_objects(&w), 2);
  cr_assert_eq(count_after_young(&w), 1);
  struct tide_cycle_stats stats = cycle_of(w.heap);
  cr_assert_eq(stats.objects, 1);
  cr_assert_eq(stats.promoted_bytes, 32);
  *handle = NULL; /* old garbage is for a full collection */
  cr_assert_eq(count_after_young(&w), 1);
  cr_assert_eq(cycle_of(w.heap).objects, 0);
  cr_assert_eq(live_after_collect(&w), 0);
  struct tide_heap_stats heap = stats_of(w.heap);
  cr_assert_eq(heap.collections, 3);
  cr_assert_eq(heap.young_collections, 2);
  cr_assert_eq(heap.promoted_bytes, 32);
}

/* The log of what no collection has taken does not outlive a full one. */
YoungTest(young, a_full_collection_forgets_the_log) {
  struct pair *old = pair_new(&w, NULL, NULL, 1);
  void **handle = tide_handle(w.m, old);
  cr_assert_eq(count_after_young(&w), 1);
  tide_write(w.m, old, &old->left, pair_new(&w, NULL, NULL, 2));
  cr_assert_eq(live_after_collect(&w), 2);
  cr_assert_eq(count_after_young(&w), 2);
  cr_assert_eq(cycle_of(w.heap).logged, 0);
  tide_write(w.m, old, &old->right, pair_new(&w, NULL, NULL, 3));
  *handle = NULL;
  cr_assert_eq(live_after_collect(&w), 0);
}

YoungTest(young, cells_of_the_dead_are_handed_out_again) {
  struct pair *old = held(&w, pair_new(&w, NULL, NULL, 1));
  for (unsigned round = 0; round < 400; round++) { /* more than there are epochs */
    for (unsigned i = 0; i < 100; i++)
      pair_new(&w, old, NULL, i);
    tide_write(w.m, old, &old->left, pair_new(&w, NULL, NULL, round));
    cr_assert_eq(round % 5 ? count_after_young(&w) : live_after_collect(&w), 2 + round % 5);
  }
  cr_assert_leq(stats_of(w.heap).heap_bytes, 2 << 16);
}

FINALIZER(note_object) {
  *(void **)context = object;
}

YoungTest(young, finalizers_of_young_objects_are_due_and_those_of_old_ones_wait) {
  void *done = NULL;
  struct pair *old = pair_new(&w, NULL, NULL, 1);
  void **handle = tide_handle(w.m, old);
  cr_assert_eq(tide_finalizer_add(w.m, old, note_object, &done), TIDE_OK);
  cr_assert_eq(count_after_young(&w), 1);
  *handle = NULL;
  struct pair *young = pair_new(&w, pair_new(&w, NULL, NULL, 2), NULL, 3);
  cr_assert_eq(tide_finalizer_add(w.m, young, note_object, &done), TIDE_OK);
  cr_assert_eq(count_after_young(&w), 3);
  cr_assert_eq(tide_finalizers_run(w.m, 10), 1);
  cr_assert_eq(done, young);
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  cr_assert_eq(tide_finalizers_run(w.m, 10), 1);
  cr_assert_eq(done, old);
  cr_assert_eq(live_after_collect(&w), 0);
}

/* The cell of a freed old object that is handed out again is that of a fresh object. */
Test(young, freed_cells_count_as_fresh) {
  if (td_poison_is_possible())
    cr_skip_test("AddressSanitizer keeps freed cells until a collection");
  SCOPED_WORLD w = world_young();
  struct pair *old = pair_new(&w, NULL, NULL, 1);
  pair_new(&w, NULL, NULL, 2);
  void **handle = tide_handle(w.m, old);
  cr_assert_eq(count_after_young(&w), 1);
  struct pair *young = pair_new(&w, NULL, NULL, 3);
  cr_assert_eq(tide_free(w.m, old), TIDE_OK);
  struct pair *again = NULL;
  for (unsigned i = 0; i < 5000 && again != old; i++)
    again = pair_new(&w, young, NULL, 4);
  cr_assert_eq(again, old);
  *handle = again;
  count_after_young(&w);
  cr_assert_eq(again->left, young);
  cr_assert_eq(young->number, 3);
  cr_assert_eq(live_after_collect(&w), 2);
}

/* An event of growth comes from inside an allocation, and may collect. The object that is being
 * made is old afterwards, but its first stores need no barrier. */
EVENT(collect_in_growth) {
  if (event == TIDE_EVENT_HEAP_GREW) tide_collect_young(tide_current(heap));
}

YoungTest(young, an_object_that_became_old_in_its_allocation_counts_as_fresh) {
  struct pair *young = pair_new(&w, NULL, NULL, 1);
  void **handle = tide_handle(w.m, young);
  tide_heap_on_event(w.heap, collect_in_growth, NULL);
  void **array = tide_alloc(w.m, TIDE_LAYOUT_REFS, (size_t)4 << 20);
  tide_heap_on_event(w.heap, NULL, NULL);
  cr_assert_not_null(array);
  cr_assert_eq(stats_of(w.heap).young_collections, 1);
  void **second = tide_handle(w.m, array);
  array[7] = *handle = pair_new(&w, NULL, NULL, 2);
  *handle = NULL;
  cr_assert_eq(count_after_young(&w), 3); /* the array, the old pair, the young one */
  cr_assert_eq(((struct pair *)array[7])->number, 2);
  *second = NULL;
  cr_assert_eq(live_after_collect(&w), 0);
}

/* Slots of a long array are logged alone, those of a short one with it. */
YoungTest(young, what_was_written_into_an_array_is_known_when_it_has_become_short) {
  void **array = held(&w, tide_alloc(w.m, TIDE_LAYOUT_REFS, 600000));
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  tide_write(w.m, array, &array[3], pair_new(&w, NULL, NULL, 5));
  cr_assert(tide_resize_in_place(w.m, array, 64));
  cr_assert_eq(count_after_young(&w), 2);
  cr_assert_eq(((struct pair *)array[3])->number, 5);
}

/* Debug builds say what is wrong. Others store. */
static void write_into(void *object, void **slot) {
  SCOPED_WORLD w = world_young();
  tide_write(w.m, object, slot, &w);
  cr_assert_eq(*slot, &w);
}

Test(young, writes_into_null_are_told, .signal = TOLD) {
  void *slot;
  write_into(NULL, &slot);
}

Test(young, writes_into_what_is_no_object_are_told, .signal = TOLD) {
  static void *foreign[2];
  write_into(foreign, foreign);
}

YoungTest(young, writes_outside_of_the_object_are_told, .signal = TOLD) {
  struct pair *pair = held(&w, pair_new(&w, NULL, NULL, 1));
  pair_new(&w, NULL, NULL, 2); /* behind it */
  tide_write(w.m, pair, (char *)pair + tide_object_bytes(w.heap, pair), NULL);
}

YoungTest(young, writes_into_another_heap_s_object_are_told, .signal = TOLD) {
  SCOPED_WORLD other = world_young();
  struct pair *pair = held(&other, pair_new(&other, NULL, NULL, 1));
  cr_assert_eq(tide_collect_young(other.m), TIDE_OK);
  tide_write(w.m, pair, &pair->left, NULL);
}

/* ---- Roots of all kinds, and those of this heap only ---- */

/* What lies outside of the heap is no reference, also to a young collection of either heap. */
Test(young_roots, do_not_lead_from_heap_to_heap) {
  SCOPED_WORLD a = world_young(), b = world_young();
  struct pair *of_a = pair_new(&a, NULL, NULL, 1);
  cr_assert_not_null(tide_handle(a.m, of_a));
  cr_assert_eq(count_after_young(&a), 1);
  struct pair *foreign = pair_new(&b, NULL, NULL, 2);
  tide_write(a.m, of_a, &of_a->left, foreign);
  cr_assert_eq(count_after_young(&a), 1);
  cr_assert_eq(of_a->left, foreign);
  cr_assert_eq(count_after_young(&b), 0);
  cr_assert_eq(live_after_collect(&a), 1);
  cr_assert_eq(tide_current(a.heap), a.m);
  cr_assert_eq(tide_current(b.heap), b.m);
  cr_assert_eq(tide_heap_destroy(a.heap), TIDE_ERROR_STATE);
}

YoungTest(young_roots, are_pinned_objects) {
  struct pair *pinned = pair_new(&w, NULL, NULL, 1);
  void **handle = tide_handle(w.m, pinned);
  tide_write(w.m, pinned, &pinned->left, pair_new(&w, NULL, NULL, 2));
  cr_assert_eq(tide_object_pin(w.m, pinned), TIDE_OK);
  *handle = NULL;
  cr_assert_eq(count_after_young(&w), 2, "young and pinned");
  tide_write(w.m, pinned, &pinned->right, pair_new(&w, NULL, NULL, 3));
  cr_assert_eq(count_after_young(&w), 3, "old and pinned");
  cr_assert_eq(pinned->left->number + pinned->right->number, 5);
  cr_assert_eq(tide_object_unpin(w.m, pinned), TIDE_OK);
  cr_assert_eq(count_after_young(&w), 3, "old garbage");
  cr_assert_eq(live_after_collect(&w), 0);
  struct pair *again = pair_new(&w, NULL, NULL, 4);
  cr_assert_eq(tide_object_pin(w.m, again), TIDE_OK);
  cr_assert_eq(tide_object_unpin(w.m, again), TIDE_OK);
  cr_assert_eq(count_after_young(&w), 0, "young garbage");
}

/* ---- Snapshots, and what tide/foreign.h offers ---- */

static uint64_t nodes_in_snapshot(struct world *w) {
  FREED char *text = snapshot_text(w);
  uint64_t nodes = number_after(text, "\"node_count\":") - 1; /* the root node */
  return nodes;
}

YoungTest(young_apart, a_snapshot_holds_old_objects_and_young_ones) {
  struct pair *old = pair_new(&w, NULL, NULL, 1);
  void **handle = tide_handle(w.m, old), **second = tide_handle(w.m, pair_new(&w, NULL, NULL, 2));
  cr_assert_eq(count_after_young(&w), 2);
  tide_write(w.m, old, &old->left, pair_new(&w, NULL, NULL, 3));
  cr_assert_eq(count_after_young(&w), 3);
  tide_write(w.m, old, &old->right, pair_new(&w, old->left, NULL, 4)); /* young and logged for */
  *second = NULL;                                                      /* old garbage */
  cr_assert_eq(nodes_in_snapshot(&w), 3);
  cr_assert_eq(count_after_young(&w), 3);
  tide_write(w.m, old, &old->left, pair_new(&w, NULL, NULL, 5));
  cr_assert_eq(count_after_young(&w), 4);
  cr_assert_eq(nodes_in_snapshot(&w), 4, "the third hangs from the fourth");
  cr_assert_eq(old->left->number, 5);
  cr_assert_eq(old->right->left->number, 3);
  *handle = NULL;
  cr_assert_eq(nodes_in_snapshot(&w), 0);
}

YoungTest(young_apart, weak_slots_are_cleared_where_the_target_was_young) {
  uintptr_t *slots = held(&w, tide_alloc(w.m, TIDE_LAYOUT_LEAF, 2 * sizeof *slots));
  struct pair *target = pair_new(&w, NULL, NULL, 1);
  void **handle = tide_handle(w.m, target);
  cr_assert_eq(tide_weak_slot_add(w.m, &slots[0], target, TIDE_WEAK_BEFORE), TIDE_OK);
  slots[0] = ~(uintptr_t)target;
  cr_assert_eq(count_after_young(&w), 2);
  struct pair *young = pair_new(&w, NULL, NULL, 2); /* a slot of an old object */
  cr_assert_eq(tide_weak_slot_add(w.m, &slots[1], young, TIDE_WEAK_BEFORE), TIDE_OK);
  slots[1] = ~(uintptr_t)young;
  *handle = NULL;
  cr_assert_eq(count_after_young(&w), 2);
  cr_assert_eq(slots[0], ~(uintptr_t)target, "old objects count as alive");
  cr_assert_eq(slots[1], 0);
  cr_assert_eq(live_after_collect(&w), 1);
  cr_assert_eq(slots[0], 0);
}

/* The context is a root, whatever its age and that of the object. */
YoungTest(young_apart, finalizers_in_order_come_with_young_collections) {
  struct pair *object = pair_new(&w, pair_new(&w, NULL, NULL, 2), NULL, 1);
  void **handle = tide_handle(w.m, object);
  struct tide_finalizer_entry entry = {.call = note_object, .context = pair_new(&w, NULL, NULL, 3)};
  cr_assert_eq(tide_finalizer_set(w.m, object->left, &entry, NULL), TIDE_OK);
  entry.context = pair_new(&w, NULL, NULL, 4);
  cr_assert_eq(tide_finalizer_set(w.m, object, &entry, NULL), TIDE_OK);
  *handle = NULL;
  cr_assert_eq(count_after_young(&w), 4);
  struct tide_finalizer_entry taken;
  cr_assert_eq(tide_finalizer_take(w.m, &taken), object, "it reaches the other one");
  cr_assert_eq(((struct pair *)taken.context)->number, 4);
  cr_assert_null(tide_finalizer_take(w.m, &taken));
  cr_assert_eq(count_after_young(&w), 4, "all of it is old by now");
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  struct pair *left = (struct pair *)tide_finalizer_take(w.m, &taken);
  cr_assert_not_null(left);
  cr_assert_eq(left->number, 2);
  cr_assert_eq(((struct pair *)taken.context)->number, 3);
  cr_assert_eq(live_after_collect(&w), 0);
}
