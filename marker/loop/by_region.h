/* SPDX-License-Identifier: MIT */
/* Mode BY_REGION: the frontier is scattered. The marker throws all its work to the regions it leads
 * to and visits those: marker/region/regions.h. When visits do not pay, what still waits comes back
 * into the queue, chunk by chunk, as a source of work. */
#ifndef TD_MARKER_LOOP_BY_REGION_H
#define TD_MARKER_LOOP_BY_REGION_H

#include "marker/loop/depth_first.h"
#include "marker/loop/own_queue.h"
#include "marker/region/throw.h"

TD_INLINE void throw_word(void *context, uintptr_t word) {
  struct loop *l = context;
  struct td_throwing t = td_throwing_of(l->marker->visitor, &l->v);
  td_throw(&t, word);
}

/* ---- Is the frontier wide? ---- */

/* A frontier that is followed breadth first. A ring of TD_WIDE items, which are prefetched. */
struct widening {
  struct loop l; /* must be first: scanning passes its address to widen_put */
  uint64_t *ring;
  uint32_t head, count;
};

TD_INLINE void widen_put(void *context, uintptr_t word) {
  struct widening *w = context;
  if (!td_view_is_reference(&w->l.v, word)) return;
  if (w->count == TD_WIDE) {
    put(&w->l, word);
    return;
  }
  td_window_prefetch(&w->l.v, word);
  w->ring[(w->head + w->count++) % TD_WIDE] = word;
}

/* Moves items from window, batch and queue into the ring, as long as there is room. */
static void widen_fill(struct widening *w) {
  struct loop *l = &w->l;
  if (l->next) w->ring[w->count++] = l->next;
  l->next = 0;
  while (l->window.count > 0)
    w->ring[w->count++] = td_window_take(&l->window);
  while (!td_batch_is_empty(&l->batch)) {
    for (uint32_t i = 0; i < l->batch.waiting; i++)
      w->ring[w->count++] = l->batch.other[i];
    td_batch_turn(&l->batch, &l->v);
  }
  for (uint64_t item; w->count < TD_WIDE && (item = Q(get)(l->queue, &l->o)) != 0;)
    w->ring[w->count++] = item;
}

/* What widening scans goes into the ring, and into the queue when that is full. */
static void widen_scan(struct widening *w, uint64_t item) {
  struct loop *l = &w->l;
  uintptr_t object = item & ~TD_ITEM_GREY;
  if (item & TD_ITEM_SLICE) {
    scan_slice(l, item, widen_put);
    return;
  }
  if (!claim(l, &l->v, &l->o, item)) return;
  scan_children(l, object, td_view_block(&l->v, object), widen_put, widen_put);
}

/* Scans until the ring is full, which is what a wide frontier does soon. Otherwise returns false
 * when it is empty, or when twice as many objects as it holds have been scanned. */
static bool widen(struct widening *w) {
  const uint32_t wide = w->l.marker->set->regions->limits.wide;
  for (uint32_t scanned = 0; w->count < wide; scanned++) {
    if (w->count == 0 || scanned == 2 * TD_WIDE) return false;
    uint64_t item = w->ring[w->head++ % TD_WIDE];
    w->count--;
    widen_scan(w, item);
  }
  return true;
}

/* A slice for which the queue has no room cannot be deferred. */
static void put_back(struct loop *l, uint64_t item) {
  if (!(item & TD_ITEM_SLICE))
    put(l, item);
  else if (!Q(put)(l->queue, &l->o, item))
    scan_slice(l, item, visit_element);
}

/* ---- Throwing the frontier ---- */

/* Slices and grey objects cannot be thrown. They are scanned, and what they refer to is thrown. */
static __attribute__((noinline)) void throw_item(struct loop *l, uint64_t item) {
  uintptr_t object = item & ~TD_ITEM_GREY;
  if (item & TD_ITEM_SLICE)
    scan_queued_slice(l, item, throw_word);
  else if (item & TD_ITEM_GREY)
    scan_children(l, object, td_view_block(&l->v, object), throw_word, throw_word);
  else
    td_visitor_throw(l->marker->visitor, item);
}

/* Throws the whole frontier, unless it is narrow; then it stays in the queue. */
static __attribute__((noinline)) bool throw_frontier(struct loop *l) {
  struct widening w = {.l = *l, .ring = l->marker->visitor->ring};
  uint64_t item;
  w.l.mode.full = w.l.mode.scattered = false;
  w.l.mode.scatter = 0;
  widen_fill(&w);
  bool wide = widen(&w);
  for (; w.count > 0; w.count--) {
    item = w.ring[(w.head + w.count - 1) % TD_WIDE];
    if (wide)
      throw_item(&w.l, item);
    else
      put_back(&w.l, item);
  }
  while (wide && (item = Q(get)(w.l.queue, &w.l.o)) != 0)
    throw_item(&w.l, item);
  *l = w.l;
  return wide;
}

TD_INLINE void drain_by_region(struct loop *l) {
  struct td_marker *marker = l->marker;
  enum td_visits_end end = TD_VISITS_NARROW;
  const uint64_t before = marker->stats.region_objects;
  if (throw_frontier(l)) end = td_visitor_run(marker->visitor);
  if (end != TD_VISITS_NARROW) return;
  /* A frontier that was wide for long and is narrow now will often be wide again. */
  if (marker->stats.region_objects - before >= TD_VISITS_PAID) marker->visits_step = TD_VISITS_SOON;
  marker->visits_at = objects_so_far(l) + marker->visits_step;
  marker->visits_step *= 2;
}

/* Returns whether there were references that wait for a region. */
static __attribute__((noinline)) bool unload_region(struct loop *l) {
  uintptr_t objects[TD_CHUNK_REFERENCES];
  bool many;
  uint32_t count = td_visitor_unload(l->marker->visitor, objects, &many);
  for (uint32_t i = count; i-- > 0;)
    put(l, objects[i]);
  if (many && may_visit(l)) l->mode.scattered = true;
  return count > 0;
}

#endif
