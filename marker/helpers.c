/* SPDX-License-Identifier: MIT */
/* The helper threads of a set of markers: when they begin and end.
 *
 * Helpers are started by the collection that needs them, before it stops the world. A thread that
 * the system refuses is one marker less, no error. Helpers that no collection has needed for a
 * second end. So they never keep a process alive whose own threads have all ended, a forked child
 * that does not collect has one thread, and so has a program that collects no more. */
#include "marker/base/idle.h"
#include "marker/marker.h"

static _Thread_local const struct td_markers *helped; /* NULL in a thread that is no helper */

bool td_markers_has_thread(const struct td_markers *markers) {
  return helped == markers;
}

bool td_markers_is_helper(void) {
  return helped != NULL;
}

/* The last thread of a process that ends goes through the program's exit handlers: it is no helper
 * any more then. */
static void *help(void *argument) {
  struct td_marker *marker = argument;
  helped = marker->set;
  td_helper(marker);
  helped = NULL;
  return NULL;
}

static enum td_helper_life life_of(const struct td_marker *marker) {
  /* relaxed: what follows a retirement is ordered by the join. */
  return (enum td_helper_life)atomic_load_explicit(&marker->life, memory_order_relaxed);
}

static void set_life(struct td_marker *marker, enum td_helper_life life) {
  /* relaxed: the helper does not exist, or not yet. */
  atomic_store_explicit(&marker->life, (uint32_t)life, memory_order_relaxed);
}

static void bury(struct td_marker *marker) {
  td_plat_thread_join(&marker->thread);
  set_life(marker, TD_HELPER_NONE);
}

static void set_awake(struct td_marker *marker, uint32_t awake) {
  atomic_store_explicit(&marker->awake, awake, memory_order_relaxed); /* relaxed: as above */
}

static bool start(struct td_marker *marker) {
  set_life(marker, TD_HELPER_LIVES);
  set_awake(marker, 1);
  if (td_plat_thread_start(&marker->thread, help, marker)) return true;
  set_awake(marker, 0);
  set_life(marker, TD_HELPER_NONE);
  return false;
}

void td_markers_ready(struct td_markers *set) {
  /* relaxed: a helper that decides just now to end is one marker less in this collection. */
  atomic_fetch_add_explicit(&set->collecting, 1, memory_order_relaxed);
  bool refused = false;
  set->available = 1;
  if (td_is_early_before_stop(set)) return;
  for (unsigned i = 1; i < set->limit; i++) {
    struct td_marker *marker = set->marker[i];
    if (life_of(marker) == TD_HELPER_RETIRED) bury(marker);
    if (life_of(marker) == TD_HELPER_NONE && !refused) refused = !start(marker);
    set->available += life_of(marker) == TD_HELPER_LIVES;
  }
}

void td_helpers_end(struct td_markers *set) {
  /* release [idle.quit]: pairs with td_helper. */
  atomic_store_explicit(&set->quit, 1, memory_order_release);
  td_wake_all(set);
  for (unsigned i = 1; i < TIDE_MARKERS_MAX && set->marker[i]; i++)
    if (life_of(set->marker[i]) != TD_HELPER_NONE) td_plat_thread_join(&set->marker[i]->thread);
}

void td_markers_after_fork(struct td_markers *set) {
  for (unsigned i = 1; i < TIDE_MARKERS_MAX && set->marker[i]; i++) {
    set_life(set->marker[i], TD_HELPER_NONE);
    set_awake(set->marker[i], 0);
    td_bits_clear(&set->sleepers, i);
  }
  atomic_store_explicit(&set->spinning, 0,
                        memory_order_relaxed); /* relaxed, both: the only thread */
  atomic_store_explicit(&set->waiting, 0, memory_order_relaxed);
}
