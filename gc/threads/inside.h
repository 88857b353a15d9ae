/* SPDX-License-Identifier: MIT */
/* Threads that a signal may stop anywhere (TIDE_STOP_SIGNAL) may not be stopped inside Tidemark:
 * they could hold one of its locks, or be in the middle of a change. So functions that take a lock
 * or change what a collection reads hold stops off:
 *
 *   TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
 *
 * The end of the scope lets stops through again, and answers one that came meanwhile. Such scopes
 * nest. For threads without such a mutator they cost a few instructions.
 *
 * Everything here is read and written by the thread itself and its signal handler, so relaxed
 * accesses and fences for the compiler do. */
#ifndef TD_GC_THREADS_INSIDE_H
#define TD_GC_THREADS_INSIDE_H

#include "gc/threads/thread.h"

static inline uint32_t td_inside_depth(const struct td_self *self) {
  return atomic_load_explicit(&self->inside, memory_order_relaxed); /* relaxed: see above */
}

static inline void td_inside_set(struct td_self *self, uint32_t depth) {
  atomic_signal_fence(memory_order_seq_cst);
  atomic_store_explicit(&self->inside, depth, memory_order_relaxed); /* relaxed: see above */
  atomic_signal_fence(memory_order_seq_cst);
}

/* Returns whether no stopper wants the thread to stop, as far as a quick look tells. A thread that
 * blocks the signal still finds `stop`. */
static inline bool td_is_unasked(const struct td_self *self) {
  const struct tide_mutator *m = self->mutators;
  /* relaxed: a hint, as in tide_safepoint; what it misses the signal brings. */
  return !self->put_off && !self->at_doors && m && !m->thread_next &&
         !__atomic_load_n(&m->fast.stop, __ATOMIC_RELAXED);
}

/* The thread has come out, or has gone in: then it waits for nothing but a fork. */
static inline void td_inside_answer(struct td_self *self) {
  if (self->answer && !TIDE_LIKELY(td_is_unasked(self))) self->answer(self);
}
static inline void td_inside_enter(struct td_self *self) {
  if (!TIDE_LIKELY(!self->at_doors)) self->answer(self);
}

static inline struct td_self *td_inside_begin(void) {
  struct td_self *self = td_self();
  td_inside_set(self, td_inside_depth(self) + 1);
  td_inside_enter(self);
  return self;
}

static inline void td_inside_end(struct td_self *const *inside) {
  struct td_self *self = *inside;
  td_inside_set(self, td_inside_depth(self) - 1);
  td_inside_answer(self);
}

#define TD_HOLDS_STOPS __attribute__((cleanup(td_inside_end), unused))

/* The same for the way to allocate, without a look at the data of threads that no signal stops. It
 * nests, too: a callback of a collection that an allocation began may allocate, which is refused,
 * or write. Of another thread's mutator, which is refused further on, nothing is changed. */
static inline void td_allocation_add(struct tide_mutator *mutator, uint32_t change) {
  uint32_t depth = mutator->fast.inside + change;
  atomic_signal_fence(memory_order_seq_cst);
  __atomic_store_n(&mutator->fast.inside, depth, __ATOMIC_RELAXED); /* relaxed: see above */
  atomic_signal_fence(memory_order_seq_cst);
}

static inline void td_allocation_begin(struct tide_mutator *mutator) {
  struct td_self *self = mutator->signalled;
  if (TIDE_LIKELY(self == NULL) || self != td_self()) return;
  td_allocation_add(mutator, 1);
  td_inside_enter(self);
}

static inline void td_allocation_end(struct tide_mutator *mutator) {
  struct td_self *self = mutator->signalled;
  if (TIDE_LIKELY(self == NULL) || self != td_self()) return;
  td_allocation_add(mutator, (uint32_t)-1);
  td_inside_answer(self);
}

/* Around a function of the embedder that runs inside such a scope, where the thread may be stopped.
 */
struct td_outside {
  uint32_t depth, allocating;
};
static inline struct td_outside td_outside_begin(struct tide_mutator *mutator) {
  struct td_self *self = td_self();
  struct td_outside outside = {td_inside_depth(self), mutator->fast.inside};
  __atomic_store_n(&mutator->fast.inside, 0, __ATOMIC_RELAXED); /* relaxed: see above */
  td_inside_set(self, 0);
  td_inside_answer(self);
  return outside;
}
static inline void td_outside_end(struct tide_mutator *mutator, struct td_outside outside) {
  struct td_self *self = td_self();
  td_inside_set(self, outside.depth);
  __atomic_store_n(&mutator->fast.inside, outside.allocating, __ATOMIC_RELAXED); /* as above */
  atomic_signal_fence(memory_order_seq_cst);
  td_inside_enter(self);
}

#endif
