/* SPDX-License-Identifier: MIT */
/* Roots in slices. Markers take the next slice from a shared counter, so that one long array of
 * roots and ten thousand short ones keep all markers busy alike. */
#ifndef TD_MARKER_BASE_ROOT_SLICES_H
#define TD_MARKER_BASE_ROOT_SLICES_H

#include "marker/base/state.h"

/* Up to TD_SLICE_SLOTS words of a span. */
struct td_root_slice {
  const void *start;
  size_t count;
  enum td_span_kind kind;
};

/* Makes the spans the roots of the next phase. The collecting thread, before td_term_start. */
void td_root_slices_begin(struct td_markers *set, const struct td_span *spans, size_t count);
/* Takes the next slice. Returns false if there is none left. */
bool td_root_slices_next(struct td_marker *marker, struct td_root_slice *slice);
/* Returns whether a slice seems to be left. */
bool td_root_slices_left(const struct td_markers *set);

#endif
