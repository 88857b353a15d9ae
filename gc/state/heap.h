/* SPDX-License-Identifier: MIT */
/* A heap: what its rooms keep of it. Each room declares its own structure; gc/create makes them all
 * in one piece.
 *
 * Locks, in the order in which they are taken:
 *   process  (gc/create/fork.c) the list of heaps
 *   world    the list of mutators, and the right to stop them
 *   roots    what was registered as a root
 *   final    registered and pending finalizers
 *   beside   whether a collection beside the program is wanted (gc/cycle/beside_thread.h)
 *   heap     blocks (heap/space/space.h)
 *   stats    figures of past collections
 * A mutator that may have to wait for `world` counts as standing still meanwhile
 * (gc/threads/stop/world.h); the other locks are held for short, never across a safepoint. */
#ifndef TD_GC_STATE_HEAP_H
#define TD_GC_STATE_HEAP_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heap/space/space.h"
#include "marker/marker.h"
#include "tide/foreign.h"
#include "tide/stats.h"
#include "tide/tide.h"

struct tide_heap {
  struct td_space space;
  struct td_markers *markers;
  struct td_world *world;               /* gc/threads/thread.h */
  struct td_retired *retired;           /* gc/threads/mutator/attach.h */
  struct td_run_pool *run_pool;         /* gc/object/runs.h */
  struct td_root_set *roots;            /* gc/roots/set.h */
  struct td_pins *pins;                 /* gc/roots/pin.h */
  struct td_finalizers *finalizers;     /* gc/weak/finalizers.h */
  struct td_ephemerons *ephemerons;     /* gc/weak/ephemeron.h */
  struct td_weak_slots *weak_slots;     /* one for each kind: gc/foreign/weak_slots.h */
  struct td_serial_traces *serial;      /* gc/layout/layouts.h */
  struct td_when *when;                 /* gc/when/when.h */
  struct td_asked *asked;               /* gc/cycle/asked.h */
  struct td_beside *concurrent;         /* gc/cycle/beside.h; NULL: collections stop the program */
  struct td_written *written;           /* gc/threads/mutator/written.h */
  struct td_resting *resting;           /* gc/threads/mutator/resting.h */
  struct td_young_beside *young_beside; /* gc/cycle/young_beside.h */
  struct td_stats *stats;               /* gc/stats/stats.h */

  /* Constant after creation. */
  bool (*out_of_memory)(void *context, size_t bytes);
  void *out_of_memory_context;
  uint64_t stress; /* allocations from one collection to the next; 0: not asked for */
  bool verify, log;
  enum tide_collects collects;
  tide_layout weak_table_layout;

  /* INT8_MAX while a collection marks beside the program, else 0. tide_write looks at it, and
   * mutators keep what they overwrite. Written with the world stopped, read by mutators. */
  signed char beside;
  /* Since that began, objects live again to which nothing but weak references led, or finalizers.
   * Written by mutators and in stops, relaxed: read when the world is stopped. */
  _Atomic(bool) gave;

  /* Under the world's lock. */
  struct td_marker_config config;
  enum tide_cycle_kind last_kind;       /* of the last collection; while it ends, of that */
  bool last_beside;                     /* it marked beside the program */
  struct td_verify_start *verify_start; /* gc/check/verify.c: NULL between collections */

  /* From the first mark until the blocks are sorted. World stopped; read by its callbacks. */
  bool marking;

  /* Written with the world stopped, read by mutators that want to know whether another thread
   * has collected meanwhile. */
  _Atomic(uint64_t) cycles;

  /* Markers that the last collection was allowed; written with the world stopped, a figure. */
  _Atomic(unsigned) markers_allowed;

  /* Bytes of runs and large objects handed out; relaxed counter, mutators add now and then. */
  _Atomic(uint64_t) allocated_bytes;
  _Atomic(uint64_t) freed_bytes;

  struct tide_heap *next; /* under the process lock */
};

#endif
