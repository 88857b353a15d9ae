/* SPDX-License-Identifier: MIT */
/* What the modes that follow the newest child do with a reference. */
#ifndef TD_MARKER_LOOP_FOLLOW_H
#define TD_MARKER_LOOP_FOLLOW_H

#include "marker/loop/object.h"
#include "marker/loop/own_queue.h"

/* Does the object end at the one scanned last, or little before it? */
TD_INLINE bool is_right_below(const struct loop *l, uintptr_t object) {
  return l->last - object <= TD_CACHE_LINE;
}

/* The child becomes the newest one; the one that was goes into the queue, unless it lies right
 * below the object. A tree that was built from the leaves up has its last child there, one built
 * from the root down its first right above: so both are marked in the order in which they lie in
 * memory.
 *
 * In a list whose elements lead to further objects this may have the list followed to its end
 * first, and what the elements lead to fills the queue. When the queue has become deep, it is the
 * other way round: so an element's objects come before the next element. */
TD_INLINE void follow(struct loop *l, uintptr_t word) {
  if (l->next && is_right_below(l, l->next) != l->mode.deep) {
    put(l, word);
    return;
  }
  if (l->next) put(l, l->next);
  l->next = word;
}

TD_INLINE void visit(void *context, uintptr_t word) {
  struct loop *l = context;
  if (td_view_is_reference(&l->v, word)) follow(l, word);
}

/* Returns whether an object begins there that is a leaf. A leaf is marked. */
TD_INLINE bool visit_leaf(struct loop *l, uintptr_t word) {
  if (td_block_kind_seen(td_view_block(&l->v, word)) != TD_KIND_LEAF) return false;
  enum td_met met = td_view_meet(&l->v, word);
  if (met != TD_MET_WHITE) return met == TD_MET_MARKED;
  td_mark_store(td_view_mark(&l->v, word), l->v.epoch);
  l->leaves++;
  return true;
}

/* The same as visit, but a leaf is marked at once. This always pays for the slots of an array,
 * because the reads of the slots after it do not depend on it. */
TD_INLINE void visit_element(void *context, uintptr_t word) {
  struct loop *l = context;
  if (!td_view_is_reference(&l->v, word) || visit_leaf(l, word)) return;
  follow(l, word);
}

#endif
