/* SPDX-License-Identifier: MIT */
/* Mode FOLLOW: following the newest child.
 *
 * References go into the queue as they are, the last one first; the newest child stays out of it.
 * An item near the object scanned last is scanned at once. Any other one is prefetched and waits in
 * the window, so that several misses are under way together; a frontier of few objects does not
 * wait until the window is full.
 *
 * This is best where nearly every reference leads to a new object, as in lists and trees. */
#ifndef TD_MARKER_LOOP_FOLLOW_H
#define TD_MARKER_LOOP_FOLLOW_H

#include "marker/loop/groups.h"
#include "marker/loop/object.h"
#include "marker/loop/poll.h"

/* ---- What is done with a reference ---- */

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

/* ---- What is done with an object ---- */

/* Scans an object that is marked. If it is an array, that comes next. */
TD_INLINE void scan_or_note(struct loop *l, uintptr_t object) {
  const struct td_block *block = td_view_block(&l->v, object);
  if (scan_short(l, object, block, visit)) return;
  if (td_kind_is_array(block->kind))
    l->array = object;
  else
    scan_rest(l, object, block->kind, visit_element);
}

/* The children of all of them wait together, so that their misses do. */
static __attribute__((noinline)) void scan_objects(struct loop *l, const uintptr_t *objects,
                                                   size_t count) {
  for (size_t i = count; i-- > 0;) {
    if (i >= TD_OBJECTS_AHEAD) __builtin_prefetch((const void *)objects[i - TD_OBJECTS_AHEAD]);
    scan_children(l, objects[i], td_view_block(&l->v, objects[i]), visit, visit_element);
  }
}

/* Scans the group that comes next: what a marker in mode TEST has put into the queue. */
TD_INLINE void scan_next_group(struct loop *state) {
  struct loop l = *state;
  uintptr_t objects[TD_GROUP_ITEM_MOST];
  l.array = 0;
  scan_objects(&l, objects, open_group(&l, state->array, objects));
  *state = l;
}

/* Puts any item into the queue. If that is full, a slice is scanned at once, because it cannot be
 * deferred. */
static __attribute__((noinline)) void put_any(struct loop *l, uint64_t item) {
  if (!(item & TD_ITEM_SLICE))
    put(l, item);
  else if (Q(put)(l->queue, &l->o, item))
    return;
  else if (td_item_is_group(item))
    defer_group_item(l, item);
  else
    scan_slice(l, item, visit_element);
}

/* Scans the array or slice that comes next. */
TD_INLINE void scan_next_array(struct loop *l) {
  bool slice = (l->array & TD_ITEM_SLICE) != 0;
  if (slice && td_item_is_group(l->array)) {
    scan_next_group(l);
    return;
  }
  struct td_array part = slice ? cut_slice(l, l->array) : cut_array(l, l->array);
  l->array = 0;
  td_array_scan(&part, &l->v, visit_element, l);
  if (slice) {
    l->poll++; /* an object was counted before, and a slice is none */
    note_slice(l);
  }
}

/* Fills the window from the queue. Returns an object that is near and should be scanned at once; 0
 * if there was none, or if a slice came, which is next then. */
TD_INLINE uint64_t refill(struct loop *l) {
  while (l->window.count < TD_WINDOW) {
    uint64_t item = Q(get)(l->queue, &l->o);
    if (item == 0) return 0;
    if (__builtin_expect((item & TD_ITEM_SLICE) != 0, 0)) {
      l->array = item;
      return 0;
    }
    if (is_near(l, item)) {
      fetch_ahead(l, item);
      return item;
    }
    td_window_append(&l->window, &l->v, item);
  }
  return 0;
}

/* Follows the newest child for as long as it is near: down a list, or a tree that lies in memory in
 * the order of marking. This is the shortest path from one object to the next. Returns false if the
 * mode has to be left. */
TD_INLINE bool chase(struct loop *l) {
  while (l->next && is_near(l, l->next)) {
    if (has_to_leave(l, FOLLOW)) return false;
    uintptr_t object = l->next;
    fetch_ahead(l, object);
    l->next = 0;
    if (!claim_at(l, &l->v, &l->o, object)) return true;
    scan_or_note(l, object);
  }
  return true;
}

/* Marks until there is no next child and window and queue are empty, or the mode has to be left. */
TD_INLINE void drain_follow(struct loop *l) {
  while (chase(l)) {
    if (__builtin_expect(l->array != 0, 0)) {
      scan_next_array(l);
      continue;
    }
    if (has_to_leave(l, FOLLOW)) return;
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
      if (l->array) continue;
      if (l->window.count == 0) return;
      item = td_window_take(&l->window);
    }
    uintptr_t object = item & ~TD_ITEM_GREY;
    if (claim(l, &l->v, &l->o, item)) scan_or_note(l, object);
  }
}

#endif
