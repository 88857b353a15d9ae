/* SPDX-License-Identifier: MIT */
/* Nothing but speed depends on a wake-up, with two exceptions that are waited for in loops: the end
 * of a phase (the collecting thread waits for it) and td_quiet.
 *
 * [idle.signal] A thread that wakes others raises a futex word after it has written what they
 * should see.
 * A sleeper reads the word before it looks. The futex compares the word once more, so a change
 * between the look and the sleep is not missed. */
#include "marker/base/idle.h"

#include "marker/base/events.h"
#include "platform/probes.h"

#define WATCH_NS 60000u     /* how long a marker watches for work before it sleeps */
#define QUIET_NS 50000u     /* how long td_quiet sleeps between two looks */
#ifndef IDLE_NS             /* tests/model has helpers that end at once, or never */
#define IDLE_NS 1000000000u /* how long a helper sleeps without a collection before it ends */
#endif
#ifndef PAUSES_MOST      /* tests/model looks less often */
#define PAUSES_MOST 512u /* longest pause between two looks, in pause instructions */
#define QUIET_LOOKS 64u  /* how often td_quiet looks before it sleeps */
#endif

static uint32_t read_word(const _Atomic(uint32_t) *word) {
  /* acquire [idle.signal] */
  return atomic_load_explicit(word, memory_order_acquire);
}

static void raise_word(_Atomic(uint32_t) *word, unsigned count) {
  /* release [idle.signal] */
  atomic_fetch_add_explicit(word, 1, memory_order_release);
  td_plat_wake(word, count);
}

/* Sleeps unless the word has changed from what was seen. `ready`: a helper that may be recruited.
 * Returns true if a helper has slept for a long time and the word is still the same. */
static bool sleep_on(struct td_marker *marker, _Atomic(uint32_t) *word, uint32_t seen, bool ready) {
  struct td_markers *set = marker->set;
  marker->parks++;
  TD_PROBE1(park, marker->id);
  uint64_t since = td_plat_now_ns();
  if (ready && TD_STEP(idle, bit)) td_bits_set(&set->sleepers, marker->id);
  /* release [idle.asleep]: what the helper has read of the configuration; see wait_for_sleepers. */
  atomic_store_explicit(&marker->awake, 0, memory_order_release);
  td_plat_wait(word, seen, marker->id ? IDLE_NS : 0);
  /* seq_cst: see wait_for_sleepers. */
  atomic_store_explicit(&marker->awake, 1, memory_order_seq_cst);
  if (ready) td_bits_clear(&set->sleepers, marker->id);
  uint64_t now = td_plat_now_ns();
  td_naps_add(&marker->naps, since, now);
  TD_PROBE1(wake, marker->id);
  marker->wakes++;
  return marker->id && IDLE_NS > 0 && now - since >= IDLE_NS && read_word(word) == seen;
}

/* Nothing was collected while the helper slept, and nothing is being collected. */
static bool is_superfluous(const struct td_markers *set, uint32_t collecting) {
  /* relaxed, both times: if a collection begins just now, it has one marker less. */
  return collecting % 2 == 0 &&
         atomic_load_explicit(&set->collecting, memory_order_relaxed) == collecting;
}

/* From now on the helper counts as asleep for good: td_markers_ready in marker/helpers.c. */
static void retire(struct td_marker *marker) {
  /* relaxed: the thread that reads it joins this one. */
  atomic_store_explicit(&marker->life, TD_HELPER_RETIRED, memory_order_relaxed);
  /* release [idle.asleep]: as in sleep_on. */
  atomic_store_explicit(&marker->awake, 0, memory_order_release);
}

unsigned td_recruit(struct td_marker *marker) {
  struct td_markers *set = marker->set;
  /* Who watches is awake, and comes sooner. relaxed, as all accesses: it orders nothing. */
  if (atomic_load_explicit(&set->spinning, memory_order_relaxed)) return 0;
  /* All look for sleepers when a phase begins: so each begins elsewhere. */
  const uint32_t count = td_enough(set);
  const uint32_t helper = td_bits_take(&set->sleepers, count, (marker->id + 1) % count);
  if (helper != TD_BITS_NONE) {
    if (TD_STEP(idle, told)) raise_word(&set->marker[helper]->signal, 1);
    return 1;
  }
  /* relaxed: a hint. */
  if (atomic_load_explicit(&set->waiting, memory_order_relaxed) == 0) return 0;
  raise_word(&set->done, 1);
  return 1;
}

