/* SPDX-License-Identifier: MIT */
/* What the modes BATCHED and NARROW have in common: they test references before they queue objects,
 * so that the queue holds grey objects only. They are best where many references lead to objects
 * that are marked already.
 *
 * Each step is a function of its own, out of line and with little to remember, so that its loop
 * runs in registers. */
#ifndef TD_MARKER_LOOP_TESTING_H
#define TD_MARKER_LOOP_TESTING_H

#include "marker/loop/depth_first.h"
#include "marker/loop/object.h"
#include "marker/loop/own_queue.h"
#include "marker/loop/poll.h"

/* Items whose objects are fetched together. */
struct group {
  uint32_t count;
  uint64_t items[TD_GROUP];
};

/* Puts a grey object into the queue; `o` is the owner's part of it, in a local variable. */
TD_INLINE void put_grey(struct loop *l, struct Q(owner) * o, uintptr_t object) {
  uint64_t item = object | TD_ITEM_GREY;
  if (__builtin_expect(!Q(put)(l->queue, o, item), 0)) refused(l, item);
}

/* ---- The batch ---- */

/* Marks the new objects to which the references lead, and moves those that have to be scanned to
 * the front. Returns how many these are. Which objects are leaves cannot be predicted, so there is
 * no branch for it. */
TD_INLINE uint32_t mark_all(struct loop *l, const struct td_view *v, struct Q(owner) * o,
                            uintptr_t *references, uint32_t count, uint64_t *objects) {
  uint32_t grey = 0;
  for (uint32_t i = 0; i < count; i++) {
    uintptr_t object = references[i];
    enum td_met met = td_view_meet(v, object);
    if (__builtin_expect(met != TD_MET_WHITE, 0)) {
      if (met == TD_MET_OTHER) put_inside(l, v, o, object);
      continue;
    }
    references[grey] = object;
    grey += td_batch_admit(v, object, v->epoch, objects);
  }
  return grey;
}

/* Marks and queues the new objects to which the waiting references lead. The addresses that are
 * passed to functions are not those of the local variables, which so stay in registers. */
static __attribute__((noinline)) void flush(struct loop *l) {
  const struct td_view v = l->v;
  struct Q(owner) o = l->o;
  uintptr_t *references = l->batch.other;
  uint64_t objects = 0;
  uint32_t kept = td_batch_sift(&l->v, references, l->batch.waiting);
  l->mode.tested += l->batch.waiting;
  uint32_t grey = mark_all(l, &v, &o, references, kept, &objects);
  for (uint32_t i = 0; i < grey; i++)
    put_grey(l, &o, references[i]);
  l->o = o;
  l->objects += objects;
  td_batch_turn(&l->batch, &l->v);
}

TD_INLINE void meet(void *context, uintptr_t word) {
  struct loop *l = context;
  td_batch_add(&l->batch, &l->v, word);
  if (__builtin_expect(td_batch_is_full(&l->batch), 0)) flush(l);
}

/* ---- Objects ---- */

static __attribute__((noinline)) void scan_other(struct loop *l, uintptr_t object, uint8_t kind) {
  scan_long(l, object, kind, meet);
}

static __attribute__((noinline)) void meet_queued_slice(struct loop *l, uint64_t slice) {
  scan_queued_slice(l, slice, meet);
}

/* Takes a group: first what is left in the window, then from the queue. Asks for the objects' cache
 * lines. Slices of arrays are scanned at once. */
static __attribute__((noinline)) void take_group(struct loop *l, struct group *g) {
  const struct td_view v = l->v;
  struct Q(owner) o = l->o;
  uint32_t count = 0;
  while (count < TD_GROUP && l->window.count > 0)
    g->items[count++] = td_window_take(&l->window);
  while (count < TD_GROUP) {
    uint64_t item = Q(get)(l->queue, &o);
    if (item == 0) break;
    if (__builtin_expect((item & TD_ITEM_SLICE) != 0, 0)) {
      l->o = o;
      meet_queued_slice(l, item);
      o = l->o;
    } else {
      td_fetch_words(&v, item);
      g->items[count++] = item;
    }
  }
  g->count = count;
  l->o = o;
}

/* After `scanned` objects. Returns true if the mode has to be left. */
static __attribute__((noinline)) bool enough(struct loop *l, enum mode mode, uint32_t scanned) {
  if (l->mode.full) {
    choose_regions(l);
    return true;
  }
  if (l->poll > scanned) {
    l->poll -= scanned;
    return false;
  }
  return at_poll(l, mode);
}

#endif
