/* SPDX-License-Identifier: MIT */
/* Numbered lists for the drivers: built of fresh objects, and checked. */
#ifndef TD_TESTS_STRESS_LIST_H
#define TD_TESTS_STRESS_LIST_H

#include "tests/stress/driver.h"

struct node {
  struct node *next;
  uint64_t number;
};

static inline tide_layout list_layout(struct tide_heap *heap) {
  const size_t offset = offsetof(struct node, next);
  tide_layout layout = tide_layout_offsets(heap, sizeof(struct node), &offset, 1, NULL);
  CHECK(layout != TIDE_LAYOUT_INVALID);
  return layout;
}

static inline struct node *list_node(struct tide_mutator *m, tide_layout layout, uint64_t number) {
  struct node *fresh = (struct node *)new_object(m, layout, sizeof *fresh);
  CHECK(fresh->next == NULL && fresh->number == 0);
  fresh->number = number;
  return fresh;
}

static inline struct node *list_build(struct tide_mutator *m, tide_layout layout, uint64_t length) {
  struct node *list = NULL;
  for (uint64_t i = 0; i < length; i++) {
    struct node *fresh = list_node(m, layout, i);
    fresh->next = list;
    list = fresh;
  }
  return list;
}

static inline void list_check(const struct node *list, uint64_t length) {
  for (; list; list = list->next)
    CHECK(list->number == --length);
  CHECK(length == 0);
}

#endif
