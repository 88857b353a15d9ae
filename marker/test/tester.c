/* SPDX-License-Identifier: MIT */
/* Testing batches of references. */
#include "marker/test/tester.h"

#include <stdlib.h>

#include "marker/base/state.h"
#include "marker/test/loops.h"

/* A group of any size is copied from a stack in full length: so there is room behind the last. */
#define ROOM (2 * TD_TEST_ROOM + TD_KINDS * TD_TEST_STACK + TD_TEST_GROUP)
#define ROOM_BYTES (ROOM * sizeof(uint32_t))

/* Buffers and stacks are pages of the system, which nobody touches until something is marked. */
struct td_tester *td_tester_make(struct td_marker *marker) {
  struct td_tester *t = calloc(1, sizeof *t);
  if (!t) return NULL;
  t->memory = td_plat_map(ROOM_BYTES);
  if (!t->memory) {
    free(t);
    return NULL;
  }
  t->marker = marker;
  t->filling = t->memory;
  t->other = t->memory + TD_TEST_ROOM;
  t->now = &t->groups[0];
  t->next = &t->groups[1];
  for (unsigned kind = 0; kind < TD_KINDS; kind++)
    t->stack[kind] = t->memory + 2 * TD_TEST_ROOM + kind * TD_TEST_STACK;
  return t;
}

void td_tester_free(struct td_tester *t) {
  if (!t) return;
  td_plat_unmap(t->memory, ROOM_BYTES);
  free(t);
}

void td_tester_begin(struct td_tester *t) {
  const enum td_marking way = t->marker->set->marking;
  t->v = td_view_of(t->marker->set->space);
  t->loops = &td_test_portable;
#ifdef TD_TEST_AVX512
  const bool fit = way != TD_MARKING_PORTABLE && td_plat_avx512() == TD_PLAT_AVX512_FAST;
  if (fit || way == TD_MARKING_AVX512) t->loops = &td_test_avx512;
#endif
}

void td_tester_scan(struct td_tester *t) {
  const struct td_grey_group *const group = t->now;
  const uint32_t count = group->count;
  if (count > 0) t->loops->scan(t);
  t->scanned += count - group->count;
  if (group->count > 0) return;
  for (uint32_t i = group->size; i < t->next->count; i++)
    td_fetch_object(td_view_object(&t->v, t->next->at[i]));
}

void td_tester_turn(struct td_tester *t) {
  uint32_t *const tested = t->other;
  t->tested += t->waiting;
  const bool words = t->v.words || t->waiting_inside;
  t->loops->admit(t, t->loops->sift(t, words));
  t->other = t->filling;
  t->waiting = t->count;
  t->waiting_inside = t->count_inside;
  t->count_inside = false;
  t->filling = tested;
  t->count = 0;
}

/* ---- Few objects ---- */

/* Marks the object that the reference leads to. Returns its granule if it has to be scanned, and
 * sets `before`, which was to be scanned next, aside; else returns `before`. */
TD_INLINE uint32_t meet(struct td_tester *t, uintptr_t word, uint32_t before, uint32_t *aside) {
  uint64_t granule = td_granule_of(t->v.base, word);
  if (granule >= t->v.granules) return before;
  t->tested++;
  uint8_t *mark = &t->v.space->marks[granule];
  if (td_mark_load(mark) != t->v.white) {
    if (t->v.words && (td_mark_load(mark) & (TD_DEFERRED - 1)) != t->v.epoch)
      td_tester_add_inside(t, (uint32_t)granule);
    return before;
  }
  td_mark_store(mark, t->v.epoch);
  t->objects++;
  if (t->v.space->blocks[granule >> TD_BLOCK_GRANULES_LOG2].kind == TD_KIND_LEAF) return before;
  if (before) td_tester_add_grey(t, before);
  *aside += before != 0;
  return (uint32_t)granule;
}

void td_tester_follow(struct td_tester *t, uint32_t kind) {
  uint32_t granule = t->stack[kind][--t->grey[kind]];
  uint32_t aside = 0;
  uintptr_t last = td_view_object(&t->v, granule);
  for (uint32_t left = TD_TEST_GROUP;
       granule && left > 0 && aside < TD_TEST_GROUP && t->count < TD_TEST_BATCH; left--) {
    const uintptr_t object = td_view_object(&t->v, granule);
    const struct td_block *block = td_view_block(&t->v, object);
    const uintptr_t *words = (const uintptr_t *)object;
    if (!td_kind_has_map(block->kind)) break;
    __builtin_prefetch((const void *)(object + (object - last) * TD_NEAR_AHEAD));
    last = object;
    granule = 0;
    t->scanned++;
    const bool may_point = td_kind_is_words(block->kind);
    for (uint64_t map = block->map; map; map &= map - 1) {
      uintptr_t word = td_slot_load(&words[(unsigned)__builtin_ctzll(map)]);
      if (may_point) word = td_view_word(&t->v, word);
      granule = meet(t, word, granule, &aside);
    }
  }
  if (granule) td_tester_add_grey(t, granule);
}
