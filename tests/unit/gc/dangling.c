/* SPDX-License-Identifier: MIT */
/* References to what was reclaimed, under TIDE_VERIFY=1: found out, and told with who holds them.
 */
#include "gc/state/heap.h"
#include "heap/withheld/quarantine.h"
#include "tests/unit/gc/child.h"

static int run(void (*scenario)(struct world *w)) {
  return run_verified(world_new, scenario);
}

static void expect_told(const char *what) {
  cr_assert_not_null(strstr(told, what), "\"%s\" is missing in: %s", what, told);
}

static struct pair *forgotten; /* no root */

/* An object of the layout 'node' that nothing refers to but the variable. */
static void forget(struct world *w) {
  tide_layout node = tide_layout_named(w->heap, w->pair, "node", NULL);
  forgotten = (struct pair *)tide_alloc(w->m, node, sizeof *forgotten);
  cr_assert_not_null(forgotten);
  tide_collect(w->m);
}

static void hold_in_an_object(struct world *w) {
  forget(w);
  tide_layout holder = tide_layout_named(w->heap, w->pair, "holder", NULL);
  struct pair *p = held(w, tide_alloc(w->m, holder, sizeof *p));
  tide_collect(w->m);
  p->right = forgotten;
  tide_collect(w->m);
}

/* Without the quarantine the object that comes next would have had the cell, and been it. */
static void hold_after_others_came(struct world *w) {
  forget(w);
  tide_layout node = tide_layout_named(w->heap, w->pair, "node", NULL);
  for (int i = 0; i < 5000; i++)
    tide_handle(w->m, tide_alloc(w->m, node, sizeof *forgotten));
  tide_handle(w->m, forgotten);
  tide_collect(w->m);
}

static void register_slot(struct world *w) {
  forget(w);
  (tide_root_add)(w->heap, &forgotten);
  tide_collect(w->m);
}

static void register_range(struct world *w) {
  static void *range[5];
  forget(w);
  tide_root_add_range(w->heap, range, 5);
  range[3] = forgotten;
  tide_collect(w->m);
}

ROOTS_OF(report) {
  tide_trace(tracer, forgotten);
}

static void register_callback(struct world *w) {
  forget(w);
  tide_root_add_callback(w->heap, report, NULL);
  tide_collect(w->m);
}

static void keep_the_inside(struct world *w, size_t at) {
  tide_layout holder = tide_layout_named(w->heap, w->pair, "holder", NULL);
  tide_layout node = tide_layout_named(w->heap, w->pair, "node", NULL);
  struct pair *p = held(w, tide_alloc(w->m, holder, sizeof *p));
  p->left = (struct pair *)((char *)tide_alloc(w->m, node, sizeof *p) + at);
  tide_collect(w->m);
  tide_collect(w->m);
}

static void keep_the_first_field(struct world *w) {
  keep_the_inside(w, 16);
}

/* By its low bits this is a tagged number, so nobody can be sure. */
static void keep_a_field_that_looks_like_a_number(struct world *w) {
  keep_the_inside(w, 8);
}

UNUSED static void write_to_the_dead(struct world *w) {
  forget(w);
  *(volatile uint64_t *)&forgotten->number = 1;
  tide_collect(w->m);
}

/* Half a block and more: an extent of its own. */
static void hold_the_end_of_a_long_one(struct world *w) {
  tide_layout text = tide_layout_named(w->heap, TIDE_LAYOUT_LEAF, "text", NULL);
  char *text_at = (char *)tide_alloc(w->m, text, 100000);
  tide_collect(w->m);
  tide_handle(w->m, text_at + 99984);
  tide_collect(w->m);
}

TRACE(trace) {
  if (*(uint64_t *)object == 77) return;
  fputs("traced what is dead\n", stderr);
  _exit(3);
}

static void hold_a_traced_one(struct world *w) {
  tide_layout traced = tide_layout_traced(w->heap, trace, NULL, NULL);
  uint64_t *object = (uint64_t *)tide_alloc(w->m, traced, 64);
  *object = 77;
  tide_collect(w->m);
  tide_handle(w->m, object);
  tide_collect(w->m);
}

