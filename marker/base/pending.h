/* The dense frontier: objects that are marked and pending, and a flag for each page that has some
 * (heap/marks.h). It lives in the mark table, so a frontier of any size needs no memory of its own,
 * and nothing can overflow. */
#ifndef TD_MARKER_BASE_PENDING_H
#define TD_MARKER_BASE_PENDING_H

#include "heap/marks.h"
#include "marker/base/state.h"

#define TD_CHUNK_PAGES (TD_CHUNK_BLOCKS * TD_BLOCK_PAGES)

/* The row in which a marker stores flags, and whether others do so, too. */
static inline _Atomic(uint8_t) *td_pending_row(const struct td_marker *marker) {
  return td_flag_row(marker->set->space, marker->id % TD_FLAG_ROWS);
}
static inline bool td_pending_shared(const struct td_markers *set) {
  return set->limit > TD_FLAG_ROWS;
}
static inline void td_pending_store(_Atomic(uint8_t) *flag, bool shared) {
  if (shared)
    td_flag_store_shared(flag);
  else
    td_flag_store(flag);
}

/* From now on there may be flags: before the first one is stored. */
void td_pending_announce(struct td_markers *set);
/* Makes an object marked, counted and pending, and flags its page; nothing if it is marked
 * already. A leaf is only marked. */
void td_pending_defer(struct td_marker *marker, uintptr_t object);
/* The same for an object whose scanning is owed already. */
void td_pending_owe(struct td_marker *marker, uintptr_t object);
/* Flags a page in the marker's row. */
void td_pending_flag(struct td_marker *marker, size_t page);
/* Takes the flags of a page in all rows: true if one was set. */
bool td_pending_take(struct td_markers *set, size_t page);
/* Which of eight pages are flagged, from one divisible by eight: a byte each, 0 if not. */
uint64_t td_pending_eight(const struct td_markers *set, size_t page);
/* The first flagged page at or after `from`, cyclically; 0: none. */
size_t td_pending_page(const struct td_markers *set, size_t from);

#endif
