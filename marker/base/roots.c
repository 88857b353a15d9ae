/* Roots in slices: markers take the next one from a shared counter, so that one long root array
 * and ten thousand short ones keep everybody busy alike. */
#include "marker/base/state.h"

static uint64_t slices_of(const struct td_span *span) {
  return (span->count + TD_SLICE_SLOTS - 1) / TD_SLICE_SLOTS;
}

bool td_roots_left(const struct td_markers *set) {
  /* relaxed, both: slices are claimed by fetch_add below; a stale number costs one more try. */
  return atomic_load_explicit(&set->root_next, memory_order_relaxed) <
         atomic_load_explicit(&set->root_slices, memory_order_relaxed);
}

bool td_roots_next(struct td_marker *marker, struct td_root_slice *slice) {
  struct td_markers *set = marker->set;
  if (!td_roots_left(set)) return false;
  /* relaxed: a counter; the spans were published when the run started: [term.start]. */
  uint64_t mine = atomic_fetch_add_explicit(&set->root_next, 1, memory_order_relaxed);
  if (mine >= atomic_load_explicit(&set->root_slices, memory_order_relaxed)) return false;
  if (marker->span_run != set->run) {
    marker->span_run = set->run;
    marker->span = 0;
    marker->span_first = 0;
  }
  /* Numbers only grow, so each marker walks the spans once. */
  while (mine - marker->span_first >= slices_of(&set->spans[marker->span]))
    marker->span_first += slices_of(&set->spans[marker->span++]);
  const struct td_span *span = &set->spans[marker->span];
  size_t from = (mine - marker->span_first) * TD_SLICE_SLOTS;
  size_t left = span->count - from;
  slice->start = (const uintptr_t *)span->start + from;
  slice->count = left < TD_SLICE_SLOTS ? left : TD_SLICE_SLOTS;
  slice->kind = span->kind;
  return true;
}
