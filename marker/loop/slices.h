/* SPDX-License-Identifier: MIT */
/* Scanning arrays. A long array is cut in halves until a slice is short; the later halves go into
 * the queue, where thieves find them. */
#ifndef TD_MARKER_LOOP_SLICES_H
#define TD_MARKER_LOOP_SLICES_H

#include "marker/scan/array.h"
#include "marker/loop/state.h"
#include "marker/region/regions.h"

/* Returns how often an array of `count` slots can be cut in halves before slices are short. */
static unsigned cuts_of(size_t count) {
  unsigned cuts = 0;
  while (((size_t)TD_SLICE_SLOTS << cuts) < count)
    cuts++;
  return cuts;
}

/* Halves the slice and returns the first part. When the queue is full, that is all the rest. */
TD_INLINE struct td_array cut_slice(struct loop *l, uint64_t item) {
  uint64_t granule = td_item_granule(item), number = td_item_number(item);
  struct td_array a = td_array_of(l->marker->set->space, td_view_object(&l->v, granule));
  size_t count = a.to - a.from;
  unsigned depth = td_slice_depth(number), level = cuts_of(count) - depth;
  size_t index = number - ((size_t)1 << depth);
  size_t to = (index + 1) << level;
  l->mode.wide |= count >= l->marker->set->regions->wide_slots;
  for (; level > 0 && td_slice_can_be_cut(number); number *= 2) {
    level--;
    index *= 2;
    if (((index + 1) << level) * TD_SLICE_SLOTS >= count) continue;
    if (!Q(put)(l->queue, &l->o, td_slice_item(granule, 2 * number + 1))) break;
    to = (index + 1) << level;
  }
  size_t stop = a.from + to * TD_SLICE_SLOTS;
  a.from += (index << level) * TD_SLICE_SLOTS;
  a.to = stop < a.to ? stop : a.to;
  a.is_part = true;
  return a;
}

/* Returns all slots of an array that need not be cut, and the first part of a longer one. */
TD_INLINE struct td_array cut_array(struct loop *l, uintptr_t object) {
  struct td_array a = td_array_of(l->marker->set->space, object);
  if (a.to - a.from <= 2 * TD_SLICE_SLOTS) return a;
  return cut_slice(l, td_slice_item(td_view_granule(&l->v, object), 1));
}

TD_INLINE void scan_slice(struct loop *l, uint64_t item, td_visit visit_one) {
  struct td_array part = cut_slice(l, item);
  td_array_scan(&part, &l->v, visit_one, l);
}

TD_INLINE void scan_array(struct loop *l, uintptr_t object, td_visit visit_one) {
  struct td_array part = cut_array(l, object);
  td_array_scan(&part, &l->v, visit_one, l);
}

#endif
