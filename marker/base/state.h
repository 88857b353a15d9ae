/* SPDX-License-Identifier: MIT */
/* The state of marking: what the markers of a heap share, and what each marker has for itself.
 *
 * Words. A *collection* consists of one or more *phases*, each a call of td_mark_phase: first from
 * the roots, then from what weak references, ephemerons and finalizers keep alive. A *marker* is a
 * thread that takes part. Marker 0 is the thread that collects; the others are *helpers*. A marker
 * is *active* while it is counted in `term` (marker/base/termination.h).
 *
 * [term.start] What the collecting thread writes before td_term_start is seen by every marker that
 * joins. [term.leave] What a marker writes before it leaves is seen by the thread that finds the
 * phase over. So the fields of a marker belong to that marker while it is active, and to the
 * collecting thread between phases. */
#ifndef TD_MARKER_BASE_STATE_H
#define TD_MARKER_BASE_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heap/space/counted.h"
#include "heap/space/space.h"
#include "marker/base/bits.h"
#include "marker/base/events.h"
#include "marker/base/item.h"
#include "marker/base/marking.h"
#include "marker/base/span.h"
#include "marker/base/termination.h"
#include "marker/base/tuning.h"
#include "marker/queue/growth.h"
#include "marker/queue/list.h"
#include "marker/queue/policy.h"
#include "platform/platform.h"
#include "tide/stats.h"

struct td_marker;

/* A marking engine: the marking loop compiled around one kind of queue. */
struct td_engine {
  const struct td_queue_entry *queue; /* its name and defaults */
  /* Returns the bytes that the slots of a queue need, 0 if it cannot have that capacity. */
  size_t (*storage_bytes)(uint32_t blocks, uint32_t items);
  size_t queue_bytes;
  size_t owner_bytes;
  void (*init)(struct td_marker *marker, uint32_t blocks, uint32_t items);
  /* After a collection, while all queues are empty and no other thread uses them: the marker's
   * queue goes back to its first storage. */
  void (*shrink)(struct td_marker *marker);
  /* Returns roughly how many items thieves could take from the queue. */
  uint64_t (*size)(const void *queue);
  /* Marks until nothing is left for this marker. `joined` tells whether the marker is active
   * already; it is not any more on return. */
  void (*work)(struct td_marker *marker, bool joined);
};

struct td_markers {
  /* Constant between configurations. */
  enum td_marking marking; /* the way that is forced, in tests */
  struct td_space *space;
  const struct td_engine *engine;
  const struct td_policy_kind *policy;
  unsigned limit; /* how many markers may take part */
  uint32_t queue_blocks, queue_items;
  uint32_t cpus;             /* no more markers take part */
  uint64_t helpers_after_ns; /* see td_is_early */
  struct td_regions *regions;
  struct td_marker *marker[TIDE_MARKERS_MAX]; /* those that were ever wanted; NULL behind them */

  /* The phase. Written by the collecting thread before td_term_start, read by active markers. */
  const struct td_span *spans;
  size_t span_count;
  uint64_t cycle;    /* number of the collection */
  uint64_t phase;    /* number of the phase; never starts again */
  uint64_t start_ns; /* time 0 of marking: the start less what earlier phases of the cycle took */
  /* The next three belong to the description of the phase as well, but helpers that watch for work
   * read them while the next phase is being prepared. A stale value misleads such a helper for
   * one look only, so relaxed accesses will do. */
  _Atomic(uint64_t) root_slices;
  _Atomic(uint32_t) blocks; /* up to the frontier */
  /* How many markers may take part: helpers of higher numbers sleep in this collection. Read and
   * written like the two before. */
  _Atomic(uint32_t) enough;

  /* Written by all markers. */
  _Alignas(TD_CACHE_LINE) struct td_termination term;
  _Alignas(TD_CACHE_LINE) _Atomic(uint64_t) root_next; /* relaxed counter: next root slice */
  /* 1 once a page was flagged in this collection; until then there are no flags to look for. A
   * marker sets it before it sets a flag, so it always finds its own flags. Flags of other markers
   * that it overlooks are found by those markers themselves. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint32_t) flagged;
  /* Helpers that sleep and may take part. A helper sets its own bit; a marker that takes the bit
   * away wakes that helper. */
  struct td_bits sleepers;
  /* 1 while a helper watches for work: others sleep. In a line of its own, because markers that
   * run out of work together all look here. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint32_t) spinning;
  /* Read at every turn of a helper, and seldom written. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint32_t) closed; /* 1 while the configuration changes: helpers
                                                     * keep away from it */
  _Atomic(uint32_t) done;       /* futex of the collecting thread: the phase is over, or there is
                                 * work. Written by the thread that wakes it */
  _Atomic(uint32_t) waiting;    /* 1 while that thread sleeps in a phase: a hint for td_recruit */
  _Atomic(uint32_t) quit;       /* 1: helpers end */
  _Atomic(uint32_t) collecting; /* odd in a collection: it counts beginnings and ends */

