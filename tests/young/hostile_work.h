/* The threads of the hostile program (hostile.c), and what they do. */
#ifndef TD_TESTS_YOUNG_HOSTILE_WORK_H
#define TD_TESTS_YOUNG_HOSTILE_WORK_H

#include "tests/young/hostile.h"

/* What a thread has of a heap: a registered root, so that precise stacks do as well. */
struct mine {
  void *pool[POOL]; /* objects that others may reach, too */
  void *weak[WEAK], *ephemeron[WEAK];
  void *table;          /* a weak table */
  void *alone[PRIVATE]; /* long objects that nobody else reaches */
  void *scratch[SCRATCH];
};
enum kind { POLLS, PRECISE, SIGNALLED };
struct worker {
  uint32_t seed;
  enum kind kind;
  uint64_t steps;
  struct tide_mutator *m[HEAPS];
  struct mine mine[HEAPS];
  void *slots[HEAPS]; /* a weak slot */
  bool child;         /* of a fork */
};

/* The place that an operation works on, and who works. */
struct at {
  struct worker *w;
  struct place *place;
  struct tide_mutator *m;
  struct mine *mine;
  unsigned number;
};

/* Of all threads. */
struct hostile_counts {
  atomic_uint_fast64_t refused, finalized, forks, freed, events;
};
extern struct hostile_counts hostile_counts;

/* Debug builds of the library abort at calls that others refuse. */
#ifdef TD_DEBUG
static const bool may_misuse = false;
#else
static const bool may_misuse = true;
#endif

static inline uint32_t below(struct at *at, uint32_t bound) {
  return random_next(&at->w->seed) % bound;
}

static inline void must_be(bool good, const char *what) {
  if (good) return;
  fprintf(stderr, "not as it should be: %s\n", what);
  abort();
}

size_t some_bytes(struct at *at);
/* Returns an object that is reached, or NULL, and checks all on the way. It is in scratch[0]. */
void *pick(struct at *at);

/* One operation, of those below. */
void hostile_step(struct worker *w);

void hostile_make(struct at *at);
void hostile_store(struct at *at);
void hostile_store_shared(struct at *at);
void hostile_cut(struct at *at);
void hostile_bulk(struct at *at);
void hostile_resize(struct at *at);
void hostile_free_fresh(struct at *at);
void hostile_weak(struct at *at);
void hostile_ephemeron(struct at *at);
void hostile_weak_table(struct at *at);
void hostile_weak_slot(struct at *at);
void hostile_finalizers(struct at *at);
void hostile_handles(struct at *at);
void hostile_roots(struct at *at);
void hostile_pins(struct at *at);
void hostile_fiber(struct at *at);
void hostile_collect(struct at *at);
void hostile_blocking(struct at *at);
void hostile_paused(struct at *at);
void hostile_inspect(struct at *at);
void hostile_configure(struct at *at);
void hostile_nonsense(struct at *at);
void hostile_fork(struct at *at);
void hostile_hear(struct at *at);

#endif
