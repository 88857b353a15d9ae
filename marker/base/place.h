/* SPDX-License-Identifier: MIT */
/* Where markers execute.
 *
 * A helper must not share a CPU with a marker while another CPU is free: then the two take turns,
 * and marking takes longer than with one. Linux looks for a free CPU when it wakes a thread, but
 * only among those that share a cache with the one where the thread was before. Virtual machines
 * often tell of no shared caches. There a helper wakes where it slept, although the collecting
 * thread executes there by now, and stays until the load is balanced some milliseconds later.
 *
 * So a helper that wakes on the CPU of an active marker moves to one where none is. What markers
 * know of each other's CPU may be old; a wrong guess costs time only. The CPUs that a helper may
 * use stay as they are, and other threads of the program are never moved. */
#ifndef TD_MARKER_BASE_PLACE_H
#define TD_MARKER_BASE_PLACE_H

#include "marker/base/state.h"

/* The marker has become active here. */
void td_place_note(struct td_marker *marker);
/* The marker is about to leave. */
void td_place_forget(struct td_marker *marker);
/* For a helper that has woken. */
void td_place_apart(struct td_marker *marker);

#endif
