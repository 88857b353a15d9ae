/* SPDX-License-Identifier: MIT */
/* Locks that no suspended thread holds, and that a fork finds free. */
#ifndef TD_BDWGC_THREADS_LOCK_H
#define TD_BDWGC_THREADS_LOCK_H

#include <pthread.h>

#include "bdwgc/heap.h"

/* In the order in which they are taken: the program's own code runs with the first two, the others
 * are held for short. */
enum td_lock {
  TD_LOCK_ALLOCATION,
  TD_LOCK_RESIZED,   /* the program hears of one change of the heap's size at a time */
  TD_LOCK_THREADS,   /* the list of registered threads */
  TD_LOCK_SUSPENDED, /* which of them wait to be resumed */
  TD_LOCK_RESULTS,   /* of threads that were not joined yet */
  TD_LOCK_KINDS,
  TD_LOCK_DESCRIPTORS,
  TD_LOCK_DISPLACEMENTS,
  TD_LOCK_TOGGLES,
  TD_LOCK_ROOTS,
  TD_LOCK_COUNT
};
extern pthread_mutex_t td_bdwgc_locks[TD_LOCK_COUNT];

/* The thread waits for a lock, or has it and may still be stopped: it must not be suspended. */
extern TD_HIDDEN TD_TLS volatile bool td_bdwgc_locking;
/* It has the allocation lock. */
extern TD_HIDDEN TD_TLS bool td_bdwgc_has_allocation;

/* The holder cannot be stopped. A thread that waits for the lock can: else a holder that waits for
 * all others to stand still would wait for ever. A thread that is not registered, or in a blocking
 * section, is not stopped anyway. */
static inline void td_bdwgc_lock(enum td_lock number) {
  pthread_mutex_t *lock = &td_bdwgc_locks[number];
  if (!td_bdwgc_self || td_bdwgc_away) {
    pthread_mutex_lock(lock);
    return;
  }
  tide_stop_hold(td_bdwgc_self);
  if (TIDE_LIKELY(pthread_mutex_trylock(lock) == 0)) return;
  tide_stop_release(td_bdwgc_self);
  td_bdwgc_locking = true;
  pthread_mutex_lock(lock);
  tide_stop_hold(td_bdwgc_self);
  td_bdwgc_locking = false;
}
static inline void td_bdwgc_unlock(enum td_lock number) {
  pthread_mutex_unlock(&td_bdwgc_locks[number]);
  if (td_bdwgc_self && !td_bdwgc_away) tide_stop_release(td_bdwgc_self);
}

#endif
