/* Young collections before and after what else happens to a heap: a fork, a snapshot; and with what
 * tide/foreign.h offers. */
#include <sys/wait.h>

#include "tests/unit/gc/young.h"
#include "tide/foreign.h"

/* ---- Fork ---- */

/* Both sides have the log of before the fork, and their own from there on. Returns nonzero when
 * something is missing, for a child has no test around it. */
static int live_on(struct world *w, struct pair *old, uint64_t number) {
  if (tide_collect_young(w->m) != TIDE_OK || !old->left || old->left->number != 7) return 2;
  for (uint64_t i = 0; i < 20; i++) {
    struct pair *fresh = (struct pair *)tide_alloc(w->m, w->pair, sizeof *fresh);
    if (!fresh) return 3;
    fresh->number = number + i;
    tide_write(w->m, old, &old->right, fresh);
    for (unsigned k = 0; k < 2000; k++)
      if (!tide_alloc(w->m, w->pair, sizeof *fresh)) return 4;
    if ((i % 4 ? tide_collect_young : tide_collect)(w->m) != TIDE_OK) return 5;
    struct tide_check check;
    if (tide_check_marks(w->m, &check) != TIDE_OK) return 6;
    if (old->right->number != number + i || old->left->number != 7) return 7;
  }
  struct tide_error error;
  struct tide_heap_stats stats = stats_of(w->heap);
  if (tide_check_heap(w->m, &error) != TIDE_OK) return 8;
  return stats.young_collections > 10 ? 0 : 9;
}

YoungTest(young_apart, parent_and_child_of_a_fork_collect_young) {
  struct pair *old = pair_new(&w, NULL, NULL, 1);
  cr_assert_not_null(tide_handle(w.m, old));
  cr_assert_eq(count_after_young(&w), 1);
  tide_write(w.m, old, &old->left, pair_new(&w, NULL, NULL, 7));
  pid_t child = fork();
  cr_assert_geq(child, 0);
  if (child == 0) _exit(live_on(&w, old, 1000));
  cr_assert_eq(live_on(&w, old, 2000), 0);
  int status;
  cr_assert_eq(waitpid(child, &status, 0), child);
  cr_assert(WIFEXITED(status));
  cr_assert_eq(WEXITSTATUS(status), 0);
}

/* ---- Snapshots ---- */

static uint64_t nodes_in_snapshot(struct world *w) {
  char *text = snapshot_text(w);
  uint64_t nodes = number_after(text, "\"node_count\":") - 1; /* the root node */
  free(text);
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

/* ---- What tide/foreign.h offers ---- */

static void trace_second(void *object, size_t bytes, struct tide_tracer *tracer, void *context) {
  (void)context;
  tide_trace_range(tracer, (void *const *)object + 1, bytes / sizeof(void *) - 1);
}

YoungTest(young_apart, objects_that_trace_alone_are_looked_into) {
  tide_layout alone = tide_layout_traced_serially(w.heap, trace_second, NULL, NULL);
  cr_assert_neq(alone, TIDE_LAYOUT_INVALID);
  for (size_t words = 3; words < 30000; words *= 10) { /* longer than a page, too */
    void **object = (void **)tide_alloc(w.m, alone, words * sizeof(void *));
    void **handle = tide_handle(w.m, object);
    cr_assert_not_null(handle);
    cr_assert_eq(count_after_young(&w), 1);
    tide_write(w.m, object, &object[words - 1], pair_new(&w, NULL, NULL, words));
    cr_assert_eq(count_after_young(&w), 2);
    cr_assert_eq(((struct pair *)object[words - 1])->number, words);
    *handle = NULL;
    cr_assert_eq(live_after_collect(&w), 0);
  }
}

YoungTest(young_apart, weak_slots_are_cleared_where_the_target_was_young) {
  uintptr_t *slots = (uintptr_t *)tide_alloc(w.m, TIDE_LAYOUT_LEAF, 2 * sizeof *slots);
  cr_assert_not_null(tide_handle(w.m, slots));
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

static void note_object(void *object, void *context) {
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
