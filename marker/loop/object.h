/* SPDX-License-Identifier: MIT */
/* Scanning one object, of any kind, and prefetching those that come after it. */
#ifndef TD_MARKER_LOOP_OBJECT_H
#define TD_MARKER_LOOP_OBJECT_H

#include "marker/loop/own_queue.h"
#include "marker/loop/slices.h"
#include "marker/loop/state.h"
#include "marker/scan/rare.h"

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