Test(dangling, references_are_told_with_who_holds_them) {
  static const struct {
    void (*scenario)(struct world *w);
    const char *texts[3];
  } rows[] = {
      {hold_in_an_object,
       {"is an object (layout 'node', 32 bytes) reclaimed 2 collections ago",
        "referred to by object 0x", "layout 'holder'), byte 8\n"}},
      {hold_after_others_came,
       {"(layout 'node', 32 bytes) reclaimed 1 collection ago", "a root: the handle 0x"}},
      {register_slot, {"registered by tide_root_add\n"}},
      {register_range, {"slot 3 of the range at 0x"}},
      {register_callback, {"a root callback"}},
      {keep_the_first_field,
       {"is no object, but lies inside that at 0x", "layout 'holder'), byte 0\n"}},
      {hold_the_end_of_a_long_one,
       {"is inside an object (layout 'text', 100000 bytes) reclaimed 1 collection ago"}},
      {hold_a_traced_one, {NULL}},
#ifndef TD_SANITIZE_address /* which ends the program at the touch itself: tests/poison */
      {write_to_the_dead,
       {"(layout 'node', 32 bytes) was written to, at byte 16, after it was reclaimed 1 coll"}},
#endif
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    cr_expect_eq(run(rows[i].scenario), SIGABRT, "row %zu: %s", i, told);
    for (size_t k = 0; k < 3 && rows[i].texts[k]; k++)
      expect_told(rows[i].texts[k]);
  }
  cr_assert_eq(run(keep_a_field_that_looks_like_a_number), 0, "%s", told);
  expect_told("perhaps: 0x");
  expect_told("is inside an object (layout 'node', 32 bytes) reclaimed 1 collection ago");
  expect_told("layout 'holder'), byte 0\n");
}

/* The root that was forgotten is used. */
static void follow_a_root_that_was_not_registered(struct world *w) {
  forget(w);
  forgotten->left->number = 1;
}

/* The program's own handler runs as before, and after the last such heap it is alone again. */
static void on_segv(UNUSED int number) {
  _exit(7);
}
UNUSED static void follow_it_with_a_handler(struct world *w) {
  world_end(w);
  struct sigaction now;
  signal(SIGSEGV, on_segv);
  *w = world_new();
  struct world other = world_new();
  world_end(w);
  sigaction(SIGSEGV, NULL, &now);
  if (now.sa_handler == on_segv) _exit(8);
  follow_a_root_that_was_not_registered(&other);
}
/* It came after Tidemark's, passes on what it is not about, and outlives the heap. */
static struct sigaction passed_to;
static void pass_on(int number, siginfo_t *info, void *context) {
  static int turns;
  if (++turns > 1) _exit(8);
  passed_to.sa_sigaction(number, info, context);
}
UNUSED static void follow_it_with_a_handler_between(struct world *w) {
  struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO};
  sigaction(SIGSEGV, &action, &passed_to);
  world_end(w);
  *w = world_new();
  follow_a_root_that_was_not_registered(w);
}
static void end_the_last_heap(struct world *w) {
  struct sigaction now;
  world_end(w);
  sigaction(SIGSEGV, NULL, &now);
  _exit(now.sa_handler == SIG_DFL ? 0 : 9);
}

HeapTest(describe, any_address) {
  struct pair *p = held(&w, pair_new(&w, NULL, NULL, 1));
  cr_assert_not_null(strstr(tide_describe(w.heap, &p->right), "byte 8 of the object 0x"));
  cr_assert_not_null(strstr(tide_describe(w.heap, p), ", 32 bytes)"));
  cr_assert_str_eq(tide_describe(w.heap, &w), "outside of the heap");
  cr_assert_str_eq(tide_describe(w.heap, NULL), "outside of the heap");
  cr_assert_str_eq(tide_describe(w.heap, (void *)UINTPTR_MAX), "outside of the heap");
  cr_assert_str_eq(tide_describe(w.heap, (char *)p + (1 << 20)),
                   "free memory of the heap, where an object may have been");
  cr_assert_str_eq(tide_describe(NULL, p), "there is no heap");
}

Test(describe, what_was_reclaimed) {
  setenv("TIDE_VERIFY", "1", 1);
  SCOPED_WORLD w = WORLD(.write_barrier = true);
  struct pair *p = held(&w, pair_new(&w, NULL, NULL, 1));
  cr_assert_not_null(strstr(tide_describe(w.heap, p), "32 bytes, young)"));
  forget(&w);
  cr_assert_not_null(strstr(tide_describe(w.heap, p), "32 bytes, old)"));
  cr_assert_not_null(strstr(tide_describe(w.heap, &forgotten->right),
                            "(layout 'node', 32 bytes), reclaimed 1 collection ago"));
  void *read = (void *)td_freed_word((uintptr_t)forgotten);
  cr_assert_not_null(strstr(tide_describe(w.heap, read), "reclaimed 1 collection ago"));
  read = (void *)td_freed_word((uintptr_t)p);
  cr_assert_not_null(strstr(tide_describe(w.heap, read), "there was one at 0x"));
}

Test(dangling, a_crash_says_whose_memory_it_was) {
#ifndef TD_SANITIZE_address /* which ends the program at the first touch */
  cr_assert_eq(run(follow_a_root_that_was_not_registered), SIGSEGV, "%s", told);
  expect_told("a fault: 0xf3ee");
  expect_told("(layout 'node', 32 bytes), reclaimed 1 collection ago. It was read there");
  cr_assert_eq(run(follow_it_with_a_handler), 7, "%s", told);
  expect_told("reclaimed 1 collection ago");
  cr_assert_eq(run(follow_it_with_a_handler_between), SIGSEGV, "%s", told);
  expect_told("reclaimed 1 collection ago");
#endif
  cr_assert_eq(run(end_the_last_heap), 0, "%s", told);
}