uint64_t td_recruit_more(struct td_marker *marker, uint64_t effort) {
  if (td_recruit(marker)) td_event(&marker->events, TIDE_TIMELINE_RECRUIT, 0, 0);
  const uint32_t step = marker->recruit_step;
  if (step < TD_RECRUIT_MOST) marker->recruit_step *= 2;
  return effort + step;
}

/* Markers run out of work together, and `spinning` passes from core to core. The phase would last
 * until the collecting thread has had its turn. So that thread watches without one. */
static bool may_watch(const struct td_marker *marker) {
  struct td_markers *set = marker->set;
  if (!TD_STEP(idle, watch)) return false; /* tests/model may let all sleep at once */
  if (marker->id >= td_enough(set) || td_term_over(&set->term)) return false;
  if (marker->id == 0) return true;
  /* relaxed, both: as above. */
  uint32_t watched = atomic_load_explicit(&set->spinning, memory_order_relaxed);
  return !watched && atomic_compare_exchange_strong_explicit(
                         &set->spinning, &watched, 1, memory_order_relaxed, memory_order_relaxed);
}

/* The collecting thread looks after each pause whether the phase is over. */
static void rest(const struct td_marker *marker, unsigned pauses) {
  for (unsigned i = 0; i < pauses; i++) {
    if (marker->id == 0 && td_term_over(&marker->set->term)) return;
    td_plat_pause();
  }
}

/* Looks for work, ever more seldom. Returns true if the marker has joined. */
static bool watch(struct td_marker *marker, td_promising promising) {
  struct td_markers *set = marker->set;
  uint64_t until = td_plat_now_ns() + WATCH_NS;
  for (unsigned pauses = 4;;) {
    if (td_term_over(&set->term)) return false;
    if (promising(marker)) return td_term_join(&set->term);
    rest(marker, pauses);
    if (pauses < PAUSES_MOST)
      pauses *= 2;
    else if (td_plat_now_ns() >= until)
      return false;
  }
}

/* The collecting thread waits for the end of the phase here. Returns true if it has joined again,
 * because there is something to do. */
static bool wait_for_end(struct td_marker *marker, td_promising promising) {
  struct td_markers *set = marker->set;
  for (;;) {
    uint32_t seen = read_word(&set->done);
    if (td_term_over(&set->term)) return false;
    if (promising(marker) && td_term_join(&set->term)) return true;
    if (td_term_over(&set->term)) return false;
    atomic_store_explicit(&set->waiting, 1, memory_order_relaxed); /* relaxed: a hint */
    sleep_on(marker, &set->done, seen, false);
    atomic_store_explicit(&set->waiting, 0, memory_order_relaxed); /* as above */
  }
}

/* The marker has joined: its statistics and events are its own again. */
static void arrive(struct td_marker *marker) {
  struct tide_marker_stats *stats = &marker->stats;
  marker->joined_ns = td_plat_now_ns();
  if (!marker->took_part) stats->started_ns = marker->joined_ns - marker->set->start_ns;
  marker->took_part = true;
  stats->parks += marker->parks;
  stats->wakes += marker->wakes;
  marker->parks = marker->wakes = 0;
  td_naps_tell(&marker->naps, &marker->events);
  td_event_at(&marker->events, marker->joined_ns, TIDE_TIMELINE_JOIN, 0, 0);
  TD_PROBE1(join, marker->id);
}

/* The marker is about to leave: they are still its own. */
static void part(struct td_marker *marker) {
  uint64_t now = td_plat_now_ns();
  marker->stats.ended_ns = now - marker->set->start_ns;
  marker->stats.trace_ns += now - marker->joined_ns;
  td_event_at(&marker->events, now, TIDE_TIMELINE_LEAVE, 0, marker->stats.objects);
  TD_PROBE2(leave, marker->id, marker->stats.objects);
}