  /* The collecting thread only. */
  unsigned available;     /* markers with a thread in this collection, this thread's included */
  uint64_t mark_ns;       /* time in phases of this collection */
  uint64_t marked_ns;     /* and in all of them */
  bool has_little;        /* to mark in this collection, perhaps */
  uint32_t recruit_first; /* objects after which it wakes a helper */
  size_t event_capacity;  /* events that each marker remembers; 0: none */
  uint8_t epoch;          /* of the last collection */
  bool beside;            /* mutators may set flags: marker 0 answers for those */
  bool yields;            /* each mutator finds another CPU than this marker's */
};

/* Where a marker stands in the spans of a phase: see td_root_slices_next. */
struct td_root_cursor {
  uint64_t phase; /* the phase that the other two belong to */
  size_t span;
  uint64_t first; /* number of the first slice of that span */
};

/* The helper writes RETIRED, when it ends for want of work; all else is the collecting thread's. */
enum td_helper_life { TD_HELPER_NONE, TD_HELPER_LIVES, TD_HELPER_RETIRED };

struct td_marker {
  struct td_markers *set;
  unsigned id;
  struct td_thread thread; /* of a helper, while there is one */
  _Atomic(uint32_t) life;  /* of that thread: enum td_helper_life */

  /* The queue, in one allocation: the part that is shared, the owner's part, the slots. */
  void *memory;
  void *queue;
  void *owner;
  void *storage;
  struct td_growth growth; /* what it has grown by */

  /* Memory of the marking loop. */
  struct td_tester *tester; /* see marker/test/tester.h */
  struct td_visitor *visitor;

  /* This marker while it is active. */
  bool took_part;
  uint32_t queued_leaves;     /* leaves that came out of the queue since the last poll */
  struct td_policy policy;    /* whom to steal from; made anew with each configuration */
  uint32_t recruit_step;      /* objects until it wakes another marker again */
  struct td_root_cursor at;   /* in the roots */
  uintptr_t weak, ephemerons; /* chains of objects met: [weak.chain] */
  uint64_t joined_ns;         /* when it became active */
  struct td_events events;
  struct tide_marker_stats stats;

  /* What happens while the marker is not active. It is added to `stats` and `events` when the
   * marker joins, because the collecting thread may be reading those before: [term.leave]. */
  uint64_t parks, wakes;
  struct td_naps naps;

  /* Futex of the helper: a change tells it to look. Written by the thread that wakes it. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint32_t) signal;
  /* 1 while the helper's thread is awake. It writes, but for its start; td_quiet reads. */
  _Atomic(uint32_t) awake;
};

/* A young collection keeps the epoch. What it meets says nothing of the whole heap. */
static inline bool td_is_young(const struct td_markers *set) {
  return set->space->epoch == set->epoch;
}

static inline uint32_t td_enough(const struct td_markers *set) {
  return atomic_load_explicit(&set->enough, memory_order_relaxed); /* relaxed: see above */
}

/* The collecting thread asks: is it too early for helpers? They cost a thread, and their cores take
 * the objects that they mark out of the program's cache. */
static inline bool td_is_early(const struct td_markers *set) {
  return set->marked_ns < set->helpers_after_ns &&
         (size_t)td_counted_look(&set->space->used_blocks) << TD_BLOCK_LOG2 < TD_ALONE_BYTES;
}

/* The same before the stop: others may allocate. */
static inline bool td_is_early_before_stop(const struct td_markers *set) {
  if (set->helpers_after_ns == 0) return false;
  pthread_mutex_lock(&set->space->lock);
  bool early = td_is_early(set);
  pthread_mutex_unlock(&set->space->lock);
  return early;
}

#endif
