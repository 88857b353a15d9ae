/* SPDX-License-Identifier: MIT */
/* Young collections between those that mark beside the program: meanwhile nothing is young, and
 * nothing is logged. */
#include "tests/concurrent/held.h"

struct node {
  struct node *next;
  uint64_t number;
};

static struct held h;
static tide_layout layout;
static struct node **roots; /* an array in the heap */
enum { ROOTS = 64 };

static struct node *make(uint64_t number) {
  struct node *node = tide_alloc(h.m, layout, sizeof *node);
  CHECK(node);
  node->number = number;
  return node;
}

static void put(size_t i, struct node *node) {
  tide_write(h.m, roots, &roots[i], node);
}

static __attribute__((noinline)) void build_chain(void) {
  put(0, make(1));
  roots[0]->next = make(2);
  roots[0]->next->next = make(3);
}

static struct tide_heap_stats figures(void) {
  struct tide_heap_stats stats;
  tide_heap_stats(h.heap, &stats);
  return stats;
}

static uint64_t promoted(void) {
  const uint64_t before = figures().promoted_bytes;
  CHECK(tide_collect_young(h.m) == TIDE_OK);
  return figures().promoted_bytes - before;
}

enum { MANY = 20000 };
static void make_many(void) {
  for (uint64_t i = 0; i < MANY; i++)
    make(~i);
}

/* What was young in the first stop is old in the last; what was logged before is nobody's concern
 * afterwards, and what is stored then is logged. */
static void what_is_young_lives_over_it(void) {
  CHECK(tide_collect_young(h.m) == TIDE_OK);
  build_chain();
  held_begin(&h);
  roots[0]->next->next->number = 33;
  make_many(); /* old at once */
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
  for (size_t i = 0; i < ROOTS; i++)
    put(i, NULL);
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

/* One that the program wants meanwhile comes next. */
static void a_young_collection_waits(void) {
  struct held_other other = {.collect = tide_collect_young};
  const struct tide_heap_stats before = figures();
  held_other_begin(&h, &other);
  make_many(); /* and none comes for it */
  CHECK(figures().young_collections == before.young_collections);
  held_other_end(&other);
  CHECK(figures().young_collections == before.young_collections + 1);
  CHECK(figures().collections == before.collections + 2);
}

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
  held_open(&h);
  const size_t reference = offsetof(struct node, next);
  layout = tide_layout_offsets(h.heap, sizeof(struct node), &reference, 1, NULL);
  CHECK(tide_root_add(h.heap, &roots) == TIDE_OK);
  roots = tide_alloc_array(h.m, TIDE_LAYOUT_REFS, ROOTS, sizeof *roots);
  CHECK(roots && tide_heap_set_young(h.heap, TIDE_YOUNG_ALWAYS) == TIDE_OK);
  static void (*const all[])(void) = {
      what_is_young_lives_over_it,
      what_is_made_around_the_stops_lives,
      a_young_collection_waits,
      they_can_be_switched_off,
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    CHECK(tide_collect(h.m) == TIDE_OK); /* so that none goes on */
    all[i]();
  }
  CHECK(tide_root_remove(h.heap, &roots) == TIDE_OK);
  held_close(&h);
  return 0;
}
