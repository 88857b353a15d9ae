/* SPDX-License-Identifier: MIT */
/* Weak tables by content, from several threads, and visits of all entries. */
#include <time.h>

#include "tests/unit/gc/young.h"

struct text {
  uint64_t length;
  char bytes[24];
};

static uint64_t hash(const void *key, void *context) {
  const struct text *text = key;
  uint64_t sum = 0;
  for (uint64_t i = 0; i < text->length; i++)
    sum = sum * 31 + (unsigned char)text->bytes[i];
  ++*(_Atomic(int) *)context;
  return sum % 97; /* many are alike */
}
static bool equal(const void *inside, const void *key, UNUSED void *context) {
  const struct text *a = inside, *b = key;
  return a->length == b->length && memcmp(a->bytes, b->bytes, a->length) == 0;
}

static struct text text_of(int number) {
  struct text text = {0};
  text.length = (uint64_t)snprintf(text.bytes, sizeof text.bytes, "text %d", number);
  return text;
}
static struct text *text_new(struct tide_mutator *m, int number) {
  struct text *text = tide_alloc(m, TIDE_LAYOUT_LEAF, sizeof *text);
  cr_assert_not_null(text);
  *text = text_of(number);
  return text;
}

enum { COUNT = 2000 };

YoungTest(weak_table, interns_by_content) {
  _Atomic(int) asked = 0;
  struct tide_weak_table *table =
      held(&w, tide_weak_table_new_by_content(w.m, hash, equal, (void *)&asked));
  void **kept = held(&w, tide_alloc_array(w.m, TIDE_LAYOUT_REFS, COUNT, sizeof *kept));
  for (int i = 0; i < COUNT; i++) {
    struct text *first = text_new(w.m, i);
    void **handle = tide_handle(w.m, first);
    cr_assert_eq(tide_weak_table_intern(w.m, table, first, NULL), first);
    cr_assert_eq(tide_weak_table_intern(w.m, table, text_new(w.m, i), NULL), first);
    if (i % 2) tide_write(w.m, kept, &kept[i], first);
    *handle = NULL;
    if (i % 500 == 0) cr_assert_eq(tide_collect_young(w.m), TIDE_OK);
  }
  cr_assert_geq(tide_weak_table_count(w.m, table), COUNT / 2);
  cr_assert_gt(asked, 0);
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  cr_assert_eq(tide_weak_table_count(w.m, table), COUNT / 2);
  for (int i = 0; i < COUNT; i++) {
    struct text probe = text_of(i); /* no object */
    cr_assert_eq(tide_weak_table_key(w.m, table, &probe), kept[i]);
    cr_assert_null(tide_weak_table_get(w.m, table, &probe));
  }
  struct text probe = text_of(1);
  cr_assert(tide_weak_table_remove(w.m, table, &probe));
  cr_assert_not(tide_weak_table_remove(w.m, table, &probe));
  cr_assert_null(tide_weak_table_key(w.m, table, &probe));
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  expect_sound(&w);
}

YoungTest(weak_table, keeps_the_key_and_replaces_the_value) {
  _Atomic(int) asked = 0;
  struct tide_weak_table *table =
      held(&w, tide_weak_table_new_by_content(w.m, hash, equal, (void *)&asked));
  struct text *key = held(&w, text_new(w.m, 1)), *other = held(&w, text_new(w.m, 1));
  cr_assert(tide_weak_table_put(w.m, table, key, pair_new(&w, NULL, NULL, 1)));
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  cr_assert(tide_weak_table_put(w.m, table, other, pair_new(&w, NULL, NULL, 2)));
  count_after_young(&w);
  cr_assert_eq(((struct pair *)tide_weak_table_get(w.m, table, other))->number, 2);
  cr_assert_eq(tide_weak_table_key(w.m, table, other), key);
  cr_assert_eq(tide_weak_table_intern(w.m, table, other, w.m), key);
  cr_assert_eq(((struct pair *)tide_weak_table_get(w.m, table, key))->number, 2);
  cr_assert_eq(tide_weak_table_count(w.m, table), 1);
}

static enum tide_weak_visit remove_odd(void *key, void *value, void *context) {
  cr_assert_not_null(key);
  ++*(int *)context;
  return ((struct pair *)value)->number % 2 ? TIDE_WEAK_REMOVE : TIDE_WEAK_KEEP;
}
static enum tide_weak_visit stop_at_once(void *key, void *value, void *context) {
  (void)key, (void)value, (void)context;
  return TIDE_WEAK_STOP;
}

HeapTest(weak_table, visits_and_removes_in_place) {
  struct tide_weak_table *table = held(&w, tide_weak_table_new(w.m));
  int visited = 0;
  for (uint64_t i = 0; i < 1000; i++) {
    struct pair *key = held(&w, pair_new(&w, NULL, NULL, i));
    cr_assert(tide_weak_table_put(w.m, table, key, pair_new(&w, NULL, NULL, i)));
  }
  cr_assert_eq(tide_weak_table_each(w.m, table, remove_odd, &visited), 1000);
  cr_assert_eq(visited, 1000);
  cr_assert_eq(tide_weak_table_count(w.m, table), 500);
  cr_assert_eq(tide_weak_table_each(w.m, table, remove_odd, &visited), 500);
  cr_assert_eq(tide_weak_table_each(w.m, table, stop_at_once, NULL), 1);
}

