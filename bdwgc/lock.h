/* Locks that no suspended thread holds. */
#ifndef TD_BDWGC_LOCK_H
#define TD_BDWGC_LOCK_H

#include <pthread.h>

#include "bdwgc/threads.h"

/* The thread waits for a lock, or has it and may still be stopped: it must not be suspended. */
extern TD_TLS volatile bool td_bdwgc_locking;

/* The holder cannot be stopped. Who waits can, or a holder that waits for all others to stand still
 * would wait for ever. A thread that is not registered, or in a blocking region, is not stopped
 * anyway. */
static inline void td_bdwgc_lock(pthread_mutex_t *lock) {
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
static inline void td_bdwgc_unlock(pthread_mutex_t *lock) {
  pthread_mutex_unlock(lock);
  if (td_bdwgc_self && !td_bdwgc_away) tide_stop_release(td_bdwgc_self);
}

#endif
