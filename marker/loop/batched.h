/* SPDX-License-Identifier: MIT */
/* Mode BATCHED: objects are scanned in groups, references are tested in batches.
 *
 * The objects of one group are fetched while those of the group before are scanned. The references
 * found wait in a batch for their marks. When neither a group nor a batch comes together, the
 * frontier is narrow. */
#ifndef TD_MARKER_LOOP_BATCHED_H
#define TD_MARKER_LOOP_BATCHED_H

#include "marker/loop/testing.h"

/* Scans objects that have arrived. */
static __attribute__((noinline)) void scan_group(struct loop *l, const struct group *g) {
  const struct td_view v = l->v;
  struct td_batch batch = l->batch;
  for (uint32_t i = 0; i < g->count; i++) {
    uintptr_t object = g->items[i] & ~TD_ITEM_GREY;
    if (!claim(l, &v, &l->o, g->items[i])) continue;
    const uintptr_t *slots = (const uintptr_t *)object;
    const struct td_block *block = td_view_block(&v, object);
    bool bitmap = block->kind == TD_KIND_BITMAP;
    if (__builtin_expect(bitmap, 1)) {
      for (uint64_t map = block->map; map; map &= map - 1)
        td_batch_add(&batch, &v, slots[(unsigned)__builtin_ctzll(map)]);
      if (__builtin_expect(!td_batch_is_full(&batch), 1)) continue;
    }
    bool conservative = block->kind == TD_KIND_WORDS;
    if (conservative) {
      for (uint64_t map = block->map; map; map &= map - 1)
        td_batch_add_word(&batch, &v, slots[(unsigned)__builtin_ctzll(map)]);
      if (__builtin_expect(!td_batch_is_full(&batch), 1)) continue;
    }
    l->batch = batch;
    if (bitmap || conservative)
      flush(l);
    else
      scan_other(l, object, block->kind);
    batch = l->batch;
  }
  l->batch = batch;
}

/* There are no groups, only references that wait. Few of them make a narrow frontier. */
static void flush_rest(struct loop *l) {
  bool few = l->batch.count + l->batch.waiting < TD_GROUP;
  flush(l);
  if (!few) return;
  flush(l);
  l->mode.sparse = NARROW;
}

/* Marks until window, queue and batch are empty, or the mode has to be left. */
static void drain_batched(struct loop *l) {
  struct group groups[2], *now = &groups[0], *next = &groups[1];
  now->count = 0;
  while (l->mode.sparse != NARROW) {
    take_group(l, next);
    scan_group(l, now);
    bool over = false;
    if (now->count + next->count > 0)
      over = enough(l, BATCHED, now->count);
    else if (td_batch_is_empty(&l->batch))
      return;
    else
      flush_rest(l);
    struct group *scanned = now;
    now = next;
    next = scanned;
    if (over) break;
  }
  _Static_assert(2 * TD_GROUP <= TD_WINDOW, "a group goes back to what is left in the window");
  while (now->count > 0)
    td_window_append(&l->window, &l->v, now->items[--now->count]);
}

#endif