/* ---- How much there is of it ---- */

/* Returns COUNT keys in an array, all in the table by identity. */
static void **fill(struct world *w, struct tide_weak_table *table) {
  void **keys = held(w, tide_alloc_array(w->m, TIDE_LAYOUT_REFS, COUNT, sizeof *keys));
  for (uint64_t i = 0; i < COUNT; i++) {
    tide_write(w->m, keys, &keys[i], pair_new(w, NULL, NULL, i));
    cr_assert(tide_weak_table_put(w->m, table, keys[i], keys[i]));
  }
  return keys;
}
/* Forgets the keys but each `period`th one. */
static void thin(struct world *w, void **keys, uint64_t period) {
  for (uint64_t i = 0; i < COUNT; i++)
    if (i % period) tide_write(w->m, keys, &keys[i], NULL);
  cr_assert_eq(tide_collect(w->m), TIDE_OK);
}
static void expect_keys(struct world *w, struct tide_weak_table *table, void **keys) {
  for (uint64_t i = 0; i < COUNT; i++)
    if (keys[i]) cr_assert_eq(tide_weak_table_get(w->m, table, keys[i]), keys[i]);
}

static bool add_bytes(UNUSED void *object, size_t bytes, UNUSED tide_layout layout, void *sum) {
  *(size_t *)sum += bytes;
  return true;
}
/* What is alive, without the array of keys. */
static size_t live_bytes(struct world *w) {
  size_t bytes = 0;
  (void)live_after_collect(w);
  cr_assert_eq(tide_heap_walk(w->m, add_bytes, &bytes), TIDE_OK);
  return bytes - COUNT * sizeof(void *);
}

static void expect_small(struct world w) {
  struct tide_weak_table *table = held(&w, tide_weak_table_new(w.m));
  void **keys = fill(&w, table);
  thin(&w, keys, 100);
  cr_assert(tide_weak_table_put(w.m, table, keys[0], NULL)); /* no addition */
  cr_assert(tide_weak_table_put(w.m, table, w.m, NULL));
  (void)live_after_collect(&w); /* for what was marked before it was let go */
  cr_assert_lt(live_bytes(&w), COUNT / 100 * 300);
  cr_assert_eq(tide_weak_table_count(w.m, table), COUNT / 100 + 1);
  cr_assert(tide_weak_table_put(w.m, table, keys[0], keys[0]));
  expect_keys(&w, table, keys);
  world_end(&w);
}

Test(weak_table, shrinks_when_keys_have_died) {
  expect_small(world_new());
  expect_small(world_young());
  expect_small(WORLD(.write_barrier = true, .concurrent = true));
}

HeapTest(weak_table, shrinks_when_entries_were_removed) {
  struct tide_weak_table *table = held(&w, tide_weak_table_new(w.m));
  void **keys = fill(&w, table);
  for (uint64_t i = 0; i < COUNT; i++) {
    cr_assert(tide_weak_table_remove(w.m, table, keys[i]));
    cr_assert_not(tide_weak_table_remove(w.m, table, keys[i]));
  }
  cr_assert(tide_weak_table_put(w.m, table, keys[1], keys[1]));
  thin(&w, keys, COUNT);
  cr_assert_lt(live_bytes(&w), 1000);
}

/* There is room for an entry only. */
Test(weak_table, stays_as_large_without_memory) {
  SCOPED_WORLD w = WORLD(.heap_max_bytes = 4 * MIB);
  struct tide_weak_table *table = held(&w, tide_weak_table_new(w.m));
  void **keys = fill(&w, table), **next = held(&w, tide_alloc(w.m, TIDE_LAYOUT_REFS, 16));
  thin(&w, keys, 20);
  for (size_t bytes = MIB; bytes >= 512; bytes /= 2)
    for (void **more; (more = tide_alloc(w.m, TIDE_LAYOUT_REFS, bytes)) != NULL; *next = more)
      *more = *next;
  cr_assert_eq(tide_alloc_status(w.m), TIDE_ERROR_MEMORY);
  cr_assert(tide_weak_table_put(w.m, table, next, next));
  cr_assert_eq(tide_weak_table_get(w.m, table, next), next);
  expect_keys(&w, table, keys);
}

