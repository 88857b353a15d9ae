/* How live objects are found: the markers of one heap.
 *
 * A collection is  td_mark_begin, one or more td_mark_run, td_mark_end, all by the thread that
 * collects, with the world stopped. That thread is marker 0; the others sleep between runs and
 * are woken only when there is work for them. */
#ifndef TD_MARKER_MARKER_H
#define TD_MARKER_MARKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heap/space.h"
#include "marker/base/tracer.h"
#include "marker/queue/policy.h"
#include "tide/stats.h"
#include "tide/tide.h"

struct td_engine;
struct td_markers;

struct td_marker_config {
  const struct td_engine *engine;           /* see marker/engine/list.h; NULL: the first */
  enum td_policy_kind policy;               /* whom markers steal from */
  unsigned markers;                         /* 1 … TIDE_MARKERS_MAX */
  uint32_t queue_blocks, queue_block_items; /* 0: the default of the engine */
};

/* Starts no thread yet: helpers are started when first needed. NULL: see error. */
struct td_markers *td_markers_create(struct td_space *space, const struct td_marker_config *config,
                                     struct tide_error *error);
/* Ends the helper threads. NULL is allowed. */
void td_markers_destroy(struct td_markers *markers);
/* Between collections only; on failure everything is as before. */
bool td_markers_configure(struct td_markers *markers, const struct td_marker_config *config,
                          struct tide_error *error);
/* tide_trace_begin and tide_trace_read; between collections. */
bool td_markers_trace(struct td_markers *markers, size_t events);
size_t td_markers_trace_read(struct td_markers *markers, struct tide_trace_event *events,
                             size_t room, uint64_t *lost);
/* After fork, in the child: the helper threads are gone; forget them, they start anew. */
void td_markers_after_fork(struct td_markers *markers);
/* Before fork: nothing to wait for between collections. */

/* Is the calling thread one of their helpers? It runs no code of others but trace functions. */
bool td_markers_has_thread(const struct td_markers *markers);

/* Where references come from. */
enum td_span_kind {
  TD_SPAN_SLOTS,        /* start: count words, each a reference slot */
  TD_SPAN_INDIRECT,     /* start: count addresses of reference slots */
  TD_SPAN_CONSERVATIVE, /* start: count aligned words, each may point at or into an object */
};
struct td_span {
  const void *start;
  size_t count;
  enum td_span_kind kind;
};
struct td_roots {
  const struct td_span *spans;
  size_t span_count;
  /* Called once by marker 0 at the start; may be NULL. */
  void (*callback)(struct tide_tracer *tracer, void *context);
  void *context;
};

void td_mark_begin(struct td_markers *markers);
/* Marks all that the roots reach and was not marked before. Cannot fail, allocates nothing. */
void td_mark_run(struct td_markers *markers, const struct td_roots *roots);
/* Fills in engine, markers, recruited, objects, mark_ns (the sum over phases) and steals, and the
 * figures of each marker, of which there are `markers`. */
void td_mark_end(struct td_markers *markers, struct tide_cycle_stats *stats,
                 struct tide_marker_stats *figures);

/* Weak references / ephemerons with an unmarked key that markers have met since the last call:
 * address of the first, chained by their link words, 0 ends. An object may be met more than
 * once but is chained once. */
uintptr_t td_mark_take_weak(struct td_markers *markers);
uintptr_t td_mark_take_ephemerons(struct td_markers *markers);

#endif
