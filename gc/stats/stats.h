/* SPDX-License-Identifier: MIT */
/* Figures and events. */
#ifndef TD_GC_STATS_STATS_H
#define TD_GC_STATS_STATS_H

#include "gc/state/heap.h"

struct td_cycle_figures {
  struct tide_cycle_stats all;
  struct tide_marker_stats marker[TIDE_MARKERS_MAX]; /* [0, all.markers) */
};

/* Under its lock. */
struct td_stats {
  pthread_mutex_t lock;
  struct td_cycle_figures *last;     /* the collection that ended last */
  struct td_cycle_figures *building; /* the one that runs: the collecting thread's */
  struct tide_cycle_running running; /* the collecting thread writes it */
  struct tide_pause_histogram pauses;
  _Atomic(uint64_t) concurrent, degenerate; /* relaxed counters: gc/cycle/beside.h */
  struct tide_heap_stats totals;            /* of what adds up from one collection to the next */
  /* Taken by the program's callbacks in the collection that runs, which are not its costs: by the
   * clock since the stop, and of the collecting thread's own time. That thread writes both. */
  uint64_t told_ns, told_work_ns;
  tide_event_fn event;
  void *event_context;
  _Atomic(bool) has_event;
  /* For HEAP_GREW and HEAP_SHRANK: what was told last. Written under the heap's lock. */
  _Atomic(uint32_t) committed_slabs_seen;
};

bool td_stats_init(struct tide_heap *heap);
void td_stats_deinit(struct tide_heap *heap);

/* A collection begins: what tide_cycle_running says until td_stats_publish. Tells CYCLE_BEGIN, and
 * returns the time. */
uint64_t td_stats_begin(struct tide_heap *heap, enum tide_cycle_kind kind,
                        enum tide_cycle_cause cause);
/* It does not take place after all. */
void td_stats_abandon(struct tide_heap *heap);
/* Calls the embedder's callback, if there is one. Returns the time. */
uint64_t td_stats_tell(struct tide_heap *heap, enum tide_event event);
/* Does committed memory differ from what was told last? */
bool td_stats_growth_is_news(struct tide_heap *heap);
/* HEAP_GREW or HEAP_SHRANK if committed memory differs from when it was told last. */
void td_stats_tell_growth(struct tide_heap *heap);
/* The collection in heap->stats->building has ended: it becomes the last one. */
void td_stats_publish(struct tide_heap *heap);
/* Another one has ended meanwhile, a young one beside that: it is the last one now, and gets its
 * number. Under the world's lock. */
void td_stats_publish_beside(struct tide_heap *heap, struct tide_cycle_stats *stats);

#endif
