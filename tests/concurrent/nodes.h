/* SPDX-License-Identifier: MIT */
/* Such a heap, an array of roots in it, and numbered objects: what several drivers share. */
#ifndef TD_TESTS_CONCURRENT_NODES_H
#define TD_TESTS_CONCURRENT_NODES_H

#include "tests/concurrent/held.h"
#include "tests/stress/list.h"
#include "tide/weak.h"

enum { ROOTS = 64 };

static struct held h;
static tide_layout layout;
static struct node **roots; /* an array in the heap */

static inline struct node *make(uint64_t number) {
  return list_node(h.m, layout, number);
}

static inline void put(size_t i, struct node *node) {
  tide_write(h.m, roots, &roots[i], node);
}

static __attribute__((noinline, unused)) void build_chain(void) {
  put(0, make(1));
  roots[0]->next = make(2);
  roots[0]->next->next = make(3);
}

enum { MANY = 20000 };
static inline void make_many(void) {
  for (uint64_t i = 0; i < MANY; i++)
    make(~i);
}

static inline void nodes_open(size_t heap_max_bytes) {
  held_open(&h, &OPTIONS(.heap_max_bytes = heap_max_bytes));
  layout = list_layout(h.heap);
  CHECK(tide_root_add(h.heap, &roots) == TIDE_OK);
  roots = tide_alloc_array(h.m, TIDE_LAYOUT_REFS, ROOTS, sizeof *roots);
  CHECK(roots);
}

/* Calls each with no collection going on and all roots empty. Its handles go with it. */
#define RUN_EACH(...) run_each((void (*const[])(void)){__VA_ARGS__, NULL})
static inline void run_each(void (*const *test)(void)) {
  for (; *test; test++) {
    for (size_t i = 0; i < ROOTS; i++)
      put(i, NULL);
    CHECK(tide_collect(h.m) == TIDE_OK);
    size_t scope = tide_scope_open(h.m);
    (*test)();
    CHECK(tide_scope_close(h.m, scope) == TIDE_OK);
  }
}

#endif
