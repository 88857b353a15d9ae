/* SPDX-License-Identifier: MIT */
/* Markers with nothing to do: marker/base/idle.c and termination.h, as shipped, around a futex made
 * of atomics. The collecting thread (marker 0) opens the configuration, makes phases,
 * changes the configuration between them, and ends the helpers. Helpers execute td_helper.
 *
 * The futex synchronises no memory from the waker to the sleeper, because a real one promises none.
 *
 * A checker defines, before it includes this file, the atomics (with a hook for mutants, see
 * MODEL_ORDER_OF), and
 *
 *   MODEL_HELPERS: how many helper threads
 *   MODEL_ITEMS: how many items a phase has
 *   MODEL_STARTED: 1, the helpers execute from the beginning; 0, marker/helpers.c starts them
 *   MODEL_CLOSED: 1, as td_markers_create starts helpers; 0, open from the start
 *   MODEL_MANY: 1, an item is done only when all markers take part
 *   MODEL_ASSERT(c): reports a violation unless c
 *   MODEL_MET(event): counts one of enum parking_event
 *   MODEL_STEP(name): 1, or 0 if the mutant leaves that step out
 *   MODEL_WATCHED: type of a plain unsigned that is watched for data races
 *   MODEL_STATE: the struct parking of this execution
 *   MODEL_WAIT(c): waits until c
 *   MODEL_SELF: the number of the marker that executes
 *   MODEL_NOW(): a clock that has always gone on by more than a marker watches
 *   IDLE_NS: 0 or undefined, no helper retires; else a helper may wake by itself after it
 *   MODEL_TIMEOUT(): whether it does so now
 *
 * Many markers have one item each, which is done when all of them take part. Until then whoever has
 * one wakes others. So the phase is endless if a marker cannot be woken any more.
 *
 * Checked: the items of each phase are all taken once when marker 0 believes that it is over.
 * Helpers see the configuration of before a change or after it, never one in the making; that would
 * be a data race. The statistics of a marker are its own while it is active, and marker 0's after
 * the phase. Everybody comes to an end: the end of a phase, a change of configuration and the end
 * of the helpers wake whom they must. */
#ifndef TD_TESTS_MODEL_PARKING_H
#define TD_TESTS_MODEL_PARKING_H

#define TD_BITS_MOST 16u
#include "marker/base/bits.h"
#include "marker/base/termination.h"
#include "marker/base/tuning.h"

/* What idle.c uses of these headers is below. */
#define TD_MARKER_BASE_EVENTS_H
#define TD_MARKER_BASE_STATE_H
#define TD_PLATFORM_PROBES_H
#define TD_PROBE1(name, a) ((void)(a))
#define TD_PROBE2(name, a, b) ((void)(a))
#define PAUSES_MOST 1u
#define QUIET_LOOKS 0u
#ifndef IDLE_NS
#define IDLE_NS 0u /* no helper retires */
#endif

enum { PARKING_MOST = 4 };
#define TIDE_MARKERS_MAX PARKING_MOST
/* What executions should meet, or the model shows nothing. */
enum parking_event { HELPED, RECRUITED, SLEPT, CHANGED, RETIRED, RESTARTED, EVENTS };
enum td_helper_life { TD_HELPER_NONE, TD_HELPER_LIVES, TD_HELPER_RETIRED };
struct td_thread {
  unsigned id;
};

enum tide_timeline_kind { TIDE_TIMELINE_JOIN, TIDE_TIMELINE_LEAVE, TIDE_TIMELINE_RECRUIT };
struct td_events {
  int unused;
};
struct td_naps {
  int unused;
};
struct tide_marker_stats {
  uint64_t objects, started_ns, ended_ns, trace_ns, parks, wakes;
};

struct td_marker;
struct td_engine {
  void (*work)(struct td_marker *marker, bool joined);
};

struct td_markers {
  const struct td_engine *engine;
  MODEL_WATCHED limit;
  uint64_t start_ns;
  struct td_termination term;
  struct td_bits sleepers;
  _Atomic(uint32_t) spinning, closed, done, waiting, quit, collecting;
  struct td_marker **marker;
  unsigned available;
};

struct td_marker {
  struct td_markers *set;
  unsigned id;
  struct td_thread thread;
  _Atomic(uint32_t) life;
  bool took_part;
  uint32_t recruit_step;
  uint64_t parks, wakes, joined_ns;
  struct td_naps naps;
  struct td_events events;
  struct tide_marker_stats stats;
  _Atomic(uint32_t) signal, awake;
};

