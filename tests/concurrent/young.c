/* SPDX-License-Identifier: MIT */
/* Young collections between those that mark beside the program, and while they mark. */
#include "gc/cycle/young_beside.h"
#include "gc/state/heap.h"
#include "tests/concurrent/nodes.h"

#define HEAP_BYTES ((size_t)24 << 20)

static struct tide_heap_stats figures(void) {
  return stats_of(h.heap);
}

static uint64_t promoted(void) {
  const uint64_t before = figures().promoted_bytes;
  CHECK(tide_collect_young(h.m) == TIDE_OK);
  return figures().promoted_bytes - before;
}

/* What was young in the first stop is old in the last; what was logged before is nobody's concern
 * afterwards, and what is stored then is logged. */
static void what_is_young_lives_over_it(void) {
  CHECK(tide_collect_young(h.m) == TIDE_OK);
  build_chain();
  held_begin(&h);
  roots[0]->next->next->number = 33;
  make_many();
  held_end(&h);
  CHECK(promoted() < MANY * sizeof(struct node) / 2);
  for (size_t i = 1; i < ROOTS; i++)
    put(i, make(i));
  tide_write(h.m, roots[0]->next, &roots[0]->next->next, make(34));
  make_many();
  const uint64_t bytes = promoted();
  CHECK(bytes >= ROOTS * sizeof(struct node) && bytes < MANY * sizeof(struct node) / 2);
  make_many();
  CHECK(roots[0]->number == 1 && roots[0]->next->next->number == 34);
  for (size_t i = 1; i < ROOTS; i++)
    CHECK(roots[i]->number == i);
}

/* Their first stores need no barrier, wherever the run was that they come from. */
static void what_is_made_around_the_stops_lives(void) {
  for (uint64_t round = 0; round < 20; round++) {
    const uint64_t before = held_collections(&h);
    struct node *last = NULL;
    CHECK(tide_collect_begin(h.m) == TIDE_OK);
    for (uint64_t i = 0; held_collections(&h) == before; i++) {
      struct node *made = make(i);
      made->next = last;
      put(0, last = made);
    }
    CHECK(tide_collect_young(h.m) == TIDE_OK);
    make_many();
    for (const struct node *node = roots[0]; node->next; node = node->next)
      CHECK(node->number == node->next->number + 1);
    put(0, NULL);
  }
}

/* ---- While one marks ---- */

/* What dies makes room again and again, in a heap a fourth as large. */
static void the_young_die_meanwhile(void) {
  const struct tide_heap_stats before = figures();
  build_chain();
  held_begin(&h);
  while (figures().allocated_bytes - before.allocated_bytes < 4 * HEAP_BYTES)
    make_many();
  struct tide_heap_stats after = figures();
  CHECK(after.young_collections > before.young_collections + 1);
  CHECK(after.degenerate_collections == before.degenerate_collections);
  struct tide_cycle_stats cycle = held_end(&h);
  CHECK(!cycle.stopped_because && cycle.stops == 3);
  CHECK(roots[0]->number == 1 && roots[0]->next->next->number == 3);
}

static struct tide_cycle_stats collect_young(void) {
  CHECK(tide_collect_young(h.m) == TIDE_OK);
  struct tide_cycle_stats cycle = cycle_of(h.heap);
  CHECK(cycle.kind == TIDE_CYCLE_YOUNG && cycle.pause_ns > 0);
  return cycle;
}

/* Whatever it was, it makes no room in the heap. */
static void memory_outside_is_not_freed(void) {
  held_begin(&h);
  CHECK(tide_external_add(h.m, 1 << 20) == TIDE_OK);
  collect_young();
  CHECK(h.heap->young_beside->freed_bytes < 1 << 20);
  CHECK(tide_external_add(h.m, -(1 << 20)) == TIDE_OK);
  held_end(&h);
}

/* What is stored into old objects of all kinds lives, and what that leads to; not what was. */
static void what_is_written_meanwhile_lives(void) {
  enum { LONG = 5000 };
  struct node ***table = (struct node ***)tide_handle(
      h.m, tide_alloc_array(h.m, TIDE_LAYOUT_REFS, LONG, sizeof(void *)));
  uintptr_t **words =
      (uintptr_t **)tide_handle(h.m, tide_alloc(h.m, TIDE_LAYOUT_CONSERVATIVE, 8192));
  build_chain();
  held_begin(&h);
  tide_write(h.m, roots[0]->next, &roots[0]->next->next, make(30));
  roots[0]->next->next->next = make(31);
  tide_write(h.m, *table, &(*table)[LONG - 1], make(32));
  tide_write_begin(h.m, *words, *words, 1000);
  (*words)[999] = (uintptr_t)make(33) + 8;
  put(1, make(34));
  put(1, make(35));
  make_many();
  collect_young();
  make_many();
  CHECK(collect_young().logged == 0);
  CHECK(roots[0]->next->next->number == 30 && roots[0]->next->next->next->number == 31);
  CHECK((*table)[LONG - 1]->number == 32 && roots[1]->number == 35);
  CHECK(((struct node *)((*words)[999] - 8))->number == 33);
  /* What has lived over it is old, and what it gets is written, too. */
  tide_write(h.m, roots[1], &roots[1]->next, make(36));
  make_many();
  collect_young();
  make_many();
  held_end(&h);
  CHECK(tide_collect(h.m) == TIDE_OK);
  make_many();
  CHECK(roots[1]->next->number == 36 && (*table)[LONG - 1]->number == 32);
}

