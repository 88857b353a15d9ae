/* SPDX-License-Identifier: MIT */
/* One table for all finalizers, and the queue of pending ones.
 *
 * An object may have any number that were added, and one that was set. They lie in the table in the
 * order of registration; those of one object form a chain. A removed one leaves a gap, which goes
 * when most of the table is gaps. */
#ifndef TD_GC_WEAK_FINALIZERS_H
#define TD_GC_WEAK_FINALIZERS_H

#include "gc/arrays/table.h"
#include "gc/state/heap.h"

/* Order of one that was added; one that was set has an enum tide_finalizer_order. */
#define TD_FINALIZER_ADDED UINT8_MAX

struct td_finalizer {
  uintptr_t object; /* 0: removed */
  tide_finalizer_fn call;
  void *context;
  size_t next; /* of the same object, in order of registration; TD_TABLE_NONE ends */
  uint8_t order;
  uint8_t fate; /* in a collection, of one that was added: enum td_fate */
};

static inline bool td_finalizer_is_set(const struct td_finalizer *f) {
  return f->object && f->order != TD_FINALIZER_ADDED;
}

/* Those that die, in order of registration: gc/weak/order.h. The collecting thread's. */
struct td_dying {
  struct td_finalizer *at;
  size_t count, capacity;
  bool ordered; /* their fates have been found */
};

#define TD_FINALIZERS_SEEN_LOG2 11u /* bits of the filter */

struct td_finalizers {
  pthread_mutex_t lock; /* of all that follows, and of the weak slots */
  struct td_finalizer *at;
  uintptr_t *held; /* of the same numbers: contexts that are roots, 0 where the context is none */
  size_t count, capacity;
  size_t moves;          /* times that entries have taken the place of gaps */
  size_t added, set;     /* how many of each are registered: the others of `count` are gaps */
  struct td_table index; /* object -> first entry */
  /* Bits by address (a Bloom filter of one hash) of what ever had a finalizer. Set under the lock,
   * read without it by threads that free. */
  _Atomic(uint64_t) seen[(1u << TD_FINALIZERS_SEEN_LOG2) / 64];
  /* Pending: a ring, long enough that queueing cannot fail. The objects stand in an array of their
   * own because they are roots, and so do those contexts that are. */
  struct td_finalizer *pending;
  uintptr_t *pending_objects, *pending_held;
  size_t pending_capacity, pending_first, pending_count;
  size_t pending_before; /* how many when the last collection began */
  struct td_dying dying; /* without the lock */
};

bool td_finalizers_init(struct td_finalizers *f);
void td_finalizers_deinit(struct td_finalizers *f);

/* ---- Under the lock ---- */

/* Registers one of the object that `entry` names. Returns false if there is no memory. */
bool td_finalizers_add(struct td_finalizers *f, const struct td_finalizer *entry);
/* Returns the number of the one that was set, or TD_TABLE_NONE. */
size_t td_finalizers_find_set(const struct td_finalizers *f, uintptr_t object);
void td_finalizers_replace(struct td_finalizers *f, size_t at, const struct td_finalizer *entry);
/* These allocate nothing. */
void td_finalizers_remove(struct td_finalizers *f, size_t at);
/* Removes number `at` and puts it on the queue. */
void td_finalizers_queue(struct td_finalizers *f, size_t at);
/* The same by the program, to which the object may be lost otherwise: what marks beside it does not
 * know of it. */
void td_finalizers_give(struct tide_mutator *mutator, size_t at);

/* ---- In a collection, which holds the lock ---- */

/* Marks what was queued from number `before` of the queue on, with all that it reaches; beside the
 * program that is left to the next phase. */
void td_finalizers_mark_queued(struct tide_heap *heap, size_t before);

/* ---- Taking the lock ---- */

/* Takes the oldest pending one off the queue, of those whose function is `only`, unless that is
 * NULL. Returns false if there is none. */
bool td_finalizers_take(struct td_finalizers *f, tide_finalizer_fn only,
                        struct td_finalizer *taken);
/* Removes those of the object that were added, and with `all` the one that was set. Returns how
 * many. */
size_t td_finalizers_forget(struct td_finalizers *f, uintptr_t object, bool all);

static inline uint32_t td_finalizers_bit(uintptr_t object) {
  /* Fibonacci hashing. */
  return (uint32_t)(((uint64_t)object * 0x9e3779b97f4a7c15u) >> (64 - TD_FINALIZERS_SEEN_LOG2));
}
/* The object is freed. */
static inline void td_finalizers_freed(struct td_finalizers *f, uintptr_t object) {
  uint32_t bit = td_finalizers_bit(object);
  /* relaxed: freeing an object comes after registering it, by the program's own order. */
  uint64_t seen = atomic_load_explicit(&f->seen[bit / 64], memory_order_relaxed);
  if (!TIDE_LIKELY(!(seen >> (bit % 64) & 1))) td_finalizers_forget(f, object, true);
}

#endif
