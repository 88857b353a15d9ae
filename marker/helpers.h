/* SPDX-License-Identifier: MIT */
/* The helper threads of a set of markers: when they begin and end.
 *
 * Helpers are started by the collection that needs them, before it stops the world. A thread that
 * the system refuses is one marker less, no error. Helpers that no collection has needed for a
 * second end. So they never keep a process alive whose own threads have all ended, a forked child
 * that does not collect has one thread, and so has a program that collects no more. */
#ifndef TD_MARKER_HELPERS_H
#define TD_MARKER_HELPERS_H

#include "marker/base/state.h"

/* Ends all helpers. No collection is going on. */
void td_helpers_end(struct td_markers *set);

#endif
