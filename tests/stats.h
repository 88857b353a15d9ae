/* SPDX-License-Identifier: MIT */
/* Figures of a heap by value. */
#ifndef TD_TESTS_STATS_H
#define TD_TESTS_STATS_H

#include "tide/stats.h"

static inline struct tide_heap_stats stats_of(struct tide_heap *heap) {
  struct tide_heap_stats stats;
  tide_heap_stats(heap, &stats);
  return stats;
}

static inline struct tide_cycle_stats cycle_of(struct tide_heap *heap) {
  struct tide_cycle_stats stats;
  tide_cycle_stats(heap, &stats);
  return stats;
}

#endif
