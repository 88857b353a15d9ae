/* SPDX-License-Identifier: MIT */
/* Stores into old objects without tide_write, under TIDE_VERIFY=1: the next collection of either
 * kind finds them. */
#include "tests/unit/gc/child.h"
#include "tests/unit/gc/young.h"

static int run(void (*scenario)(struct world *w)) {
  return run_verified(world_young, scenario);
}

enum { SLOTS = 2000 };

struct holder {
  struct pair *pair;
  void **array;
};

/* Old objects, as far as a program may know: a structure, and an array with cards. */
static struct holder old_ones(struct world *w) {
  tide_layout couple = tide_layout_named(w->heap, w->pair, "couple", NULL);
  struct holder old = {held(w, tide_alloc(w->m, couple, sizeof(struct pair))),
                       held(w, tide_alloc(w->m, TIDE_LAYOUT_REFS, SLOTS * sizeof(void *)))};
  tide_collect(w->m);
  return old;
}

static void into_a_structure(struct world *w) {
  struct holder old = old_ones(w);
  old.pair->right = pair_new(w, NULL, NULL, 1);
  tide_collect(w->m);
}
static void into_a_structure_then_young(struct world *w) {
  struct holder old = old_ones(w);
  old.pair->right = pair_new(w, NULL, NULL, 1);
  tide_collect_young(w->m);
}
/* The slot beside is logged. */
static void into_an_array(struct world *w) {
  struct holder old = old_ones(w);
  tide_write(w->m, old.array, &old.array[100], pair_new(w, NULL, NULL, 1));
  old.array[102] = pair_new(w, NULL, NULL, 1);
  tide_collect(w->m);
}
/* It is reached by a root, too, so no collection frees it. */
static void of_what_lives(struct world *w) {
  struct holder old = old_ones(w);
  old.pair->left = held(w, pair_new(w, NULL, NULL, 1));
  tide_collect(w->m);
}
/* All of it survives: young collections do not pay. */
static void where_young_ones_do_not_pay(struct world *w) {
  struct holder old = old_ones(w);
  for (int i = 0; i < 200000; i++)
    tide_write(w->m, old.pair, &old.pair->left, pair_new(w, old.pair->left, NULL, 1));
  tide_collect(w->m);
  for (int i = 0; i < 50000; i++)
    old.pair->right = pair_new(w, NULL, NULL, 1);
  tide_collect(w->m);
}

Test(forgotten, stores_are_told_by_the_next_collection) {
  static const struct {
    void (*scenario)(struct world *w);
    const char *holder;
  } rows[] = {{into_a_structure, "(block 1, layout 'couple'), byte 8: "},
              {into_a_structure_then_young, "(block 1, layout 'couple'), byte 8: "},
              {into_an_array, "layout 2), byte 816: "},
              {of_what_lives, "layout 'couple'), byte 0: "},
              {where_young_ones_do_not_pay, "layout 'couple'), byte 8: "}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    cr_expect_eq(run(rows[i].scenario), SIGABRT, "%zu: %s", i, told);
    cr_expect_not_null(strstr(told, "allocated since the last collection"), "%zu: %s", i, told);
    cr_expect_not_null(strstr(told, "stored without tide_write"), "%zu: %s", i, told);
    cr_expect_not_null(strstr(told, rows[i].holder), "%zu: %s", i, told);
  }
}

/* No root reaches the old object any more, but its finalizer waits for a full collection. */
FINALIZER(finalize) {}
static void into_one_that_died(struct world *w) {
  struct pair **old = (struct pair **)tide_handle(w->m, pair_new(w, NULL, NULL, 1));
  tide_finalizer_add(w->m, *old, finalize, NULL);
  tide_collect(w->m);
  (*old)->right = pair_new(w, NULL, NULL, 1);
  *old = NULL;
  tide_collect_young(w->m);
  tide_collect(w->m);
}

Test(forgotten, a_store_into_what_only_a_finalizer_keeps_is_told_late) {
  cr_assert_eq(run(into_one_that_died), SIGABRT, "%s", told);
  cr_assert_not_null(strstr(told, "2 collections ago"), "%s", told);
  cr_assert_not_null(strstr(told, "byte 8; perhaps stored without tide_write"), "%s", told);
}

/* A word of an old object leads to where a new one will be. */
static void into_a_word(struct world *w) {
  uintptr_t *words = held(w, tide_alloc(w->m, TIDE_LAYOUT_CONSERVATIVE, sizeof *words));
  uintptr_t dead = (uintptr_t)pair_new(w, NULL, NULL, 1);
  tide_collect(w->m);
  *words = dead;
  for (void *fresh = NULL; (uintptr_t)fresh != dead;)
    fresh = held(w, pair_new(w, NULL, NULL, 1));
  tide_collect_young(w->m);
}

Test(forgotten, a_word_that_may_be_a_reference_is_told_and_goes_on) {
  cr_assert_eq(run(into_a_word), 0, "%s", told);
  cr_assert_not_null(strstr(told, "perhaps: "), "%s", told);
  cr_assert_not_null(strstr(told, "(block 1, layout 3), byte 0: stored without tide_write"), "%s",
                     told);
}

/* While there are no young collections, stores need no barrier. */
static void nothing(struct world *w) {
  struct holder old = old_ones(w);
  tide_heap_set_young(w->heap, TIDE_YOUNG_NEVER);
  tide_collect(w->m);
  old.pair->left = pair_new(w, NULL, NULL, 1);
  tide_heap_set_young(w->heap, TIDE_YOUNG_ALWAYS);
  tide_collect(w->m);
  tide_collect_young(w->m);
}

Test(forgotten, nothing_is_told_of_what_is_right) {
  cr_assert_eq(run(nothing), 0, "%s", told);
  cr_assert_str_empty(told);
}

/* A table that the program sweeps itself lets go of what has been marked. */
EVENT(let_go) {
  struct holder *old = context;
  if (event == TIDE_EVENT_WEAK_END)
    tide_write(tide_current(heap), old->pair, (void **)&old->pair->left, NULL);
}

static void lets_go(struct world *w) {
  struct holder old = old_ones(w);
  tide_write(w->m, old.pair, (void **)&old.pair->left, pair_new(w, NULL, NULL, 1));
  tide_heap_on_event(w->heap, let_go, &old);
  tide_collect(w->m);
  tide_collect(w->m);
}

Test(forgotten, what_is_let_go_in_an_event) {
  cr_assert_eq(run(lets_go), 0, "%s", told);
  cr_assert_str_empty(told);
}
