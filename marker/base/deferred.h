/* Deferred work: grey objects that are kept in the mark table instead of a queue. Such an object
 * has the bit TD_DEFERRED in its mark byte, and its page has a flag (heap/marks.h). The table has
 * room for every object of the heap, so work that no queue takes never needs memory of its own. */
#ifndef TD_MARKER_BASE_DEFERRED_H
#define TD_MARKER_BASE_DEFERRED_H

#include "heap/marks.h"
#include "marker/base/state.h"

#define TD_CHUNK_PAGES (TD_CHUNK_BLOCKS * TD_BLOCK_PAGES)

/* Marks and counts the object that a reference leads to, or into which a conservative word points,
 * and defers it. Does nothing if it is marked already. A leaf is only marked and counted, for there
 * is nothing to scan in it. */
void td_defer(struct td_marker *marker, uintptr_t reference);
/* Defers an object that is grey already. */
void td_defer_grey(struct td_marker *marker, uintptr_t object);

/* Must be called before the marker sets flags in its row by itself. td_defer, td_defer_grey and
 * td_deferred_flag do so. */
void td_deferred_announce(struct td_marker *marker);
/* Flags a page. */
void td_deferred_flag(struct td_marker *marker, size_t page);
/* Takes the flags of a page from all rows. Returns true if there was one: the caller then scans
 * the deferred objects of the page. */
bool td_deferred_take(struct td_markers *set, size_t page);
/* Returns which of eight pages are flagged, a byte for each, 0 if it is not. `page` is the first
 * one, a multiple of eight. */
uint64_t td_deferred_eight(const struct td_markers *set, size_t page);
/* Returns the first flagged page from `from` on, cyclically; 0 if there is none. Page 0 is never
 * flagged, because it holds no objects. */
size_t td_deferred_page(const struct td_markers *set, size_t from);
/* The same for an active marker without work. Few markers look at all pages. Among many, that would
 * get dearer with each of them, because flags come from the cores that set them. There a marker
 * answers for its own flags: if it has set any, it looks at its whole row, and when it finds
 * nothing it may leave the phase as far as flags are concerned. At flags of others it takes a
 * glance. */
size_t td_deferred_find(struct td_marker *marker, size_t from);
/* A look at a few pages of somebody who has set flags, others each time; at all if markers are few.
 * For a marker that watches: it has no flags to answer for. */
size_t td_deferred_glance(struct td_marker *marker);

/* ---- Rows: each marker sets flags in one row; rows are shared if there are more markers ---- */

static inline _Atomic(uint8_t) *td_deferred_row(const struct td_marker *marker) {
  return td_flag_row(marker->set->space, marker->id % TD_FLAG_ROWS);
}
static inline bool td_deferred_rows_are_shared(const struct td_markers *set) {
  return set->limit > TD_FLAG_ROWS;
}
static inline void td_deferred_store(_Atomic(uint8_t) *flag, bool shared) {
  if (shared)
    td_flag_store_shared(flag);
  else
    td_flag_store(flag);
}

#endif
