/* What the wild driver (wild.c) shares: heaps that come and go, threads that take seats in them,
 * and chains of objects of which each thread remembers what they ought to hold. */
#ifndef TD_TESTS_WILD_WILD_H
#define TD_TESTS_WILD_WILD_H

#include "tests/stress/driver.h"
#include "tide/advanced.h"
#include "tide/dropin.h"

enum { PLACES = 4, SLOTS = 12, GUESTS = 3, LAYOUTS = 8 };

/* A heap that may be replaced by another while nobody sits there. */
struct place {
  atomic_int users; /* -1: it is being replaced. Everybody changes it */
  struct tide_heap *heap;
  tide_layout layout[LAYOUTS];
  bool small;
};
extern struct place wild_places[PLACES];

/* A thread's seat in a heap. `held` is a registered root; the shadow says what hangs there. */
struct seat {
  struct place *place; /* NULL: nobody sits here */
  struct tide_mutator *m;
  void *held[SLOTS];
  struct {
    uint32_t length, seed;
    bool told; /* something else may refer to one of these, a dead object perhaps */
  } shadow[SLOTS];
  void *weak, *ephemeron, *table, *spare;
};

enum kind { POLLS, PRECISE, SIGNALLED, KINDS };
struct worker {
  uint32_t seed;
  enum kind kind;
  uint64_t steps;
  unsigned generation; /* of forks; guests are one more */
  bool guest, forked;
  struct seat seat[PLACES];
  pthread_t thread;
  struct worker *guests[GUESTS];
};

extern atomic_uint_fast64_t wild_forks, wild_heaps, wild_guests, wild_finalized, wild_refused;
extern bool wild_signals; /* some threads are stopped by a signal */

static inline uint32_t below(struct worker *w, uint32_t bound) {
  return random_next(&w->seed) % bound;
}

/* ---- Heaps (heaps.c) ---- */
void wild_place_make(struct place *place, uint32_t *seed);
void wild_sit(struct worker *w, unsigned number);
/* Gives up the roots; detaches unless the thread's end is to do it. */
void wild_rise(struct worker *w, unsigned number, bool detach);
void wild_replace(struct worker *w);
void wild_configure(struct worker *w, struct seat *seat);

/* ---- Objects (objects.c) ---- */
void wild_layouts(struct place *place);
/* Hangs a fresh chain at a slot, or nothing if there is no memory. */
void wild_build(struct worker *w, struct seat *seat);
void wild_check(const struct seat *seat, unsigned slot);
void wild_check_all(const struct seat *seat);
void wild_change(struct worker *w, struct seat *seat);
void wild_weak(struct worker *w, struct seat *seat);
void wild_finalizers(struct worker *w, struct seat *seat);
void wild_handles(struct worker *w, struct seat *seat);

/* ---- Roots, stops, looks (acts.c) ---- */
void wild_roots(struct worker *w, struct seat *seat);
void wild_collect(struct worker *w, struct seat *seat);
void wild_block(struct worker *w, struct seat *seat);
void wild_pause(struct worker *w, struct seat *seat);
void wild_look(struct worker *w, struct seat *seat);
void wild_stand_still(struct worker *w, struct seat *seat);

void wild_step(struct worker *w);

#endif
