/* SPDX-License-Identifier: MIT */
/* Registering threads: how one gets and loses its mutator, and the list of them. */
#ifndef TD_BDWGC_THREADS_REGISTER_H
#define TD_BDWGC_THREADS_REGISTER_H

#include <pthread.h>

#include "bdwgc/heap.h"

/* What belongs to a thread is found by its number, in one of these lists. */
#define TD_THREAD_LISTS 256u
static inline size_t td_thread_list(pthread_t id) {
  return (uintptr_t)id * UINT64_C(0x9e3779b97f4a7c15) >> 56;
}

struct td_thread {
  struct td_thread *next;
  pthread_t id;
  struct tide_mutator *mutator;
  const volatile bool *locking; /* its td_bdwgc_locking */
  bool suspended;
  bool by_other; /* than itself */
};

/* Before there is a heap, whose threads end after ours. */
void td_register_prepare(void);
/* Registers the calling thread, which has no mutator. `bottom` and the rest are as for
 * td_bdwgc_try_start. */
bool td_register_self(void *bottom, struct tide_error *error);

/* Around looking at the list and what is in it: no thread enters or leaves. */
void td_register_lock(void);
void td_register_unlock(void);
/* Under the lock. Returns NULL if the thread is not registered. */
struct td_thread *td_register_find(pthread_t id);

/* Under the lock. */
void td_register_set_suspended(struct td_thread *thread, bool suspended);
/* The calling thread has suspended itself: waits, in a blocking section, until it is resumed. */
void td_register_await_resumed(const struct td_thread *thread);

/* In the child of a fork, under all locks: of the threads only the calling one is left. */
void td_register_keep_own(void);

/* World stopped: the program hears which threads were stopped, or go on. */
void td_register_tell(bool stopped);

#endif
