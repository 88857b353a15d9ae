/* SPDX-License-Identifier: MIT */
/* Where a thread cannot be cancelled.
 *
 * Of the library's functions, GC_pthread_join is a point of cancellation and no other. Between
 * TD_UNCANCELLED and the end of the scope no call below is one either. */
#ifndef TD_BDWGC_UNCANCELLED_H
#define TD_BDWGC_UNCANCELLED_H

#include <pthread.h>

static inline int td_cancel_hold(void) {
  int before;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  return before;
}
static inline void td_cancel_let_go(const int *before) {
  int disabled;
  pthread_setcancelstate(*before, &disabled);
}

#define TD_UNCANCELLED                                                                             \
  __attribute__((cleanup(td_cancel_let_go), unused)) const int cancel_before = td_cancel_hold()

#endif
