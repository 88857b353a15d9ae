/* What the hostile program of hostile.c works on: two heaps, and objects of every kind of layout,
 * each of which tells by its own contents whether it is still the one that it was. */
#ifndef TD_TESTS_YOUNG_HOSTILE_H
#define TD_TESTS_YOUNG_HOSTILE_H

#include "tests/stress/driver.h"
#include "tide/advanced.h"
#include "tide/foreign.h"

enum { HEAPS = 2, POOL = 48, WEAK = 12, SHARED = 256, PRIVATE = 3, SCRATCH = 4 };
enum shape {
  PAIR,
  REFS,
  PREFIXED,
  CONSERVATIVE,
  SOME, /* a bitmap of words that may be references */
  TRACED,
  NEAR,
  NAMED,
  REPEATED,
  LEAF,
  UNZEROED,
  SHAPES
};

/* A heap, and what its threads share. Slots of objects that several threads may reach are read and
 * written atomically. */
struct place {
  struct tide_heap *heap;
  tide_layout layout[SHAPES]; /* of REPEATED that of an element; `array` is that of arrays */
  tide_layout array;
  void *shared[SHARED]; /* a registered root; any thread reads and writes */
  void *table;          /* a long array of references; as above */
  void *weak_table;
  pthread_mutex_t table_lock; /* of weak_table; only tried for */
};
#define TABLE_SLOTS 6000u

void place_make(struct place *place, unsigned markers, struct tide_options options);
/* The first thread of the heap fills in what is shared. */
void place_fill(struct place *place, struct tide_mutator *m);

/* Returns NULL if there is no memory. `bytes` is at least 32. The object is nobody else's yet. */
void *object_new(struct place *place, struct tide_mutator *m, enum shape shape, size_t bytes);
/* Ends the process if this is not an object that object_new has made. NULL is allowed. */
void object_check(const struct place *place, const void *object);
/* Returns how many slots the object has, and where they are. */
size_t object_slots(const struct place *place, const void *object);
void **object_slot(const struct place *place, void *object, size_t index);

static inline void *slot_get(void **slot) {
  return __atomic_load_n(slot, __ATOMIC_ACQUIRE);
}
static inline void slot_set(struct tide_mutator *m, void *object, void **slot, void *value) {
  tide_write_begin(m, object, slot, 1);
  __atomic_store_n(slot, value, __ATOMIC_RELEASE);
}

#endif
