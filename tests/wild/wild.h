/* SPDX-License-Identifier: MIT */
/* What the wild driver (wild.c) shares: heaps that come and go, threads that take seats in them,
 * objects of every kind of layout that all threads reach, each of which tells by its own contents
 * whether it is still the one that it was, and chains of which one thread remembers all. */
#ifndef TD_TESTS_WILD_WILD_H
#define TD_TESTS_WILD_WILD_H

#include "tests/stress/driver.h"
#include "tide/advanced.h"
#include "tide/dropin.h"
#include "tide/foreign.h"

enum { PLACES = 4, GUESTS = 3, CHAINS = 12 };
enum { POOL = 48, WEAK = 12, SHARED = 256, PRIVATE = 3, SCRATCH = 4, TABLE_SLOTS = 6000 };
enum shape {
  PAIR,
  REFS,
  CONSERVATIVE,
  SOME, /* a bitmap of words that may be references */
  TRACED,
  SERIAL, /* the same, by one thread at a time */
  NEAR,
  CHAIN_SHAPES, /* those before it have a slot in the second word */
  PREFIXED = CHAIN_SHAPES,
  NAMED,
  REPEATED,
  LEAF,
  UNZEROED,
  SHAPES
};

/* A heap that may be replaced by another while nobody sits there, and what its threads share. Slots
 * of objects that several threads may reach are read and written atomically. */
struct place {
  atomic_int users; /* -1: it is being replaced. Everybody changes it */
  struct tide_heap *heap;
  bool small;
  tide_layout layout[SHAPES]; /* of REPEATED that of an element; `array` is that of arrays */
  tide_layout array;
  void *shared[SHARED]; /* a registered root; any thread reads and writes */
  void *table;          /* a long array of references; as above */
  void *weak_table;
  pthread_mutex_t table_lock; /* of weak_table; only tried for */
};
extern struct place wild_places[PLACES];

/* What a thread has of a heap: a registered root, so that precise stacks do as well. */
struct mine {
  void *pool[POOL]; /* objects that others may reach, too */
  void *weak[WEAK], *ephemeron[WEAK];
  void *table;          /* a weak table */
  void *alone[PRIVATE]; /* long objects that nobody else reaches */
  void *chain[CHAINS];  /* likewise; `shadow` says what hangs there */
  void *scratch[SCRATCH];
};
struct seat {
  struct place *place; /* NULL: nobody sits here */
  struct tide_mutator *m;
  struct mine mine;
  struct {
    uint32_t length, seed;
  } shadow[CHAINS];
  void *slot; /* a weak slot */
};

enum kind { POLLS, PRECISE, SIGNALLED, KINDS };
struct worker {
  uint32_t seed;
  enum kind kind;
  uint64_t steps;
  unsigned generation; /* of forks */
  bool guest, forked;
  struct seat seat[PLACES];
  pthread_t thread;
  struct worker *guests[GUESTS];
};
/* The seat that a step is about, and who sits there. */
struct at {
  struct worker *w;
  struct seat *seat;
  struct place *place;
  struct tide_mutator *m;
  struct mine *mine;
};

extern struct wild_counts {
  atomic_uint_fast64_t forks, heaps, guests, finalized, refused, freed, events;
} wild_counts;
extern bool wild_signals; /* some threads are stopped by a signal */

/* Debug builds of the library abort at calls that others refuse. */
#ifdef TD_DEBUG
static const bool may_misuse = false;
#else
static const bool may_misuse = true;
#endif

static inline uint32_t below_of(struct worker *w, uint32_t bound) {
  return random_next(&w->seed) % bound;
}
static inline uint32_t below(struct at *at, uint32_t bound) {
  return below_of(at->w, bound);
}
static inline void count(atomic_uint_fast64_t *counter) {
  atomic_fetch_add_explicit(counter, 1, memory_order_relaxed); /* a figure */
}
static inline void *slot_get(void **slot) {
  return __atomic_load_n(slot, __ATOMIC_ACQUIRE);
}
static inline void slot_set(struct tide_mutator *m, void *object, void **slot, void *value) {
  tide_write_begin(m, object, slot, 1);
  __atomic_store_n(slot, value, __ATOMIC_RELEASE);
}

/* ---- Heaps (heaps.c) ---- */
/* By a thread of that kind. */
void wild_place_make(struct place *place, enum kind kind, uint32_t *seed);
void wild_place_end(struct place *place, enum kind kind);
void wild_sit(struct worker *w, unsigned number);
/* Gives up the roots; detaches unless the thread's end is to do it. */
void wild_rise(struct worker *w, unsigned number, bool detach);
void wild_replace(struct worker *w);

/* ---- Objects (objects.c) ---- */
void wild_layouts(struct place *place);
/* Returns NULL if there is no memory. `bytes` is at least 32. The object is nobody else's yet. */
void *object_new(struct place *place, struct tide_mutator *m, enum shape shape, size_t bytes);
/* Ends the process if this is not an object that object_new has made. NULL is allowed. */
void object_check(const struct place *place, const void *object);
/* Returns how many slots the object has, and where they are. */
size_t object_slots(const struct place *place, const void *object);
void **object_slot(const struct place *place, void *object, size_t index);
/* Returns a size by chance. */
size_t some_bytes(struct at *at);
/* Returns an object that is reached, or NULL, and checks all on the way. It is in scratch[0]. */
void *pick(struct at *at);

/* ---- Steps ---- */
void wild_step(struct worker *w);
void wild_check_all(struct worker *w);
typedef void wild_act(struct at *at);
wild_act wild_chain, wild_chain_check, wild_chain_change;                            /* chains.c */
wild_act wild_make, wild_store, wild_store_shared, wild_cut, wild_bulk, wild_resize; /* use.c */
wild_act wild_free_fresh, wild_weak, wild_ephemeron, wild_weak_table, wild_weak_slot;
wild_act wild_finalizers;
wild_act wild_handles, wild_roots, wild_pins, wild_fiber; /* roots.c */
wild_act wild_collect, wild_block, wild_pause, wild_look; /* whole.c */
wild_act wild_stand_still, wild_configure, wild_nonsense, wild_hear;

#endif