static uint64_t hash_number(const void *key, void *shift) {
  return ((const struct pair *)key)->number << *(const int *)shift;
}
static bool equal_number(const void *inside, const void *key, void *shift) {
  return hash_number(inside, shift) == hash_number(key, shift);
}
static uint64_t ns_of_hashes(struct world *w, int shift) {
  struct tide_weak_table *table =
      held(w, tide_weak_table_new_by_content(w->m, hash_number, equal_number, &shift));
  struct timespec begin, end;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  for (uint64_t i = 0; i < 20000; i++)
    cr_assert_not_null(tide_weak_table_intern(w->m, table, pair_new(w, NULL, NULL, i), NULL));
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
  return (uint64_t)((end.tv_sec - begin.tv_sec) * 1000000000 + end.tv_nsec - begin.tv_nsec);
}

HeapTest(weak_table, any_bits_of_the_hash_do) {
  uint64_t low = ns_of_hashes(&w, 0);
  cr_assert_lt(ns_of_hashes(&w, 32), 10 * low);
  cr_assert_lt(ns_of_hashes(&w, 44), 10 * low);
}

/* ---- Several mutators ---- */

struct interning {
  struct tide_heap *heap;
  struct tide_weak_table *table;
  enum tide_stop stop;
};

static void *intern(void *data) {
  const struct interning *interning = data;
  SCOPED_MUTATOR m = mutator_of(interning->heap, TIDE_STACK_CONSERVATIVE, interning->stop);
  for (int i = 0; i < 8000; i++) {
    struct text *key = text_new(m, i % 300);
    struct text *symbol = tide_weak_table_intern(m, interning->table, key, NULL);
    cr_assert(symbol && equal(symbol, key, NULL));
    cr_assert_eq(tide_weak_table_key(m, interning->table, key), symbol);
    if (i % 50 == 0) tide_weak_table_each(m, interning->table, stop_at_once, NULL);
    if (i % 70 == 0) tide_weak_table_count(m, interning->table);
    if (i % 2000 == 0) cr_assert_eq(tide_collect(m), TIDE_OK);
  }
  return NULL;
}

static void expect_shared(struct world w, enum tide_stop stop) {
  static _Atomic(int) asked;
  struct interning interning = {w.heap, NULL, stop};
  interning.table = held(&w, tide_weak_table_new_by_content(w.m, hash, equal, (void *)&asked));
  pthread_t threads[3];
  for (int i = 0; i < 3; i++)
    threads[i] = thread_new(intern, &interning);
  threads_end(w.m, threads, 3);
  cr_assert_leq(tide_weak_table_count(w.m, interning.table), 300);
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  expect_sound(&w);
  world_end(&w);
}

Test(weak_table, several_mutators) {
  expect_shared(world_young(), TIDE_STOP_POLL);
  expect_shared(world_new(), TIDE_STOP_SIGNAL);
}

static struct world *inside_of;
UNUSED static uint64_t hash_and_allocate(UNUSED const void *key, void *context) {
  ++*(int *)context;
  cr_assert_null(tide_alloc(inside_of->m, TIDE_LAYOUT_LEAF, 16));
  cr_assert_eq(tide_collect(inside_of->m), TIDE_ERROR_STATE);
  return 1;
}

HeapTest(weak_table, refusals) {
  cr_assert_null(tide_weak_table_new_by_content(w.m, NULL, equal, NULL));
  cr_assert_eq(tide_alloc_status(w.m), TIDE_ERROR_ARGUMENT);
  cr_assert_null(tide_weak_table_new_by_content(w.m, hash, NULL, NULL));
  cr_assert_null(tide_weak_table_intern(w.m, NULL, &w, NULL));
  struct tide_weak_table *table = held(&w, tide_weak_table_new(w.m));
  cr_assert_not(tide_weak_table_put(w.m, table, NULL, NULL));
  cr_assert_null(tide_weak_table_get(w.m, NULL, table));
  cr_assert_null(tide_weak_table_intern(w.m, table, NULL, NULL));
  cr_assert_null(tide_weak_table_key(w.m, table, NULL));
  cr_assert_null(tide_weak_table_key(w.m, NULL, &w));
  cr_assert_eq(tide_weak_table_each(w.m, table, NULL, NULL), 0);
  cr_assert_eq(tide_weak_table_each(w.m, NULL, stop_at_once, NULL), 0);
#ifndef TD_DEBUG
  struct tide_weak_table *none = (struct tide_weak_table *)held(&w, pair_new(&w, NULL, NULL, 1));
  cr_assert_not(tide_weak_table_put(w.m, none, none, NULL));
  cr_assert_null(tide_weak_table_get(w.m, none, none));
  cr_assert_null(tide_weak_table_intern(w.m, (void *)&w, none, NULL));
  cr_assert_not(tide_weak_table_remove(w.m, none, none));
  cr_assert_eq(tide_weak_table_count(w.m, none), 0);
  cr_assert_eq(tide_weak_table_each(w.m, none, stop_at_once, NULL), 0);
  int count = 0;
  inside_of = &w;
  struct tide_weak_table *other =
      held(&w, tide_weak_table_new_by_content(w.m, hash_and_allocate, equal, &count));
  cr_assert_null(tide_weak_table_key(w.m, other, &w));
  cr_assert_eq(count, 1);
#endif
}