enum { WEAK = 20 };
static int finalized;
static void finalize(void *object, void *context) {
  finalized += ((struct node *)object)->number == 40;
}

static __attribute__((noinline)) void build_weak(struct tide_weak **weak,
                                                 struct tide_ephemeron **ephemeron) {
  struct node **key = (struct node **)tide_handle(h.m, make(41));
  *weak = tide_weak_new(h.m, *key, TIDE_WEAK_BEFORE);
  *ephemeron = tide_ephemeron_new(h.m, *key, make(42));
  CHECK(tide_finalizer_add(h.m, make(40), finalize, NULL) == TIDE_OK);
  *key = NULL;
}

/* What is young and weakly reachable, or has a finalizer, is left to a full collection. A word on
 * the stack may keep one or two of them. */
static void what_is_weak_meanwhile_waits(void) {
  struct tide_weak **weak[WEAK];
  struct tide_ephemeron **ephemeron[WEAK];
  held_begin(&h);
  for (int i = 0; i < WEAK; i++) {
    weak[i] = (struct tide_weak **)tide_handle(h.m, NULL);
    ephemeron[i] = (struct tide_ephemeron **)tide_handle(h.m, NULL);
    build_weak(weak[i], ephemeron[i]);
  }
  make_many();
  collect_young();
  make_many();
  for (int i = 0; i < WEAK; i++) {
    CHECK(((struct node *)tide_ephemeron_value(h.m, *ephemeron[i]))->number == 42);
    CHECK(((struct node *)tide_weak_get(h.m, *weak[i]))->number == 41);
  }
  CHECK(finalized == 0);
  held_end(&h);
  CHECK(tide_collect(h.m) == TIDE_OK && tide_collect(h.m) == TIDE_OK);
  while (tide_finalizers_run(h.m, 100) > 0)
    continue;
  int cleared = 0;
  for (int i = 0; i < WEAK; i++) {
    cleared += !tide_weak_get(h.m, *weak[i]) && !tide_ephemeron_key(h.m, *ephemeron[i]);
  }
  CHECK(finalized >= WEAK - 2 && cleared >= WEAK - 2);
}

/* A thread stores the only reference, and is gone before the young are collected. */
static void *write_and_leave(void *argument) {
  SCOPED_MUTATOR m = ATTACH(h.heap);
  tide_write(m, roots, &roots[0], list_node(m, layout, 50));
  return NULL;
}

static void who_has_left_has_written(void) {
  held_begin(&h);
  thread_end(h.m, thread_new(write_and_leave, NULL));
  CHECK(collect_young().logged >= 1);
  make_many();
  CHECK(roots[0]->number == 50);
  held_end(&h);
}

/* Long objects are given back, and those of more than a block live. */
static void long_ones_die_meanwhile(void) {
  held_begin(&h);
  const struct tide_heap_stats before = figures();
  put(0, tide_alloc(h.m, TIDE_LAYOUT_REFS, (size_t)1 << 20));
  put(1, tide_alloc(h.m, TIDE_LAYOUT_REFS, 50000));
  for (int i = 0; i < 100; i++)
    CHECK(tide_alloc(h.m, TIDE_LAYOUT_REFS, 50000) && tide_alloc(h.m, TIDE_LAYOUT_REFS, 100000));
  collect_young();
  CHECK(figures().heap_bytes < before.heap_bytes + ((size_t)4 << 20));
  make_many();
  CHECK(tide_object_bytes(h.heap, roots[0]) >= (size_t)1 << 20);
  CHECK(tide_object_bytes(h.heap, roots[1]) >= 50000);
  held_end(&h);
}

/* Functions that are told of the dead: from here on all is old from its first moment. Last. */
static void reclaimed(void *object, size_t bytes, void *context) {}

static void a_layout_ends_it(void) {
  held_begin(&h);
  put(0, make(60));
  CHECK(tide_layout_on_reclaim(h.heap, layout, reclaimed, NULL, NULL) != TIDE_LAYOUT_INVALID);
  const uint64_t before = figures().young_collections;
  while (figures().heap_bytes < HEAP_BYTES / 2)
    make_many();
  CHECK(figures().young_collections == before && roots[0]->number == 60);
  CHECK(!held_end(&h).stopped_because);
}

/* ---- Without them ---- */

/* Without them there is no third stop, and they begin again with one. */
static void they_can_be_switched_off(void) {
  CHECK(tide_heap_set_young(h.heap, TIDE_YOUNG_NEVER) == TIDE_OK);
  held_begin(&h);
  CHECK(held_end(&h).stops == 2);
  const uint64_t before = figures().young_collections;
  for (int i = 0; i < 20; i++)
    make_many();
  CHECK(figures().young_collections == before);
  CHECK(tide_heap_set_young(h.heap, TIDE_YOUNG_ALWAYS) == TIDE_OK);
  held_begin(&h);
  CHECK(held_end(&h).stops == 3);
}

int main(void) {
  nodes_open(HEAP_BYTES);
  CHECK(tide_heap_set_young(h.heap, TIDE_YOUNG_ALWAYS) == TIDE_OK);
  RUN_EACH(what_is_young_lives_over_it, what_is_made_around_the_stops_lives,
           the_young_die_meanwhile, memory_outside_is_not_freed, what_is_written_meanwhile_lives,
           what_is_weak_meanwhile_waits, who_has_left_has_written, long_ones_die_meanwhile,
           they_can_be_switched_off, a_layout_ends_it);
  held_close(&h);
  return 0;
}
