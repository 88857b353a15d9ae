/* Scanning arrays. A long array is cut in halves until a slice is short; the later halves go into
 * the queue, where thieves find them. */
#ifndef TD_MARKER_LOOP_SLICES_H
#define TD_MARKER_LOOP_SLICES_H

#include "marker/loop/array.h"
#include "marker/loop/state.h"

/* Halves the slice and scans the first part. When the queue is full, that is all the rest. */
TD_INLINE void scan_slice(struct loop *l, uint64_t item, td_visit visit_one) {
  uint64_t granule = td_item_granule(item), index = td_item_index(item);
  unsigned level = td_item_level(item);
  struct td_array a = td_array_of(l->marker->set->space, td_view_object(&l->v, granule));
  size_t count = a.to - a.from;
  size_t to = (index + 1) << level;
  while (level > 0 && index < (uint64_t)1 << (TD_ITEM_INDEX_BITS - 1)) {
    level--;
    index *= 2;
    if (((index + 1) << level) * TD_SLICE_SLOTS >= count) continue;
    if (!Q(put)(l->queue, &l->o, td_slice_item(granule, level, index + 1))) break;
    to = (index + 1) << level;
  }
  size_t start = a.from + (index << level) * TD_SLICE_SLOTS;
  size_t stop = a.from + to * TD_SLICE_SLOTS;
  td_array_scan(&a, l->marker->set->space, start, stop < a.to ? stop : a.to, visit_one, l);
}

/* Returns the level of the slice that covers `count` slots. */
static unsigned top_level(size_t count) {
  unsigned level = 0;
  while (((size_t)TD_SLICE_SLOTS << level) < count)
    level++;
  return level;
}

TD_INLINE void scan_array(struct loop *l, uintptr_t object, td_visit visit_one) {
  struct td_array a = td_array_of(l->marker->set->space, object);
  if (a.to - a.from <= 2 * TD_SLICE_SLOTS)
    td_array_scan(&a, l->marker->set->space, a.from, a.to, visit_one, l);
  else
    scan_slice(l, td_slice_item(td_view_granule(&l->v, object), top_level(a.to - a.from), 0),
               visit_one);
}

#endif
