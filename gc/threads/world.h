/* SPDX-License-Identifier: MIT */
/* The world of a heap: its mutators, the lock of stoppers, and the stop under way. */
#ifndef TD_GC_THREADS_WORLD_H
#define TD_GC_THREADS_WORLD_H

#include "gc/state/mutator.h"

struct td_world {
  pthread_mutex_t lock;
  struct tide_mutator *mutators;
  _Atomic(uint32_t) count; /* changed under the lock */
  int cancel_state;        /* of the thread that holds the lock, from before; under the lock */
  bool stands_still;       /* under the lock, as the next */
  bool beside;             /* a collection goes on beside the program; under the lock */
  unsigned after_end;      /* threads that wait for its end; under the lock */
  pthread_cond_t ended;    /* it has ended, or the last of those has had its turn */
  bool for_program;        /* by tide_world_stop, until tide_world_resume */
  /* Identity of the thread that holds the lock, NULL if none does. */
  _Atomic(const void *) holder;
  _Alignas(TD_CACHE_LINE) _Atomic(uint32_t) awaited; /* mutators that have not stopped yet */
  _Alignas(TD_CACHE_LINE) _Atomic(uint32_t) gate;    /* bit 0: someone sleeps; rest: resumes */
};

#endif
