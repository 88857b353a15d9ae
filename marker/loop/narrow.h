/* SPDX-License-Identifier: MIT */
/* Mode NARROW: the frontier is a few objects, as in a list whose elements lead to marked objects.
 * They fill neither groups nor batches.
 *
 * Each reference is tested where it is met, the newest object first, until there is a group of
 * other objects. Those are scanned next, and so on. What long arrays and objects of rare kinds
 * refer to goes into the batch nevertheless; that ends the mode. */
#ifndef TD_MARKER_LOOP_NARROW_H
#define TD_MARKER_LOOP_NARROW_H

#include "marker/loop/testing.h"

/* Marks the object to which a reference leads. Returns whether it was new and was queued. */
TD_INLINE bool meet_reference(struct loop *l, const struct td_view *v, struct Q(owner) * o,
                              uintptr_t reference, uint64_t *objects) {
  enum td_met met = td_view_meet(v, reference);
  if (met == TD_MET_OTHER) put_inside(l, v, o, reference);
  if (met != TD_MET_WHITE || !td_batch_admit(v, reference, v->epoch, objects)) return false;
  put_grey(l, o, reference);
  return true;
}

TD_INLINE void meet_alone(struct loop *l, const struct td_view *v, struct Q(owner) * o,
                          uintptr_t word, uint64_t *refs) {
  *refs += 1;
  if (meet_reference(l, v, o, word, &l->objects)) __builtin_prefetch((const void *)word);
}

/* Scans one object and prefetches those that it refers to. Returns true if there are references in
 * the batch. */
TD_INLINE bool scan_alone(struct loop *l, const struct td_view *v, struct Q(owner) * o,
                          uint64_t item, uint64_t *refs) {
  uintptr_t object = item & ~TD_ITEM_GREY;
  const uintptr_t *slots = (const uintptr_t *)object;
  const struct td_block *block = td_view_block(v, object);
  if (!claim(l, v, o, item)) return false;
  if (block->kind == TD_KIND_WORDS) {
    for (uint64_t map = block->map; map; map &= map - 1) {
      uintptr_t reference = td_view_word(v, slots[(unsigned)__builtin_ctzll(map)]);
      if (reference) meet_alone(l, v, o, reference, refs);
    }
    return false;
  }
  if (__builtin_expect(block->kind != TD_KIND_BITMAP, 0)) {
    l->o = *o;
    scan_other(l, object, block->kind);
    *o = l->o;
    return !td_batch_is_empty(&l->batch);
  }
  for (uint64_t map = block->map; map; map &= map - 1) {
    uintptr_t word = slots[(unsigned)__builtin_ctzll(map)];
    if (td_view_is_reference(v, word)) meet_alone(l, v, o, word, refs);
  }
  return false;
}

/* Follows the newest object until the queue has `wide` items, or none. Returns how many objects
 * were scanned. */
static __attribute__((noinline)) uint32_t follow_newest(struct loop *l, uint64_t wide) {
  const struct td_view v = l->v;
  struct Q(owner) o = l->o;
  uint64_t item, refs = 0;
  uint32_t scanned = 0;
  bool over = false;
  while (!over && scanned < TD_POLL_OBJECTS && owned(&o) < wide &&
         (item = Q(get)(l->queue, &o)) != 0) {
    if (__builtin_expect((item & TD_ITEM_SLICE) != 0, 0)) {
      l->o = o;
      meet_queued_slice(l, item);
      o = l->o;
      break;
    }
    uintptr_t object = item & ~TD_ITEM_GREY;
    fetch_ahead(l, object);
    l->last = object;
    over = scan_alone(l, &v, &o, item, &refs);
    scanned++;
  }
  l->o = o;
  l->mode.tested += refs;
  return scanned;
}

static __attribute__((noinline)) void scan_group_alone(struct loop *l, const struct group *g) {
  const struct td_view v = l->v;
  struct Q(owner) o = l->o;
  uint64_t refs = 0;
  for (uint32_t i = 0; i < g->count; i++)
    scan_alone(l, &v, &o, g->items[i], &refs);
  l->o = o;
  l->mode.tested += refs;
}

/* Marks until the frontier is not narrow any more, or the mode has to be left. */
static void drain_narrow(struct loop *l) {
  uint64_t wide = owned(&l->o) + TD_GROUP;
  do {
    uint32_t scanned = follow_newest(l, wide);
    if (owned(&l->o) >= wide) {
      struct group group;
      take_group(l, &group);
      scan_group_alone(l, &group);
      scanned += group.count;
    }
    if (scanned == 0 || enough(l, NARROW, scanned)) break;
  } while (owned(&l->o) < wide && td_batch_is_empty(&l->batch));
  if (l->mode.sparse == NARROW) l->mode.sparse = BATCHED;
}

#endif
