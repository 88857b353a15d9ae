/* SPDX-License-Identifier: MIT */
/* A shadow of the heap: what every object ought to hold, kept in memory of its own, and what a
 * collection ought to leave. Objects have numbers here; 0 is none. */
#ifndef TD_TESTS_YOUNG_SHADOW_H
#define TD_TESTS_YOUNG_SHADOW_H

#include "tests/stress/driver.h"

enum shape {
  PAIR,         /* two references and a number */
  REFS,         /* references, few to more than a page of them */
  PREFIXED,     /* a number, then references */
  REPEATED,     /* an array of pairs */
  BITMAP_LONG,  /* a bitmap of more than 64 words */
  CONSERVATIVE, /* words that may be references */
  TRACED,       /* references that a function tells of */
  LEAF,         /* a number */
  WEAK,
  EPHEMERON, /* slot 0 is the key, slot 1 the value */
  SHAPES
};

struct node {
  uintptr_t at;
  enum shape shape;
  bool lives, old, seen;
  bool may_be_old;       /* in the cell of an old object that was freed: the heap knows */
  uint32_t count, *slot; /* numbers of the objects that the slots refer to */
};

#define ROOTS 64u
#define FREED_MOST 1024u
struct shadow {
  struct tide_heap *heap;
  struct tide_mutator *m;
  bool concurrent; /* collections go on beside the program: they may leave more than is reached */
  tide_layout layout[SHAPES];
  struct node *node; /* by number */
  uint32_t count, capacity, free;
  uint32_t root[ROOTS];
  void *cell[ROOTS]; /* registered in several ways */
  void **handle[ROOTS];
  void *fresh; /* allocated since the collection, and not in the shadow yet; a root */
  uint32_t freed_count;
  uintptr_t freed[FREED_MOST]; /* old objects, since the last collection */
  uint32_t *list, listed;      /* while what is reached is found out */
  uint64_t collections, alive; /* alive: after the last collection */
  const char *difference;      /* what differed first, or NULL */
};

void shadow_open(struct shadow *s, struct tide_heap *heap, struct tide_mutator *m, bool concurrent);
void shadow_close(struct shadow *s);

/* The address of a slot of the object. Not for weak references and ephemerons. */
void **shadow_slot(const struct shadow *s, uint32_t number, uint32_t index);
uint32_t shadow_add(struct shadow *s, enum shape shape, void *object, uint32_t slots);
void shadow_free(struct shadow *s, uint32_t number);
void shadow_resize(struct shadow *s, uint32_t number, uint32_t slots);
/* The object that ends at that address, or 0. */
uint32_t shadow_before(const struct shadow *s, uintptr_t at);
void shadow_set_root(struct shadow *s, uint32_t root, uint32_t number);

/* Forgets what is not reached. If collections go on beside the program, it may not be touched. */
void shadow_settle(struct shadow *s);

/* A collection of that kind has happened: compares the heap with what it ought to have left. */
void shadow_collected(struct shadow *s, enum tide_cycle_kind kind);

#endif
