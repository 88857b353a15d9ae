/* SPDX-License-Identifier: MIT */
/* Young collections and snapshots, and what tide/foreign.h offers. */
#include "tests/unit/gc/young.h"
#include "tide/foreign.h"

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

FINALIZER(note_object) {
  ((struct pair *)object)->right = (struct pair *)context;
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