struct parking {
  struct td_markers set;
  struct td_marker marker[PARKING_MOST];
  struct td_engine engine;
  _Atomic(uint32_t) next;                 /* item of this phase */
  _Atomic(uint32_t) asleep[PARKING_MOST]; /* who waits for its futex: 1 asleep, 2 woken */
  _Atomic(uint32_t) arrived;              /* a bit for each marker that has an item, if many */
  MODEL_WATCHED taken[PARKING_MOST];      /* a marker's while active, else marker 0's */
  unsigned woken[PARKING_MOST];           /* whom the marker has woken last */
  struct td_marker *table[PARKING_MOST + 1];
};

/* Nor is one that the heap has no work for. */
static inline uint32_t td_enough(const struct td_markers *set) {
  return set->limit;
}

/* Nor is it ever too early for helpers. */
static inline bool td_is_early_before_stop(const struct td_markers *set) {
  return false;
}

/* ---- Platform ---- */

static inline void td_plat_pause(void) {}
static inline uint64_t td_plat_now_ns(void) {
  return MODEL_NOW();
}
static inline void td_naps_add(struct td_naps *naps, uint64_t from, uint64_t to) {}
static inline void td_naps_tell(struct td_naps *naps, struct td_events *events) {}
static inline void td_event_at(struct td_events *events, uint64_t ns, enum tide_timeline_kind kind,
                               unsigned other, uint64_t value) {}
static inline void td_event(struct td_events *events, enum tide_timeline_kind kind, unsigned other,
                            uint64_t value) {}

/* Returns whose futex it is: each has but one sleeper. */
static inline unsigned parking_whose(_Atomic(uint32_t) *futex) {
  unsigned id = 0;
  if (futex == &MODEL_STATE.set.done) return 0;
  while (futex != &MODEL_STATE.marker[id].signal)
    id++;
  return id;
}

static inline void td_plat_wait(_Atomic(uint32_t) *futex, uint32_t expected, uint64_t timeout_ns) {
  if (timeout_ns != 0 &&
      timeout_ns != IDLE_NS) { /* looks again and again until there is something new */
    MODEL_WAIT(atomic_load_explicit(futex, memory_order_relaxed) != expected);
    return;
  }
  _Atomic(uint32_t) *asleep = &MODEL_STATE.asleep[MODEL_SELF];
  atomic_store_explicit(asleep, 1u, memory_order_relaxed);
  atomic_thread_fence(memory_order_seq_cst); /* with the one in td_plat_wake: the system's lock */
  if (MODEL_STEP(compare) && atomic_load_explicit(futex, memory_order_relaxed) != expected) {
    MODEL_MET(CHANGED);
    /* An exchange because the waker may do the same. */
    atomic_exchange_explicit(asleep, 0u, memory_order_relaxed);
    return;
  }
  MODEL_MET(SLEPT);
  MODEL_WAIT(atomic_load_explicit(asleep, memory_order_relaxed) != 1 ||
             (timeout_ns != 0 && MODEL_TIMEOUT()));
  if (timeout_ns != 0) atomic_exchange_explicit(asleep, 0u, memory_order_relaxed);
}

static inline unsigned td_plat_wake(_Atomic(uint32_t) *futex, unsigned count) {
  uint32_t sleeping = 1;
  MODEL_STATE.woken[MODEL_SELF] = parking_whose(futex);
  if (!MODEL_STEP(wake)) return 0;
  atomic_thread_fence(memory_order_seq_cst);
  return atomic_compare_exchange_strong_explicit(&MODEL_STATE.asleep[parking_whose(futex)],
                                                 &sleeping, 2u, memory_order_relaxed,
                                                 memory_order_relaxed);
}

#include "marker/base/idle.c"

/* ---- Work ---- */

static bool parking_promising(struct td_marker *marker) {
  return atomic_load_explicit(&MODEL_STATE.next, memory_order_relaxed) < MODEL_ITEMS;
}

static bool parking_take(struct td_marker *marker) {
  if (!parking_promising(marker)) return false;
  if (atomic_fetch_add_explicit(&MODEL_STATE.next, 1u, memory_order_relaxed) >= MODEL_ITEMS)
    return false;
  if (marker->id != 0) MODEL_MET(HELPED);
  MODEL_STATE.taken[marker->id] = MODEL_STATE.taken[marker->id] + 1;
  return true;
}

