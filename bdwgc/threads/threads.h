/* SPDX-License-Identifier: MIT */
/* Regions in which a thread does without the heap. */
#ifndef TD_BDWGC_THREADS_THREADS_H
#define TD_BDWGC_THREADS_THREADS_H

#include "bdwgc/heap.h"

EXPORT void *GC_do_blocking(GC_fn_type call, void *data);

void td_region_leave_slow(void);
/* In GC_do_blocking: ends the blocking section for a while. Returns false if there is none. */
static inline bool td_region_leave(void) {
  bool away = td_bdwgc_away;
  if (!TIDE_LIKELY(!away)) td_region_leave_slow();
  return away;
}
/* `left` is what td_region_leave returned. */
void td_region_enter(void);
static inline void td_region_return(bool left) {
  if (left) td_region_enter();
}
static inline void td_region_end_scope(const bool *left) {
  td_region_return(*left);
}
/* The same until the end of the scope. An object is not lost between two calls in it. */
#define TD_LEAVES_REGION                                                                           \
  __attribute__((cleanup(td_region_end_scope), unused)) const bool left_region = td_region_leave()

#endif
