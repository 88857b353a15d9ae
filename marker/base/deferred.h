/* SPDX-License-Identifier: MIT */
/* Deferred work: grey objects that are kept in the mark table instead of a queue. Such an object
 * has the bit TD_DEFERRED in its mark byte, and its page has a flag (heap/space/marks.h). The table
 * has room for every object of the heap, so work that no queue takes needs no memory of its own. */
#ifndef TD_MARKER_BASE_DEFERRED_H
#define TD_MARKER_BASE_DEFERRED_H

#include "heap/space/marks.h"
#include "marker/base/state.h"

#define TD_CHUNK_PAGES (TD_CHUNK_BLOCKS * TD_BLOCK_PAGES)

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
/* Takes the flag of a page from all rows. Returns true if there was one: the caller then scans the
 * deferred objects of all pages that share it, td_deferred_unit, after td_deferred_taken. */
bool td_deferred_take(struct td_markers *set, size_t page);
/* The same for eight pages at once: returns a byte for each, 0 if it had no flag. `page` is the
 * first one, a multiple of eight. */
uint64_t td_deferred_take_eight(struct td_markers *set, size_t page);
/* Returns the first page of the first flag from that of `from` on, cyclically; 0 if there is none.
 * Page 0 is never flagged, because its block holds no objects. */
size_t td_deferred_page(const struct td_markers *set, size_t from);
/* The same for an active marker without work. Few markers look at all pages. Among many, that would
 * get dearer with each of them, because flags come from the cores that set them. There a marker
 * answers for its own flags: if it has set any, it looks at its whole row, and when it finds
 * nothing it may leave the phase as far as flags are concerned. At flags of others it takes a
 * glance. */
size_t td_deferred_find(struct td_marker *marker, size_t from);
/* A look at a few pages of a marker that has set flags, others each time; at all if markers are
 * few. For a marker that watches: it has no flags to answer for. */
size_t td_deferred_glance(struct td_marker *marker);

/* ---- Rows: each of few markers sets flags in its own; more share one, [flag.fence] ---- */

static inline bool td_deferred_row_is_shared(const struct td_markers *set) {
  return set->limit > TD_FLAG_ROWS;
}
/* How many pages have one flag in the row that markers share: eight. The flags of each stretch
 * (TD_CHUNK_BLOCKS) have a cache line of their own there, so that it is one line that passes from
 * core to core. A flag for a page that has no deferred objects costs a look at its marks. */
#define TD_DEFERRED_UNIT 8u
#define TD_DEFERRED_LINE 64u
_Static_assert(TD_CHUNK_PAGES / TD_DEFERRED_UNIT <= TD_DEFERRED_LINE &&
                   TD_CHUNK_PAGES >= TD_DEFERRED_LINE,
               "flags of a chunk fit one line, and a row has room for these lines");
static inline unsigned td_deferred_unit(const struct td_markers *set) {
  return td_deferred_row_is_shared(set) ? TD_DEFERRED_UNIT : 1;
}
/* Returns which flag of its row a page has. */
static inline size_t td_deferred_at_shared(size_t page) {
  return page / TD_CHUNK_PAGES * TD_DEFERRED_LINE + page % TD_CHUNK_PAGES / TD_DEFERRED_UNIT;
}
static inline size_t td_deferred_at(const struct td_markers *set, size_t page) {
  return td_deferred_row_is_shared(set) ? td_deferred_at_shared(page) : page;
}
/* Returns the number of the row in which the marker sets flags. */
static inline unsigned td_deferred_row_of(const struct td_markers *set, unsigned id) {
  return td_deferred_row_is_shared(set) ? 0 : id;
}
static inline _Atomic(uint8_t) *td_deferred_row(const struct td_marker *marker) {
  return td_flag_row(marker->set->space, td_deferred_row_of(marker->set, marker->id));
}
/* Must be called when flags have been taken, before bytes are read. */
static inline void td_deferred_taken(const struct td_markers *set) {
  if (td_deferred_row_is_shared(set)) td_flag_fence_taken();
}

#endif
