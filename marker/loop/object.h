/* SPDX-License-Identifier: MIT */
/* Scanning one object, of any kind, and putting what it leads to into the marker's own queue. An
 * item for which the queue has no room is deferred. A long array is cut in halves until a slice is
 * short; the later halves go into the queue, where thieves find them. */
#ifndef TD_MARKER_LOOP_OBJECT_H
#define TD_MARKER_LOOP_OBJECT_H

#include "marker/base/deferred.h"
#include "marker/loop/state.h"
#include "marker/region/regions.h"
#include "marker/scan/rare.h"

/* ---- The own queue ---- */

/* Defers an object, given as an item. */
static __attribute__((noinline, cold)) void defer(struct td_marker *marker, uint64_t item) {
  if (item & TD_ITEM_GREY)
    td_defer_grey(marker, item & ~TD_ITEM_GREY);
  else
    td_defer(marker, item);
}

TD_INLINE void notice_full(struct loop *l) {
  l->mode.full = true;
  l->poll = 1; /* the next poll, which sees it, comes at once */
}

TD_INLINE void refused(struct loop *l, uint64_t item) {
  defer(l->marker, item);
  notice_full(l);
}

TD_INLINE void put(struct loop *l, uint64_t item) {
  if (__builtin_expect(!Q(put)(l->queue, &l->o, item), 0)) refused(l, item);
}

/* The address, which a conservative word held, is not that of an object. If it lies inside of a
 * cell, that becomes an item; `o` is the owner's part of the queue. */
TD_INLINE void put_inside(struct loop *l, const struct td_view *v, struct Q(owner) * o,
                          uintptr_t address) {
  uintptr_t cell = td_view_inside(v->space, address);
  if (cell && !Q(put)(l->queue, o, cell)) refused(l, cell);
}

/* ---- Arrays ---- */

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

/* ---- One object ---- */

/* Returns whether an unmarked object begins at the address. It is marked here. If the
 * address lies inside of an object, that one waits in the queue; `o` is the owner's part of it. */
TD_INLINE bool claim_at(struct loop *l, const struct td_view *v, struct Q(owner) * o,
                        uintptr_t address) {
  enum td_met met = td_view_meet(v, address);
  if (__builtin_expect(met == TD_MET_OTHER, 0)) put_inside(l, v, o, address);
  if (met != TD_MET_WHITE) return false;
  td_mark_store(td_view_mark(v, address), v->epoch);
  l->objects++;
  return true;
}

/* Returns whether the item has to be scanned. A grey one has been marked before. */
TD_INLINE bool claim(struct loop *l, const struct td_view *v, struct Q(owner) * o, uint64_t item) {
  return item & TD_ITEM_GREY || claim_at(l, v, o, item);
}

/* Scans an object that is marked, if it is short: if its slots have a map. Returns whether it is.
 */
TD_INLINE bool scan_short(struct loop *l, uintptr_t object, const struct td_block *block,
                          td_visit visit_one) {
  l->last = object;
  if (td_kind_is_bitmap(block->kind))
    td_scan_map(&l->v, (const uintptr_t *)object, block->map, false, visit_one, l);
  else if (td_kind_is_words(block->kind))
    td_scan_map(&l->v, (const uintptr_t *)object, block->map, true, visit_one, l);
  else
    return false;
  return true;
}

/* Scans an object that is marked, if it is neither short nor an array. */
TD_INLINE void scan_rest(struct loop *l, uintptr_t object, uint8_t kind, td_visit visit_many) {
  if (kind == TD_KIND_LEAF)
    l->marker->queued_leaves++;
  else
    td_scan_rare(l->marker, object, visit_many, l);
}

/* Scans an object that is marked, if it is not short. */
TD_INLINE void scan_long(struct loop *l, uintptr_t object, uint8_t kind, td_visit visit_many) {
  if (td_kind_is_array(kind))
    scan_array(l, object, visit_many);
  else
    scan_rest(l, object, kind, visit_many);
}

/* Scans an object that is marked: calls visit_one for the slots of a short object, visit_many for
 * those of longer ones. */
TD_INLINE void scan_children(struct loop *l, uintptr_t object, const struct td_block *block,
                             td_visit visit_one, td_visit visit_many) {
  if (!scan_short(l, object, block, visit_one)) scan_long(l, object, block->kind, visit_many);
}

TD_INLINE bool is_near(const struct loop *l, uint64_t item) {
  return td_is_near(item, l->last);
}

TD_INLINE void fetch_ahead(const struct loop *l, uintptr_t object) {
  td_fetch_ahead(object, l->last);
}

#endif
