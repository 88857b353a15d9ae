/* SPDX-License-Identifier: MIT */
/* Testing batches of references. */
#include "marker/test/tester.h"

#include "marker/base/state.h"
#include "marker/scan/scan.h"

/* A group of any size is copied from a stack in full length: so there is room behind the last. */
#define ROOM (2 * TD_TEST_ROOM + TD_KINDS * TD_TEST_STACK + TD_TEST_GROUP)
#define TESTER_BYTES (sizeof(struct td_tester) + ROOM * sizeof(uint32_t))

/* Pages, which take no memory until something is marked. malloc would write zeroes there. */
struct td_tester *td_tester_make(struct td_marker *marker) {
  struct td_tester *t = td_plat_map(TESTER_BYTES);
  if (!t) return NULL;
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
  td_plat_unmap(t, TESTER_BYTES);
}

void td_tester_begin(struct td_tester *t) {
  t->v = td_view_of(t->marker->set->space);
}

/* Moves the references that do not lead to marked objects to the front, and returns how many there
 * are. Asks for the mark bytes of the other buffer, one for one. `words`, a constant: what leads to
 * no object's beginning stays as well. This loop only reads marks, so that lines full of marked
 * objects stay in the caches of all markers. */
TD_INLINE uint32_t sift(const struct td_tester *t, bool words) {
  const uint8_t *const marks = t->v.space->marks;
  uint32_t *const references = t->other;
  const uint32_t *const later = t->filling;
  const size_t count = t->waiting;
  const uint8_t epoch = t->v.epoch, white = t->v.white;
  size_t kept = 0;
#pragma GCC unroll 4
  for (size_t i = 0; i < count; i++) {
    uint32_t granule = references[i];
    uint8_t mark = td_mark_load(&marks[granule]);
    references[kept] = granule;
    kept += words ? (mark & (TD_DEFERRED - 1)) != epoch : mark == white;
    __builtin_prefetch(&marks[later[i]], 1);
  }
  for (size_t i = count; i < t->count; i++)
    __builtin_prefetch(&marks[later[i]], 1);
  return (uint32_t)kept;
}

static __attribute__((noinline)) uint32_t sift_slots(const struct td_tester *t) {
  return sift(t, false);
}

static __attribute__((noinline)) uint32_t sift_words(const struct td_tester *t) {
  return sift(t, true);
}

/* No object begins at the granule. If it lies inside of one, that one waits. */
static __attribute__((noinline, cold)) void add_inside(struct td_tester *t, uint32_t granule) {
  uintptr_t cell = td_view_inside(t->v.space, td_view_object(&t->v, granule));
  if (cell) t->filling[t->count++] = (uint32_t)td_view_granule(&t->v, cell);
}

/* Marks the objects that the first `count` references lead to, and puts those that are not leaves
 * where grey ones of their kind wait. An object may be among them twice; few are. */
static __attribute__((noinline)) void admit(struct td_tester *t, uint32_t count) {
  uint8_t *const marks = t->v.space->marks;
  const struct td_block *const blocks = t->v.space->blocks;
  const uint32_t *const references = t->other;
  const uint8_t epoch = t->v.epoch, white = t->v.white;
  uint64_t objects = 0;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t granule = references[i];
    const uint8_t mark = td_mark_load(&marks[granule]);
    if (__builtin_expect(mark != white, 0)) {
      if ((mark & (TD_DEFERRED - 1)) != epoch) add_inside(t, granule);
      continue;
    }
    const uint32_t kind = blocks[granule >> TD_BLOCK_GRANULES_LOG2].kind;
    const uint32_t grey = t->grey[kind];
    td_mark_store(&marks[granule], epoch);
    t->stack[kind][grey] = granule;
    t->grey[kind] = grey + 1;
    objects++;
  }
  t->grey[TD_KIND_LEAF] = t->grey[TD_KIND_NONE] = 0;
  t->objects += objects;
}

void td_tester_turn(struct td_tester *t) {
  uint32_t *const tested = t->other;
  t->tested += t->waiting;
  admit(t, t->v.words || t->waiting_inside ? sift_words(t) : sift_slots(t));
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
      add_inside(t, (uint32_t)granule);
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
      uintptr_t word = words[(unsigned)__builtin_ctzll(map)];
      if (may_point) word = td_view_word(&t->v, word);
      granule = meet(t, word, granule, &aside);
    }
  }
  if (granule) td_tester_add_grey(t, granule);
}
