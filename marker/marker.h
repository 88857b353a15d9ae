/* SPDX-License-Identifier: MIT */
/* How live objects are found: the markers of one heap.
 *
 * A collection calls td_markers_ready, then td_mark_begin, td_mark_phase once or more, and
 * td_mark_end. All these calls come from the thread that collects, while the world is stopped or,
 * beside the program, phases while it runs. That thread is marker 0. The other markers are helper
 * threads, which sleep between phases and are woken only when there is work for them. */
#ifndef TD_MARKER_MARKER_H
#define TD_MARKER_MARKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heap/space/space.h"
#include "marker/base/marking.h"
#include "marker/base/span.h"
#include "marker/queue/policy.h"
#include "tide/stats.h"
#include "tide/tide.h"

struct td_engine;
struct td_markers;

/* ---- Markers ---- */

struct td_marker_config {
  const struct td_engine *engine;           /* see marker/engine/engines.h; NULL: the first */
  const struct td_policy_kind *policy;      /* where thieves begin; NULL: the first */
  enum td_marking marking;                  /* a way of marking that is forced, in tests */
  unsigned markers;                         /* 1 to TIDE_MARKERS_MAX */
  unsigned cpus;                            /* no more take part; 0: the CPUs allowed */
  uint64_t helpers_after_ns;                /* one marker until then, in a small heap */
  uint32_t queue_blocks, queue_block_items; /* 0: the default of the engine */
};

/* Returns NULL and fills `error` if the configuration cannot be had. */
struct td_markers *td_markers_create(struct td_space *space, const struct td_marker_config *config,
                                     struct tide_error *error);
/* Ends the helper threads. NULL is allowed. */
void td_markers_destroy(struct td_markers *set);
/* Between collections. Returns false if it fails; the old configuration stays. */
bool td_markers_configure(struct td_markers *set, const struct td_marker_config *config,
                          struct tide_error *error);
/* In the child after a fork: the helper threads are gone. The next collection starts others. Before
 * the fork there is nothing to wait for between collections. */
void td_markers_after_fork(struct td_markers *set);
/* Returns whether the calling thread is one of the helpers. Of the embedder's code, helpers call
 * trace functions only. */
bool td_markers_has_thread(const struct td_markers *set);
/* The same for the helpers of all markers. */
bool td_markers_is_helper(void);

/* ---- The event log: tide_timeline_begin and tide_timeline_read; between collections ---- */

bool td_markers_trace(struct td_markers *set, size_t events);
size_t td_markers_trace_read(struct td_markers *set, struct tide_timeline_event *events,
                             size_t room, uint64_t *lost);

/* ---- A collection ---- */

/* A collection is about to stop the world: starts the helpers that are missing. */
void td_markers_ready(struct td_markers *set);
void td_mark_begin(struct td_markers *set);
/* The same where mutators run meanwhile: tells how many. */
void td_mark_begin_beside(struct td_markers *set, uint32_t mutators);
/* World stopped: lets the callback pass references. Phases then go on with them. */
void td_mark_call_back(struct td_markers *set, const struct td_roots *roots);
/* Marks everything that the roots reach and that is not marked yet. Cannot fail and allocates
 * nothing. */
void td_mark_phase(struct td_markers *set, const struct td_roots *roots);
/* Fills in engine, markers, recruited, objects, mark_ns (the sum over phases) and steals, and the
 * figures of each marker, of which there are `markers`. */
void td_mark_end(struct td_markers *set, struct tide_cycle_stats *stats,
                 struct tide_marker_stats *figures);

/* ---- Beside the program (gc/cycle/beside.h) ----
 *
 * After td_space_begin_marking_beside, phases run while mutators run; the stops between them carry
 * what was published. Mutators mark what they are about to make unreachable themselves: as deferred
 * objects, which the next phase scans. So there is always room for them. */

/* Any thread: marks the object that the word leads to, if it is not marked yet. Returns whether. */
bool td_mark_from_outside(struct td_markers *set, uintptr_t word);
/* No phase runs: is there something that was marked from outside, and not scanned yet? Exact while
 * the world is stopped. */
bool td_mark_is_behind(const struct td_markers *set);

/* Return the weak references, and the ephemerons with an unmarked key, that phases have met since
 * the last call: the address of the first one, chained by their link words, which end with 0. Each
 * object is in the chain once. */
uintptr_t td_mark_take_weak(struct td_markers *set);
uintptr_t td_mark_take_ephemerons(struct td_markers *set);
/* Between phases, for who scans such an object itself: returns whether it may use the link word,
 * because no phase has met the object. None will chain it then. */
bool td_mark_claim(struct td_markers *set, _Atomic(uint64_t) *claimed);

#endif
