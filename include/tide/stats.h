/* SPDX-License-Identifier: MIT */
/* What a heap and its collections did: counters, events, verification; tide/inspect.h, which this
 * includes, walks and snapshots. Units are in the names: times in nanoseconds, sizes in bytes. */
#ifndef TIDE_STATS_H
#define TIDE_STATS_H
#include "tide/inspect.h"
#include "tide/tide.h"

TIDE_BEGIN
struct tide_heap_stats {
  uint64_t collections;
  uint64_t heap_bytes;      /* in blocks that hold objects */
  uint64_t committed_bytes; /* memory the heap has from the system, without side tables */
  uint64_t peak_committed_bytes, heap_max_bytes, reserved_bytes;
  uint64_t allocated_bytes;       /* handed out since the heap was created, by whole runs */
  uint64_t next_collection_bytes; /* heap_bytes at which the next collection is due */
  uint64_t mark_ns_total, pause_ns_total, pause_ns_max, mutators;
  uint64_t young_collections; /* of `collections` */
  uint64_t promoted_bytes;    /* in all of these */
  uint64_t young_bytes;       /* allocated between two collections, if nothing else comes first */
  uint64_t freed_bytes; /* by tide_free, whole cells; others' since the last collection may miss */
  uint64_t concurrent_collections; /* of `collections`, marked beside the program */
  uint64_t degenerate_collections; /* with a stopped_because, or stopped for want of room */
};
/* Fills in the figures of this moment; as all functions here, zeroes if heap is NULL. The inline
 * ones say how large the structure of your header is, so that a newer library fills in no more. */
TIDE_API void tide_heap_stats_sized(struct tide_heap *heap, struct tide_heap_stats *stats,
                                    size_t struct_bytes);
static inline void tide_heap_stats(struct tide_heap *heap, struct tide_heap_stats *stats) {
  tide_heap_stats_sized(heap, stats, sizeof *stats);
}

enum tide_cycle_kind {
  TIDE_CYCLE_FULL = 0,
  TIDE_CYCLE_YOUNG, /* old objects count as alive; see tide_options.write_barrier */
};
/* Why a collection was begun. Where young ones do not pay, a full one comes for the same cause. */
enum tide_cycle_cause {
  TIDE_CAUSE_NONE = 0, /* there is no collection */
  TIDE_CAUSE_CALL,     /* tide_collect or tide_collect_young */
  TIDE_CAUSE_INSPECT,  /* tide_heap_inspect or a snapshot */
  TIDE_CAUSE_STRESS,   /* TIDE_STRESS */
  TIDE_CAUSE_YOUNG,    /* young_bytes were allocated */
  TIDE_CAUSE_GROWTH,   /* the heap has reached next_collection_bytes */
  TIDE_CAUSE_ROOM,     /* the system or the address space has no room for what is allocated */
  TIDE_CAUSE_EXTERNAL, /* tide_external_add */
};
struct tide_cycle_stats {
  uint64_t number; /* 1 is the first collection of the heap */
  const char *engine;
  unsigned markers, recruited; /* allowed; took part */
  uint64_t objects;            /* marked in this collection, duplicates included */
  uint64_t bytes;   /* live, by whole cells; what is old and was not looked at counts as live */
  uint64_t stop_ns; /* from the wish until every mutator stood still */
  uint64_t mark_ns; /* from the first root to agreed termination */
  uint64_t weak_ns, sweep_ns;
  uint64_t pause_ns; /* all of it; without sweep_ns if other threads ran meanwhile */
  uint64_t blocks_freed, steals;
  unsigned available; /* of the markers: fewer if threads were refused, 1 before helpers_after_ms */
  uint64_t region_pool_bytes; /* most memory of references that waited for a visit */
  enum tide_cycle_kind kind;
  /* Of a young one: bytes found alive, old from here on; old objects, or slots, looked into. */
  uint64_t promoted_bytes, logged;
  enum tide_cycle_cause cause;
  /* Beside the program (tide_options.concurrent): its stops, pause_ns being the longest, stop_ns of
   * the first; time marked between them; objects marked as references to them were overwritten. */
  unsigned stops;
  uint64_t concurrent_ns, overwritten;
  /* It was to be one, and was marked stopped, or threads had to wait for its end; else NULL. */
  const char *stopped_because;
  uint64_t paced_ns; /* threads waited, up to 0.5 ms at a time, as room was scarce before its end */
  uint64_t stops_ns[16]; /* each of the stops, from the wish until the program may go on */
};
/* Fills in the figures of the last collection; all are 0 if there was none. */
TIDE_API void tide_cycle_stats_sized(struct tide_heap *heap, struct tide_cycle_stats *stats,
                                     size_t struct_bytes);