static void parking_recruit(struct td_marker *marker) {
  if (td_recruit(marker)) MODEL_MET(RECRUITED);
}

/* The marker has an item, which is done when all have one. Returns whether they have. */
static bool parking_gather(struct td_marker *marker) {
  const uint32_t all = (1u << marker->set->limit) - 1;
  if ((atomic_load_explicit(&MODEL_STATE.arrived, memory_order_relaxed) & all) == all) return true;
  parking_recruit(marker);
  return false;
}

/* Like work() in marker/loop/loop.h: everybody who finds an item wakes somebody for the next. */
static void parking_work(struct td_marker *marker, bool joined) {
  if (!joined && !td_idle(marker, false, parking_promising)) return;
  do
    while (parking_take(marker)) {
      if (MODEL_MANY) {
        atomic_fetch_or_explicit(&MODEL_STATE.arrived, 1u << marker->id, memory_order_relaxed);
        MODEL_WAIT(parking_gather(marker));
      } else {
        parking_recruit(marker);
      }
    }
  while (td_idle(marker, true, parking_promising));
}

/* ---- What marker 0 does ---- */

static inline void parking_init(void) {
  struct td_markers *set = &MODEL_STATE.set;
  MODEL_STATE.engine.work = parking_work;
  set->engine = &MODEL_STATE.engine;
  set->limit = MODEL_HELPERS + 1;
  set->start_ns = 0;
  atomic_init(&set->term.active, 0u);
  atomic_init(&set->sleepers.of[0].bits, 0u);
  atomic_init(&set->spinning, 0u);
  atomic_init(&set->done, 0u);
  atomic_init(&set->waiting, 0u);
  atomic_init(&set->closed, (uint32_t)MODEL_CLOSED);
  atomic_init(&set->quit, 0u);
  atomic_init(&set->collecting, 0u);
  atomic_init(&MODEL_STATE.next, (uint32_t)MODEL_ITEMS);
  atomic_init(&MODEL_STATE.arrived, 0u);
  set->marker = MODEL_STATE.table;
  for (unsigned id = MODEL_HELPERS + 1; id <= PARKING_MOST; id++)
    MODEL_STATE.table[id] = 0;
  for (unsigned id = 0; id <= MODEL_HELPERS; id++) {
    struct td_marker *marker = &MODEL_STATE.marker[id];
    marker->set = set;
    marker->id = id;
    marker->took_part = false;
    MODEL_STATE.table[id] = marker;
    atomic_init(&marker->life, (uint32_t)TD_HELPER_NONE);
    marker->parks = marker->wakes = 0;
    MODEL_STATE.taken[id] = 0;
    atomic_init(&marker->signal, 0u);
    atomic_init(&marker->awake, (uint32_t)(id != 0 && MODEL_STARTED));
    atomic_init(&MODEL_STATE.asleep[id], 0u);
  }
}

/* td_markers_create, after the helpers have been started */
static inline void parking_open(void) {
  td_reopen(&MODEL_STATE.set, false);
  td_wake_all(&MODEL_STATE.set);
}

static inline void parking_phase(void) {
  struct td_markers *set = &MODEL_STATE.set;
  for (unsigned id = 0; id <= MODEL_HELPERS; id++)
    MODEL_STATE.taken[id] = 0;
  atomic_store_explicit(&MODEL_STATE.arrived, 0u, memory_order_relaxed);
  atomic_store_explicit(&MODEL_STATE.next, 0u, memory_order_relaxed);
  td_term_start(&set->term);
  parking_work(&MODEL_STATE.marker[0], true);
  unsigned taken = 0;
  for (unsigned id = 0; id <= MODEL_HELPERS; id++)
    taken += MODEL_STATE.taken[id];
  MODEL_ASSERT(taken == MODEL_ITEMS);
}

/* td_markers_configure */
static inline void parking_configure(unsigned markers) {
  struct td_markers *set = &MODEL_STATE.set;
  if (MODEL_STEP(quiet)) td_quiet(set);
  unsigned before = set->limit;
  set->limit = markers;
  td_reopen(set, before != markers);
}

/* td_markers_destroy; the helpers come to an end. */
static inline void parking_quit(void) {
  /* release [idle.quit]: as shipped */
  atomic_store_explicit(&MODEL_STATE.set.quit, 1u, memory_order_release);
  td_wake_all(&MODEL_STATE.set);
}

#endif