bool td_idle(struct td_marker *marker, bool joined, td_promising promising) {
  struct td_markers *set = marker->set;
  if (joined) part(marker);
  if (joined && td_term_leave(&set->term)) {
    /* The collecting thread waits. Helpers may sleep on: waking them would only delay it. */
    if (marker->id != 0) raise_word(&set->done, 1);
    return false;
  }
  bool again = false;
  if (may_watch(marker)) {
    again = watch(marker, promising);
    if (marker->id != 0) /* relaxed: as above. */
      atomic_store_explicit(&set->spinning, 0, memory_order_relaxed);
  }
  if (!again && marker->id == 0) again = wait_for_end(marker, promising);
  if (again) arrive(marker);
  return again;
}

void *td_helper(void *argument) {
  struct td_marker *marker = argument;
  struct td_markers *set = marker->set;
  for (;;) {
    uint32_t signal = read_word(&marker->signal);
    uint32_t collecting = atomic_load_explicit(&set->collecting, memory_order_relaxed);
    /* acquire [idle.quit]: pairs with td_markers_destroy. */
    if (atomic_load_explicit(&set->quit, memory_order_acquire)) return NULL;
    /* seq_cst: see wait_for_sleepers. While `closed` is 0 and this thread is awake, the
     * configuration does not change. */
    bool wanted =
        !atomic_load_explicit(&set->closed, memory_order_seq_cst) && marker->id < set->limit;
    if (wanted && !td_term_over(&set->term)) set->engine->work(marker, false);
    bool in_vain = sleep_on(marker, &marker->signal, signal, wanted);
    if (in_vain && is_superfluous(set, collecting)) {
      retire(marker);
      return NULL;
    }
  }
}

void td_wake_all(struct td_markers *set) {
  for (unsigned i = 1; i < TIDE_MARKERS_MAX && set->marker[i]; i++)
    raise_word(&set->marker[i]->signal, 1);
}

/* A helper that wakes says that it is awake and then reads `closed`. The configuring thread sets
 * `closed` and then reads who is awake. All four accesses are sequentially consistent, which
 * forbids that the helper finds `closed` 0 while the configuring thread finds it asleep.
 *
 * The configuring thread must not wait awake for long. It may have a higher real-time priority than
 * a helper, or the machine may be crowded; then the helper gets the processor only when this thread
 * sleeps, and yielding would not do. It sleeps with a timeout, so helpers need not know that
 * it waits for them. */
static void wait_for_sleepers(struct td_markers *set) {
  unsigned looks = 0;
  for (unsigned i = 1; i < TIDE_MARKERS_MAX && set->marker[i]; i++) {
    struct td_marker *helper = set->marker[i];
    /* seq_cst: see above; and acquire [idle.asleep]: what it has read, before it is changed. */
    while (atomic_load_explicit(&helper->awake, memory_order_seq_cst))
      if (looks++ < QUIET_LOOKS)
        td_plat_pause();
      else
        td_plat_wait(&helper->awake, 1, QUIET_NS);
  }
}

void td_quiet(struct td_markers *set) {
  atomic_store_explicit(&set->closed, 1, memory_order_seq_cst);
  wait_for_sleepers(set);
}

/* A helper that found the configuration closed went to sleep without its bit and cannot be
 * recruited: it did not know whether it may take part. One that is awake may have done so as well
 * and have its bit still. If it is asleep by now, it is seen without. */
static void wake_deaf(struct td_markers *set) {
  for (unsigned i = 1; i < set->limit && set->marker[i]; i++) {
    struct td_marker *helper = set->marker[i];
    /* seq_cst: a helper that found `closed` 1 said before that it is awake. */
    bool awake = TD_STEP(idle, awake) && atomic_load_explicit(&helper->awake, memory_order_seq_cst);
    if (awake || !td_bits_has(&set->sleepers, i)) raise_word(&helper->signal, 1);
  }
}

void td_reopen(struct td_markers *set, bool moved) {
  atomic_store_explicit(&set->closed, 0, memory_order_seq_cst);
  if (!moved) {
    wake_deaf(set);
    return;
  }
  /* All helpers now find out whether they may be recruited. */
  td_wake_all(set);
  wait_for_sleepers(set);
}