Test(dangling, cells_leave_the_quarantine) {
  setenv("TIDE_VERIFY", "1", 1);
  SCOPED_WORLD w = world_new();
  struct pair *first = pair_new(&w, NULL, NULL, 1);
  tide_handle(w.m, pair_new(&w, NULL, NULL, 2));
  for (unsigned i = 0; i < TD_FREED_AGES; i++) {
    tide_collect(w.m);
    cr_assert_neq(pair_new(&w, NULL, NULL, 3), first, "after %u collections", i + 1);
  }
  tide_collect(w.m);
  struct pair *again = pair_new(&w, NULL, NULL, 4);
  cr_assert_eq(again, first);
  cr_assert_eq((uintptr_t)again->left | (uintptr_t)again->right, 0, "zeroed");
}

/* What is in quarantine must not be what an allocation fails for. */
Test(dangling, a_full_heap_has_no_quarantine) {
  setenv("TIDE_VERIFY", "1", 1);
  SCOPED_WORLD w = WORLD(.heap_max_bytes = (size_t)8 << 20);
  for (int i = 0; i < 6; i++)
    cr_assert_not_null(*tide_handle(w.m, tide_alloc(w.m, TIDE_LAYOUT_LEAF, 1 << 20)));
  for (int i = 0; i < 60; i++) {
    cr_assert_not_null(tide_alloc(w.m, TIDE_LAYOUT_LEAF, 400000), "%d", i);
    cr_assert_not_null(tide_alloc(w.m, TIDE_LAYOUT_LEAF, 20000 + 100 * (size_t)i), "%d", i);
  }
  cr_assert_not_null(tide_alloc(w.m, TIDE_LAYOUT_LEAF, 1900000));
  expect_order(&w);
}

/* Epochs start again while objects of all ages are in quarantine. */
Test(dangling, the_quarantine_outlives_the_epochs) {
  setenv("TIDE_VERIFY", "1", 1);
  SCOPED_WORLD w = world_new();
  struct pair *dead[300];
  tide_handle(w.m, pair_new(&w, NULL, NULL, 1));
  for (int i = 0; i < 300; i++) {
    dead[i] = pair_new(&w, NULL, NULL, 2);
    cr_assert_eq(tide_collect(w.m), TIDE_OK);
    for (int ago = 0; ago < (int)TD_FREED_AGES && ago <= i; ago++)
      cr_assert_eq(td_quarantine_find(&w.heap->space, (uintptr_t)dead[i - ago] + 9).ago,
                   (unsigned)ago + 1);
  }
  uint64_t count = 0;
  tide_heap_walk(w.m, count_visit, &count);
  cr_assert_eq(count, 1);
}

static const size_t freed_sizes[] = {48, 3000, 40000, 1000000};
static size_t freed_size;

/* In a child: Criterion hears of failures in its own processes only. */
static void must(bool good) {
  if (!good) _exit(9);
}

/* Frees an object to which a root still leads. Cells of medium objects need some of their kind. */
static void free_and_hold(struct world *w) {
  void *kept = NULL;
  for (int i = 0; i < 20; i++)
    must((kept = tide_alloc(w->m, TIDE_LAYOUT_LEAF, freed_size)) != NULL);
  must(tide_root_add(w->heap, &kept) == TIDE_OK);
  must(tide_free(w->m, kept) == TIDE_OK);
  tide_collect(w->m);
}

/* Nothing holds the objects but the stack, which is no root here: each is freed at once. */
static void free_and_forget(struct world *w) {
  for (int i = 0; i < 60; i++) {
    void *object = tide_alloc(w->m, TIDE_LAYOUT_LEAF, freed_size);
    must(object != NULL);
    memset(object, 0xee, freed_size);
    must(tide_free(w->m, object) == TIDE_OK);
    if (i % 20 == 0) tide_collect(w->m);
  }
}

/* The sanitizer would tell of it earlier. */
static __attribute__((no_sanitize("address"))) void free_and_write(struct world *w) {
  char *kept = tide_alloc(w->m, TIDE_LAYOUT_LEAF, freed_size);
  must(tide_free(w->m, kept) == TIDE_OK);
  kept[freed_size / 2] ^= 1; /* what it is filled with depends on the address */
  tide_collect(w->m);
}

Test(dangling, freed_objects_of_all_sizes) {
  for (size_t i = 0; i < sizeof freed_sizes / sizeof *freed_sizes; i++) {
    freed_size = freed_sizes[i];
    cr_assert_eq(run(free_and_hold), SIGABRT, "%zu bytes", freed_size);
    expect_told("a root");
    cr_assert_eq(run(free_and_write), SIGABRT, "%zu bytes", freed_size);
    expect_told("was written to");
    cr_assert_eq(run(free_and_forget), 0, "%zu bytes: %s", freed_size, told);
  }
}
