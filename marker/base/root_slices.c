/* SPDX-License-Identifier: MIT */
#include "marker/base/root_slices.h"

static uint64_t slices_of(const struct td_span *span) {
  return (span->count + TD_SLICE_SLOTS - 1) / TD_SLICE_SLOTS;
}

void td_root_slices_begin(struct td_markers *set, const struct td_span *spans, size_t count) {
  uint64_t slices = 0;
  for (size_t i = 0; i < count; i++)
    slices += slices_of(&spans[i]);
  set->spans = spans;
  set->span_count = count;
  /* relaxed, both: td_term_start publishes them: [term.start]. */
  atomic_store_explicit(&set->root_next, 0, memory_order_relaxed);
  atomic_store_explicit(&set->root_slices, slices, memory_order_relaxed);
}

bool td_root_slices_left(const struct td_markers *set) {
  /* relaxed, both: a stale number costs one more try; fetch_add below gives each slice to one
   * marker. */
  return atomic_load_explicit(&set->root_next, memory_order_relaxed) <
         atomic_load_explicit(&set->root_slices, memory_order_relaxed);
}

bool td_root_slices_next(struct td_marker *marker, struct td_root_slice *slice) {
  struct td_markers *set = marker->set;
  struct td_root_cursor *at = &marker->at;
  if (!td_root_slices_left(set)) return false;
  /* relaxed: only the counter matters; the spans were published by [term.start]. */
  uint64_t mine = atomic_fetch_add_explicit(&set->root_next, 1, memory_order_relaxed);
  /* relaxed: constant during a phase. */
  if (mine >= atomic_load_explicit(&set->root_slices, memory_order_relaxed)) return false;
  if (at->phase != set->phase) *at = (struct td_root_cursor){.phase = set->phase};
  /* The numbers that a marker gets only grow, so it walks the spans once. */
  while (mine - at->first >= slices_of(&set->spans[at->span]))
    at->first += slices_of(&set->spans[at->span++]);
  const struct td_span *span = &set->spans[at->span];
  size_t from = (mine - at->first) * TD_SLICE_SLOTS;
  size_t left = span->count - from;
  slice->start = (const uintptr_t *)span->start + from;
  slice->count = left < TD_SLICE_SLOTS ? left : TD_SLICE_SLOTS;
  slice->kind = span->kind;
  return true;
}
