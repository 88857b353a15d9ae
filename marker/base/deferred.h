/* SPDX-License-Identifier: MIT */
/* Deferred work: grey objects that are kept in the mark table instead of a queue. Such an object
 * has the bit TD_DEFERRED in its mark byte, and its page has a flag (heap/space/marks.h). The table
 * has room for every object of the heap, so work that no queue takes needs no memory of its own. */
#ifndef TD_MARKER_BASE_DEFERRED_H
#define TD_MARKER_BASE_DEFERRED_H

#include "heap/space/marks.h"
#include "marker/base/state.h"

/* Marks and counts the object that a reference leads to, or into which a conservative word points,
 * and defers it. Does nothing if it is marked already. A leaf is only marked and counted, for there
 * is nothing to scan in it. */
void td_defer(struct td_marker *marker, uintptr_t reference);
/* Defers an object that is grey already. */
void td_defer_grey(struct td_marker *marker, uintptr_t object);
/* Before a phase beside the program: the marker answers for the flags that mutators have set. */
void td_deferred_answer_for_others(struct td_marker *marker);
/* Flags a page. */
void td_deferred_flag(struct td_marker *marker, size_t page);
/* For a marker without work, active or not. Returns the first flagged page from that of `from` on,
 * cyclically; 0 if there is none. Page 0 is never flagged, because its block holds no objects. If
 * `from` is 0, each marker begins elsewhere. */
size_t td_deferred_find(const struct td_marker *marker, size_t from);

#endif
