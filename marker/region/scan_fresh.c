/* SPDX-License-Identifier: MIT */
#include "marker/base/deferred.h"
#include "marker/scan/array.h"
#include "marker/scan/rare.h"
#include "marker/region/fresh.h"
#include "marker/region/throw.h"

#define AHEAD TD_VISIT_AHEAD
#define LIST_FULL TD_VISIT_LIST

/* Objects of one block, which have one layout. Behind the last of the whole list come AHEAD more
 * that may be prefetched. */
struct run {
  const uint32_t *at;
  uint32_t count;
};

static void visit_word(void *context, uintptr_t word) {
  td_throw(context, word);
}

/* Long arrays are deferred: then they are cut in slices, and many markers scan them. */
static void scan_array(struct td_visit_state *s, struct td_throwing *t, uintptr_t object) {
  const struct td_space *space = s->visitor->marker->set->space;
  struct td_array a = td_array_of(space, object);
  if (a.to - a.from > 2 * TD_SLICE_SLOTS)
    td_defer_grey(s->visitor->marker, object);
  else
    td_array_scan(&a, &s->v, visit_word, t);
}

/* Scans the slots that have a bit in the map, the first one first: here the order is free. */
TD_INLINE void scan_short(struct td_visit_state *s, const struct run *run,
                          const struct td_block *block, bool conservative) {
  const struct td_throwing t = td_throwing_of(s->visitor, &s->v);
  const uintptr_t start = td_view_object(&s->v, s->first);
  const uint32_t *at = run->at, *const end = at + run->count;
  uint8_t slot[64];
  uint32_t slots = 0;
  for (uint64_t map = block->map; map; map &= map - 1)
    slot[slots++] = (uint8_t)__builtin_ctzll(map);
  for (; at < end; at++) {
    td_fetch_object(start + ((uintptr_t)at[AHEAD] << TD_GRANULE_LOG2));
    const uintptr_t *words = (const uintptr_t *)(start + ((uintptr_t)*at << TD_GRANULE_LOG2));
    for (uint32_t k = 0; k < slots; k++)
      td_throw(&t, conservative ? td_view_word(&s->v, td_slot_load(&words[slot[k]]))
                                : td_slot_load(&words[slot[k]]));
  }
}

static __attribute__((noinline)) void scan_bitmaps(struct td_visit_state *s, const struct run *run,
                                                   const struct td_block *block) {
  scan_short(s, run, block, false);
}

static __attribute__((noinline)) void
scan_conservative(struct td_visit_state *s, const struct run *run, const struct td_block *block) {
  scan_short(s, run, block, true);
}

static __attribute__((noinline)) void scan_others(struct td_visit_state *s, const struct run *run,
                                                  uint8_t kind) {
  struct td_throwing t = td_throwing_of(s->visitor, &s->v);
  const uintptr_t start = td_view_object(&s->v, s->first);
  for (uint32_t i = 0; i < run->count; i++) {
    uintptr_t object = start + ((uintptr_t)run->at[i] << TD_GRANULE_LOG2);
    __builtin_prefetch((const void *)(start + ((uintptr_t)run->at[i + AHEAD] << TD_GRANULE_LOG2)));
    if (td_kind_is_array(kind))
      scan_array(s, &t, object);
    else
      td_scan_rare(s->visitor->marker, object, visit_word, &t);
  }
}

/* Prefetches the first objects of a list. Each of the others is prefetched by the one AHEAD of
 * it. */
static void fetch_first(const struct td_visit_state *s, const uint32_t *list) {
  const uintptr_t start = td_view_object(&s->v, s->first);
  for (uint32_t i = 0; i < AHEAD; i++)
    td_fetch_object(start + ((uintptr_t)list[i] << TD_GRANULE_LOG2));
}

/* Scans the objects of the list, which ends before `end` and has room for AHEAD more. */
static void scan_list(struct td_visit_state *s, uint32_t *end) {
  const uint32_t *at = s->visitor->list;
  if (at == end) return;
  for (uint32_t i = 0; i < AHEAD; i++)
    end[i] = end[-1];
  fetch_first(s, at);
  while (at < end) {
    uint32_t block = *at >> TD_BLOCK_GRANULES_LOG2;
    struct run run = {.at = at, .count = 1};
    while (at + run.count < end && at[run.count] >> TD_BLOCK_GRANULES_LOG2 == block)
      run.count++;
    const struct td_block *entry = td_view_block(&s->v, td_view_object(&s->v, s->first + *at));
    if (td_kind_is_bitmap(entry->kind))
      scan_bitmaps(s, &run, entry);
    else if (td_kind_is_words(entry->kind))
      scan_conservative(s, &run, entry);
    else
      scan_others(s, &run, entry->kind);
    at += run.count;
  }
}

void td_scan_fresh(struct td_visit_state *s) {
  struct td_visitor *visitor = s->visitor;
  const uint32_t parts = (uint32_t)1 << visitor->regions->shift >> TD_FRESH_PART;
  uint32_t *end = visitor->list;
  for (uint32_t part = 0; part < parts; part++) {
    if (!visitor->summary[part]) continue;
    end = td_fresh_list(visitor->fresh, visitor->summary, part, end);
    if (end - visitor->list < LIST_FULL) continue;
    scan_list(s, end);
    end = visitor->list;
  }
  scan_list(s, end);
}
