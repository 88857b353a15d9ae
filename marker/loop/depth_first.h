/* Modes DEPTH_FIRST and LEAVES_EARLY: following the newest child.
 *
 * References go into the queue as they are, the last one first; the newest child stays out of it.
 * An item near the object scanned last is scanned at once. Any other one is prefetched and waits in
 * the window, so that several misses are under way together; a frontier of few objects does not
 * wait until the window is full.
 *
 * This is best where nearly every reference leads to a new object, as in lists and trees. Once many
 * leaves have come out of the queue, they are marked where they are met: mode LEAVES_EARLY. */
#ifndef TD_MARKER_LOOP_DEPTH_FIRST_H
#define TD_MARKER_LOOP_DEPTH_FIRST_H

#include "marker/loop/object.h"
#include "marker/loop/own_queue.h"
#include "marker/loop/poll.h"

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
  if (td_view_block(&l->v, word)->kind != TD_KIND_LEAF) return false;
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

/* Scans a slice that came out of the queue. */
TD_INLINE void scan_queued_slice(struct loop *l, uint64_t slice, td_visit visit_one) {
  scan_slice(l, slice, visit_one);
  l->sharing.effort += TD_SLICE_EFFORT;
  share(l);
}

/* Fills the window from the queue. Returns an object that is near and should be scanned at once; 0
 * if there was none, or if a slice was scanned that has a new child. */
TD_INLINE uint64_t refill(struct loop *l) {
  while (l->window.count < TD_WINDOW) {
    uint64_t item = Q(get)(l->queue, &l->o);
    if (item == 0) return 0;
    if (__builtin_expect((item & TD_ITEM_SLICE) != 0, 0)) {
      scan_queued_slice(l, item, visit_element);
      if (l->next) return 0;
    } else if (is_near(l, item)) {
      fetch_ahead(l, item);
      return item;
    } else {
      td_window_append(&l->window, &l->v, item);
    }
  }
  return 0;
}

/* Follows the newest child for as long as it is near: down a list, or a tree that lies in memory in
 * the order of marking. This is the shortest path from one object to the next. Returns false if the
 * mode has to be left. */
TD_INLINE bool chase(struct loop *l, enum mode mode, td_visit visit_one) {
  while (l->next && is_near(l, l->next)) {
    if (has_to_leave(l, mode)) return false;
    uintptr_t object = l->next;
    fetch_ahead(l, object);
    l->next = 0;
    if (!claim_at(l, &l->v, &l->o, object)) return true;
    scan_children(l, object, td_view_block(&l->v, object), visit_one, visit_element);
  }
  return true;
}

/* Marks until there is no next child and window and queue are empty, or the mode has to be left. */
TD_INLINE void drain_depth_first(struct loop *l, enum mode mode, td_visit visit_one) {
  while (chase(l, mode, visit_one)) {
    if (has_to_leave(l, mode)) return;
    uint64_t item = l->next;
    l->next = 0;
    if (item) {
      /* A window that was full when its oldest item was taken is as good as full. */
      uint64_t oldest = l->window.count >= TD_WINDOW - 1 ? td_window_take(&l->window) : 0;
      td_window_append(&l->window, &l->v, item);
      item = oldest;
    }
    if (!item) item = refill(l);
    if (!item) {
      if (l->next) continue;
      if (l->window.count == 0) return;
      item = td_window_take(&l->window);
    }
    scan_item(l, item, visit_one, visit_element);
  }
}

#endif
