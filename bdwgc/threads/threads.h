/* The program's threads. */
#ifndef TD_BDWGC_THREADS_THREADS_H
#define TD_BDWGC_THREADS_THREADS_H

#include "bdwgc/state.h"

/* The thread is inside GC_do_blocking, and not inside GC_call_with_gc_active. */
extern TD_TLS bool td_bdwgc_away;

/* Before there is a heap, whose threads end after ours. */
void td_threads_prepare(void);

void td_bdwgc_come_back_slow(void);
/* In GC_do_blocking: ends the blocking region for a while. Returns false if there is none. */
static inline bool td_bdwgc_come_back(void) {
  bool away = td_bdwgc_away;
  if (!TIDE_LIKELY(!away)) td_bdwgc_come_back_slow();
  return away;
}
/* After td_bdwgc_come_back returned true. */
void td_bdwgc_go_away(void);

#endif