static inline void tide_cycle_stats(struct tide_heap *heap, struct tide_cycle_stats *stats) {
  tide_cycle_stats_sized(heap, stats, sizeof *stats);
}

/* One marker's part of a collection. */
struct tide_marker_stats {
  uint64_t objects; /* marked by this marker */
  uint64_t steals, stolen_items, failed_steals;
  uint64_t grants; /* early grants given to a thief that asked */
  uint64_t parks, wakes;
  uint64_t overflows;                  /* times the queue was full */
  uint64_t window_sum, window_samples; /* occupancy of the prefetch window */
  /* When it first and last had work, in time spent marking, which does not pass between the phase's
   * runs; in between root slices, marking, and nothing to do. Zeroes if it took no part. */
  uint64_t started_ns, ended_ns;
  uint64_t roots_ns, trace_ns, idle_ns;
  /* By regions: visits, references tested, objects marked, and the time, a part of trace_ns. */
  uint64_t region_visits, region_references, region_objects, region_ns;
  /* By testing: the objects marked, the references tested, and the time, a part of trace_ns. */
  uint64_t test_objects, test_references, test_ns;
};
/* Fills in up to `room` markers of the last collection; stats may be NULL. Returns its markers. */
TIDE_API size_t tide_marker_stats_sized(struct tide_heap *heap, struct tide_marker_stats *stats,
                                        size_t room, size_t struct_bytes);
static inline size_t tide_marker_stats(struct tide_heap *heap, struct tide_marker_stats *stats,
                                       size_t room) {
  return tide_marker_stats_sized(heap, stats, room, sizeof *stats);
}

/* Returns how many objects the last collection marked, counted from the marks, right after
 * tide_collect. tide_cycle_stats has more by duplicates, met by two markers at once: harmless. */
TIDE_API uint64_t tide_count_marked(struct tide_mutator *mutator);

/* Pauses since the heap was created: bucket[i] counts those of [2^i, 2^(i+1)) ns. */
struct tide_pause_histogram {
  uint64_t bucket[48], count;
};
TIDE_API void tide_pause_histogram_sized(struct tide_heap *heap,
                                         struct tide_pause_histogram *histogram,
                                         size_t struct_bytes);
static inline void tide_pause_histogram(struct tide_heap *heap,
                                        struct tide_pause_histogram *histogram) {
  tide_pause_histogram_sized(heap, histogram, sizeof *histogram);
}

/* What happens, while it happens. The callback runs on the collecting thread with the world
 * stopped, except: in CYCLE_BEGIN, STOP_LATE, RESUMED and HEAP_SHRANK the world runs, and it may
 * after WEAK_END; HEAP_GREW and COLLECTION_DUE come from the allocating thread, and may collect. It
 * must not allocate. */
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
  TIDE_EVENT_STOP_LATE, /* a thread has not stopped for a second; again every ten seconds */
  TIDE_EVENT_FINALIZERS_PENDING, /* after CYCLE_END of a collection that has queued finalizers */
  TIDE_EVENT_COLLECTION_DUE,     /* see tide_collection_due */
  TIDE_EVENT_RESUMED, /* the world goes on; if there was one stop, the next collection waits for
                         you. Beside the program: after each stop. STOPPED comes again before
                         MARK_END, and SWEEP_END and CYCLE_END while it runs. A young collection
                         meanwhile tells of no more than STOPPED and RESUMED, from the thread that
                         makes it */
};
typedef void (*tide_event_fn)(struct tide_heap *heap, enum tide_event event, uint64_t now_ns,
                              void *context);
