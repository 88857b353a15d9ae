/* SPDX-License-Identifier: MIT */
/* tide_object_find, by threads that look anywhere while others allocate, free and collect. */
#include "tests/unit/gc/common.h"
#include "tide/dropin.h"

enum { LOOKERS = 2, LOOKS = 300000, KEPT = 512 };

static struct world w;
static _Atomic(bool) ended;

static struct tide_mutator *attach(void) {
  struct tide_mutator *m = tide_attach(w.heap, NULL, NULL);
  cr_assert_not_null(m);
  return m;
}

static size_t size_of(unsigned *seed) {
  int kind = rand_r(seed) % 64;
  if (kind == 0) return 200000 + (size_t)(rand_r(seed) % 900000);
  if (kind < 4) return 33000 + (size_t)(rand_r(seed) % 60000);
  return 1 + (size_t)(rand_r(seed) % 3000);
}

static void *churn(void *data) {
  SCOPED_MUTATOR m = attach();
  unsigned seed = *(const unsigned *)data;
  char *volatile kept[KEPT] = {NULL};
  /* relaxed: a flag. */
  while (!atomic_load_explicit(&ended, memory_order_relaxed)) {
    char *volatile *slot = &kept[rand_r(&seed) % KEPT];
    if (*slot) cr_assert_eq(tide_free(m, *slot), TIDE_OK);
    *slot = tide_alloc(m, TIDE_LAYOUT_LEAF, size_of(&seed));
    if (rand_r(&seed) % 4096 == 0) tide_collect(m);
  }
  return NULL;
}

static void look(struct tide_mutator *m, char *base, size_t range, unsigned *seed) {
  char *own = tide_alloc(m, TIDE_LAYOUT_LEAF, size_of(seed));
  size_t bytes = tide_object_bytes(w.heap, own);
  cr_assert_geq(bytes, 1);
  cr_assert_eq(tide_object_find(w.heap, own + bytes - 1), own);
  size_t own_bytes = 0;
  cr_assert_eq(tide_cell_find(w.heap, own + bytes - 1, &own_bytes), own);
  cr_assert_eq(own_bytes, bytes);
  cr_assert_eq(tide_cell_bytes(w.heap, own), bytes);
  for (int i = 0; i < 64; i++) {
    char *at = base + ((size_t)rand_r(seed) << 8 ^ (size_t)rand_r(seed)) % range;
    const char *found = tide_object_find(w.heap, at);
    cr_assert(!found || found <= at);
    size_t cell_bytes;
    const char *cell = tide_cell_find(w.heap, at, &cell_bytes);
    cr_assert(!cell || (cell <= at && at < cell + cell_bytes));
    cr_assert_leq(tide_cell_bytes(w.heap, at), (size_t)2 << 20);
  }
}

static void *look_about(void *data) {
  SCOPED_MUTATOR m = attach();
  unsigned seed = *(const unsigned *)data;
  char *volatile first = tide_alloc(m, TIDE_LAYOUT_LEAF, 64);
  char *base = (char *)((uintptr_t)first & ~(uintptr_t)0xfffff);
  for (int i = 0; i < LOOKS / 64; i++)
    look(m, base, (size_t)48 << 20, &seed);
  return NULL;
}

Test(finding, anywhere_while_others_allocate_and_collect) {
  pthread_t churns, lookers[LOOKERS];
  unsigned seeds[LOOKERS + 1] = {1, 2, 3};
  w = world_new();
  churns = thread_new(churn, &seeds[LOOKERS]);
  for (int i = 0; i < LOOKERS; i++)
    lookers[i] = thread_new(look_about, &seeds[i]);
  threads_end(w.m, lookers, LOOKERS);
  atomic_store_explicit(&ended, true, memory_order_relaxed); /* relaxed: a flag */
  thread_end(w.m, churns);
  world_end(&w);
}

static void expect_cell(char *object, size_t bytes) {
  size_t found = 0;
  cr_assert_eq(tide_cell_find(w.heap, object, NULL), object);
  cr_assert_eq(tide_cell_find(w.heap, object + bytes - 1, &found), object);
  cr_assert_eq(found, bytes);
  cr_assert_eq(tide_cell_bytes(w.heap, object), bytes);
  cr_assert_eq(tide_cell_bytes(w.heap, object + bytes - 1), bytes);
}

/* Sizes of small, medium and large objects, and a large one that gets longer. */
Test(cells, are_found_freed_or_not) {
  static const size_t sizes[] = {16, 48, 3008, 40000, 200000};
  w = world_new();
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    char *object = tide_alloc(w.m, TIDE_LAYOUT_LEAF, sizes[i]);
    expect_cell(object, tide_object_bytes(w.heap, object));
  }
  char *large = tide_alloc(w.m, TIDE_LAYOUT_LEAF, 200000);
  cr_assert(tide_resize_in_place(w.m, large, 130000));
  expect_cell(large, tide_object_bytes(w.heap, large));
  char *small = tide_alloc(w.m, TIDE_LAYOUT_LEAF, 48);
  cr_assert_eq(tide_free(w.m, small), TIDE_OK);
  expect_cell(small, 48);
  cr_assert_eq(tide_free(w.m, large), TIDE_OK);
  cr_assert_null(tide_cell_find(w.heap, large, NULL));
  cr_assert_eq(tide_cell_bytes(w.heap, large), 0);
  world_end(&w);
}

Test(cells, are_none_elsewhere) {
  size_t bytes = 7;
  w = world_new();
  cr_assert_null(tide_cell_find(NULL, &w, &bytes));
  cr_assert_null(tide_cell_find(w.heap, NULL, &bytes));
  cr_assert_null(tide_cell_find(w.heap, &bytes, &bytes));
  cr_assert_eq(bytes, 7);
  cr_assert_eq(tide_cell_bytes(NULL, &w), 0);
  cr_assert_eq(tide_cell_bytes(w.heap, &bytes), 0);
  world_end(&w);
}

static void *look_without_mutator(void *object) {
  expect_cell(object, 48);
  cr_assert_eq(tide_object_find(w.heap, (char *)object + 40), object);
  return NULL;
}

/* By threads without a mutator, in a blocking section, and with a mutator of another heap, too. */
Test(cells, are_found_by_any_thread) {
  pthread_t thread;
  w = world_new();
  void **held = tide_handle(w.m, tide_alloc(w.m, TIDE_LAYOUT_LEAF, 48));
  struct world other = world_new();
  look_without_mutator(*held);
  tide_blocking_enter(w.m);
  tide_blocking_enter(other.m);
  look_without_mutator(*held);
  thread = thread_new(look_without_mutator, *held);
  pthread_join(thread, NULL);
  tide_blocking_leave(other.m);
  tide_blocking_leave(w.m);
  world_end(&other);
  world_end(&w);
}
