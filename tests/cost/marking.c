/* SPDX-License-Identifier: MIT */
/* How many instructions marking takes for an object (tests/cost/steps.h). One marker follows the
 * newest child through
 *   list     a list in the order of its addresses
 *   lists    lists whose elements lie far from each other, so that all pass through the window
 *   tree     a binary tree, every object but the leaves with two children, nearly all far away
 *   array    an array whose objects lie in the order of its slots
 * Making the objects is counted with it: 31 instructions. The bounds were recorded when this was
 * written, with a tenth to spare. They are exceeded when the state of the marking loop does not
 * stay in registers. */
#include "tests/cost/steps.h"

enum { LISTS = 64, FEW = 192, MANY = 448 };

struct node {
  struct node *left, *right;
};

static struct tide_mutator *m;
static struct node *roots[LISTS], *all[MANY];

static struct node *new_node(void) {
  struct node *node = new_object(m, TIDE_LAYOUT_REFS, sizeof *node);
  return node;
}

static void steps_prepare(void) {
  struct tide_heap *heap = HEAP(.markers = 1);
  m = ATTACH(heap);
  for (size_t i = 0; i < LISTS; i++)
    CHECK(tide_root_add(heap, &roots[i]) == TIDE_OK);
}

static void collect(void) {
  CHECK(tide_collect(m) == TIDE_OK);
}

/* New objects lie one behind the other. */
static void run_list(size_t objects) {
  struct node *next = NULL;
  for (size_t i = 0; i < objects; i++) {
    all[i] = new_node();
    if (next) next->left = all[i];
    next = all[i];
  }
  roots[0] = all[0];
  collect();
}

/* An element's successor is LISTS objects further on. */
static void run_lists(size_t objects) {
  for (size_t i = 0; i < objects; i++) {
    all[i] = new_node();
    if (i >= LISTS) all[i - LISTS]->left = all[i];
  }
  memcpy(roots, all, sizeof roots);
  collect();
}

/* Level by level: the children of object i are 2 i + 1 and 2 i + 2. */
static void run_tree(size_t objects) {
  for (size_t i = 0; i < objects; i++) {
    all[i] = new_node();
    if (i == 0) continue;
    struct node *parent = all[(i - 1) / 2];
    *(i % 2 ? &parent->left : &parent->right) = all[i];
  }
  roots[0] = all[0];
  collect();
}

static void run_array(size_t objects) {
  struct node **array = new_object(m, TIDE_LAYOUT_REFS, objects * sizeof *array);
  roots[0] = (struct node *)array;
  for (size_t i = 0; i < objects; i++)
    array[i] = new_node();
  collect();
}

int main(void) {
  steps_open();
  double list = per_turn("list", run_list, FEW, MANY);
  double lists = per_turn("lists", run_lists, FEW, MANY);
  double tree = per_turn("tree", run_tree, FEW, MANY);
  double array = per_turn("array", run_array, FEW, MANY);
#if defined(__OPTIMIZE__) && defined(__x86_64__) && !defined(__clang__)
  CHECK(list <= 88 && lists <= 114 && tree <= 132 && array <= 160);
#else
  CHECK(list > 1 && lists > 1 && tree > 1 && array > 1);
#endif
  return 0;
}
