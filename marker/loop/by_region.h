/* SPDX-License-Identifier: MIT */
/* Mode BY_REGION: the frontier leads everywhere at once. The marker throws all its work to the
 * regions it leads to and visits those: marker/region/regions.h. When visits do not pay, what still
 * waits comes back into the queue, chunk by chunk, as a source of work. */
#ifndef TD_MARKER_LOOP_BY_REGION_H
#define TD_MARKER_LOOP_BY_REGION_H

#include "marker/loop/follow.h"
#include "marker/region/throw.h"

TD_INLINE void throw_word(void *context, uintptr_t word) {
  struct loop *l = context;
  struct td_throwing t = td_throwing_of(l->marker->visitor, &l->v);
  td_throw(&t, word);
}

static __attribute__((noinline)) void throw_children(struct loop *l, uintptr_t object) {
  scan_children(l, object, td_view_block(&l->v, object), throw_word, throw_word);
}

static __attribute__((noinline)) void throw_group(struct loop *l, uint64_t item) {
  uintptr_t objects[TD_GROUP_ITEM_MOST];
  const uint32_t count = open_group(l, item, objects);
  for (uint32_t i = 0; i < count; i++)
    td_fetch_object(objects[i]);
  for (uint32_t i = 0; i < count; i++)
    throw_children(l, objects[i]);
}

/* Groups, slices and grey objects cannot be thrown. They are scanned, and what they refer to is
 * thrown. */
static __attribute__((noinline)) void throw_item(struct loop *l, uint64_t item) {
  if (item & TD_ITEM_SLICE && td_item_is_group(item))
    throw_group(l, item);
  else if (item & TD_ITEM_SLICE)
    scan_queued_slice(l, item, throw_word);
  else if (item & TD_ITEM_GREY)
    throw_children(l, item & ~TD_ITEM_GREY);
  else
    td_visitor_throw(l->marker->visitor, item);
}

static __attribute__((noinline)) void throw_frontier(struct loop *l) {
  uint64_t item;
  if (l->next) td_visitor_throw(l->marker->visitor, l->next);
  l->next = 0;
  while (l->window.count > 0)
    throw_item(l, td_window_take(&l->window));
  while ((item = Q(get)(l->queue, &l->o)) != 0)
    throw_item(l, item);
}

TD_INLINE void drain_by_region(struct loop *l) {
  l->mode.full = l->mode.scattered = false;
  const uint64_t since = td_plat_now_ns();
  throw_frontier(l);
  l->marker->stats.region_ns += td_plat_now_ns() - since;
  l->mode.wide = false; /* if slices of a wide array were in the queue, they have been thrown */
  td_visitor_run(l->marker->visitor);
}

/* Returns whether there were references that wait for a region. */
static __attribute__((noinline)) bool unload_region(struct loop *l) {
  uintptr_t objects[TD_CHUNK_REFERENCES];
  bool many;
  uint32_t count = td_visitor_unload(l->marker->visitor, objects, &many);
  for (uint32_t i = count; i-- > 0;)
    put(l, objects[i]);
  if (many) l->mode.scattered = true;
  return count > 0;
}

#endif