/* One callback per heap; NULL removes it. A call that has begun by then may go on. */
TIDE_API void tide_heap_on_event(struct tide_heap *heap, tide_event_fn callback, void *context);

struct tide_cycle_running {
  uint64_t number; /* as in tide_cycle_stats */
  enum tide_cycle_kind kind;
  enum tide_cycle_cause cause;
};
/* Fills in what an event from CYCLE_BEGIN to CYCLE_END belongs to; zeroes if no collection runs. */
TIDE_API void tide_cycle_running_sized(struct tide_heap *heap, struct tide_cycle_running *running,
                                       size_t struct_bytes);
static inline void tide_cycle_running(struct tide_heap *heap, struct tide_cycle_running *running) {
  tide_cycle_running_sized(heap, running, sizeof *running);
}

/* What markers do, moment by moment. */
enum tide_timeline_kind {
  TIDE_TIMELINE_JOIN,        /* has work, or looks for it where there is some */
  TIDE_TIMELINE_LEAVE,       /* has none; value: objects it has marked so far in this collection */
  TIDE_TIMELINE_ROOTS_BEGIN, /* a slice of roots; value: its slots */
  TIDE_TIMELINE_ROOTS_END,
  TIDE_TIMELINE_TEST_BEGIN, /* scans groups of objects and tests batches of references */
  TIDE_TIMELINE_TEST_END,   /* value: objects marked that way since the beginning */
  TIDE_TIMELINE_STEAL,      /* value: items taken; other: from which marker */
  TIDE_TIMELINE_GRANT,      /* gave the older half of its items to a thief that asked */
  TIDE_TIMELINE_RECRUIT,    /* woke a sleeping marker */
  TIDE_TIMELINE_PARK,       /* fell asleep */
  TIDE_TIMELINE_WAKE,
  TIDE_TIMELINE_REGIONS_BEGIN, /* its frontier is scattered: goes on by regions */
  TIDE_TIMELINE_REGIONS_END,   /* value: objects marked that way since the beginning */
};
struct tide_timeline_event {
  uint64_t ns; /* the clock of tide_event_fn */
  uint64_t value;
  uint16_t marker, other;
  uint32_t kind; /* enum tide_timeline_kind */
};

/* Every marker remembers its first `events` events from now on, in memory taken here; 0 ends that.
 *   TIDE_ERROR_ARGUMENT  more than 2^26 events
 *   TIDE_ERROR_STATE     inside a collection
 *   TIDE_ERROR_MEMORY    nothing is recorded from now on */
TIDE_API enum tide_status tide_timeline_begin(struct tide_heap *heap, size_t events);
/* Moves what is remembered to events[0, room), marker by marker and each in the order of time, and
 * makes place for more. Returns how many there were, 0 inside a collection. Adds to *lost (may be
 * NULL) how many did not fit, here or there. A park is told when its marker has work again. */
TIDE_API size_t tide_timeline_read(struct tide_heap *heap, struct tide_timeline_event *events,
                                   size_t room, uint64_t *lost);

/* Compares an independent serial marking from the same roots with the marks that the last
 * collection left, right after tide_collect; words of stacks and registers are those that it saw.
 *   TIDE_ERROR_CHECK  they differ */
struct tide_check {
  bool equal;
  uint64_t objects, bytes, edges; /* of the serial marking; edges are non-null references */
  char difference[256];           /* the first one, if not equal */
};
TIDE_API enum tide_status tide_check_marks(struct tide_mutator *mutator, struct tide_check *check);
/* Checks the heap's own structures; the first fault goes into error. */
TIDE_API enum tide_status tide_check_heap(struct tide_mutator *mutator, struct tide_error *error);
TIDE_END
#endif
