/* What a heap and its collections did: counters, events, the heap walk, verification, snapshots.
 * Times are in nanoseconds, sizes in bytes; units are in the names. */
#ifndef TIDE_STATS_H
#define TIDE_STATS_H

#include "tide/tide.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tide_heap_stats {
  uint64_t collections;
  uint64_t heap_bytes;      /* in blocks that hold objects */
  uint64_t committed_bytes; /* memory the heap has from the system, without side tables */
  uint64_t peak_committed_bytes;
  uint64_t heap_max_bytes;
  uint64_t reserved_bytes;
  uint64_t allocated_bytes;       /* handed out since the heap was created, by whole runs */
  uint64_t next_collection_bytes; /* heap_bytes at which the next collection is due */
  uint64_t mark_ns_total, pause_ns_total, pause_ns_max;
  uint64_t mutators;
};
TIDE_API void tide_heap_stats(struct tide_heap *heap, struct tide_heap_stats *stats);

/* One marker's part of a collection. */
struct tide_marker_stats {
  uint64_t objects; /* marked by this marker */
  uint64_t steals, stolen_items, failed_steals;
  uint64_t grants; /* early grants given to a thief that asked */
  uint64_t parks, wakes;
  uint64_t overflows;     /* times the queue was full */
  uint64_t dense_objects; /* scanned in address order */
  uint64_t dense_turns;
  uint64_t window_sum, window_samples; /* occupancy of the prefetch window */
  uint64_t roots_ns, trace_ns, idle_ns, start_delay_ns;
  uint64_t started_ns, ended_ns; /* since the start of the mark phase */
};

struct tide_cycle_stats {
  uint64_t number; /* 1 is the first collection of the heap */
  const char *engine;
  unsigned markers;   /* allowed */
  unsigned recruited; /* took part */
  uint64_t objects;   /* marked, duplicates included */
  uint64_t bytes;     /* live, by whole cells */
  uint64_t stop_ns;   /* from the wish until every mutator stood still */
  uint64_t mark_ns;   /* from the first root to agreed termination */
  uint64_t weak_ns, sweep_ns;
  uint64_t pause_ns; /* all of it */
  uint64_t blocks_freed;
  uint64_t steals;
  struct tide_marker_stats marker[TIDE_MARKERS_MAX]; /* [0, markers) */
};
/* The last collection; number is 0 if there was none. */
TIDE_API void tide_cycle_stats(struct tide_heap *heap, struct tide_cycle_stats *stats);

/* Objects that the last collection marked, counted from the marks. The objects of tide_cycle_stats
 * minus this number are the duplicates: objects that two markers met at the same moment and both
 * scanned, which is harmless. Call it right after tide_collect, before anything else happens. */
TIDE_API uint64_t tide_count_marked(struct tide_mutator *mutator);

/* Pauses since the heap was created: bucket[i] counts those of [2^i, 2^(i+1)) ns. */
struct tide_pause_histogram {
  uint64_t bucket[48];
  uint64_t count;
};
TIDE_API void tide_pause_histogram(struct tide_heap *heap, struct tide_pause_histogram *histogram);

/* Everything one may want to know while it happens. The callback runs on the collecting thread
 * with the world stopped (except HEAP_…); it must not allocate from the heap. */
enum tide_event {
  TIDE_EVENT_CYCLE_BEGIN,
  TIDE_EVENT_STOPPED,
  TIDE_EVENT_MARK_BEGIN,
  TIDE_EVENT_MARK_END,
  TIDE_EVENT_WEAK_END,
  TIDE_EVENT_SWEEP_END,
  TIDE_EVENT_CYCLE_END,
  TIDE_EVENT_HEAP_GREW,
  TIDE_EVENT_HEAP_SHRANK,
};
typedef void (*tide_event_fn)(struct tide_heap *heap, enum tide_event event, uint64_t now_ns,
                              void *context);
/* One callback per heap; NULL removes it. */
TIDE_API void tide_heap_on_event(struct tide_heap *heap, tide_event_fn callback, void *context);

/* Calls visit for every object that is live as of the last collection or was allocated since, in
 * address order. Attached thread; the other mutators are stopped meanwhile. visit must not
 * allocate; returning false ends the walk. */
typedef bool (*tide_visit_fn)(void *object, size_t bytes, tide_layout layout, void *context);
TIDE_API enum tide_status tide_heap_walk(struct tide_mutator *mutator, tide_visit_fn visit,
                                         void *context);

/* What an independent serial marking from the same roots found, compared with the marks that the
 * last collection left; the words of stacks and registers are those that the collection saw. Call
 * it right after tide_collect, before anything else happens. TIDE_ERROR_CHECK if they differ. */
struct tide_check {
  bool equal;
  uint64_t objects, bytes, edges; /* of the serial marking; edges are non-null references */
  char difference[256];           /* the first one, if not equal */
};
TIDE_API enum tide_status tide_check_marks(struct tide_mutator *mutator, struct tide_check *check);

/* Checks the heap's own structures; the first fault goes into error. */
TIDE_API enum tide_status tide_check_heap(struct tide_mutator *mutator, struct tide_error *error);

/* Writes the live heap as V8 .heapsnapshot (opens in Chrome DevTools). Collects first. */
TIDE_API enum tide_status tide_heap_snapshot(struct tide_mutator *mutator, const char *path,
                                             struct tide_error *error);

#ifdef __cplusplus
}
#endif
#endif
