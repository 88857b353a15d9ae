/* SPDX-License-Identifier: MIT */
/* Why an allocation goes the way round instead of the short one. */
#ifndef TD_BDWGC_DETOUR_H
#define TD_BDWGC_DETOUR_H

#include <stdatomic.h>

#include "bdwgc/types.h"

/* A collection, or the start, has left something to do: finalizers, a notifier. */
#define TD_DETOUR_ONCE 1u
/* Each new object is watched: leaks are being found. */
#define TD_DETOUR_WATCH 2u
/* There was a debugging object: one that is not zeroed may lie where it was. */
#define TD_DETOUR_GUARDS 4u

/* All threads read and write it. relaxed, everywhere: a hint. What is behind a bit has locks of its
 * own or comes to other threads by a lock or a stop, and a thread that misses a bit sees it the
 * next time. */
extern TD_HIDDEN _Atomic(uint8_t) td_detour;

static inline bool td_detour_has(uint8_t bit) {
  return atomic_load_explicit(&td_detour, memory_order_relaxed) & bit;
}
static inline void td_detour_add(uint8_t bit) {
  atomic_fetch_or_explicit(&td_detour, bit, memory_order_relaxed);
}
/* Returns whether it was there. */
static inline bool td_detour_drop(uint8_t bit) {
  return atomic_fetch_and_explicit(&td_detour, (uint8_t)~bit, memory_order_relaxed) & bit;
}

/* Whether leaks are being found. Each object has a finalizer of ours then. */
static inline bool td_leaks_on(void) {
  return td_detour_has(TD_DETOUR_WATCH);
}

#endif
