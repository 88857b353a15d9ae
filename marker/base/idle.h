/* SPDX-License-Identifier: MIT */
/* Markers without work: watching, sleeping, being woken.
 *
 * A helper sleeps on a futex of its own from one collection to the next, until a collection needs
 * it. A marker that has run out of work leaves the phase. One of those that have left watches for
 * new work for a while, ever more seldom; the others sleep at once. */
#ifndef TD_MARKER_BASE_IDLE_H
#define TD_MARKER_BASE_IDLE_H

#include "marker/base/state.h"

/* Returns whether another try to find work would pay. May tell other markers what is wanted. */
typedef bool (*td_promising)(struct td_marker *marker);

/* The marker has nothing to do. If it has `joined`, leaves the phase; then waits. Returns true if
 * it has joined (again), because there may be work; false if the phase is over, or a helper should
 * go back to sleep. */
bool td_idle(struct td_marker *marker, bool joined, td_promising promising);

/* Wakes a sleeping marker, the next one from this one on. Returns how many were told to wake, 0 or
 * 1. */
unsigned td_recruit(struct td_marker *marker);
/* The same for a marker that has done `effort` in this phase, in objects, and has work to share.
 * Returns the effort at which to recruit again. */
uint64_t td_recruit_more(struct td_marker *marker, uint64_t effort);

/* The life of a helper thread; the argument is its struct td_marker. */
void *td_helper(void *argument);

/* ---- The collecting thread, between phases ---- */

/* Waits until every helper sleeps, and keeps helpers from looking at anything until td_reopen. */
void td_quiet(struct td_markers *set);
/* Ends that. `moved`: the number of markers has changed. */
void td_reopen(struct td_markers *set, bool moved);
/* Wakes all sleepers, so that they look what has changed. */
void td_wake_all(struct td_markers *set);

/* Ends all helpers; no collection is going on. marker/helpers.c says when they begin and end. */
void td_helpers_end(struct td_markers *set);

#endif
