/* SPDX-License-Identifier: MIT */
#include "marker/base/deferred.h"
#include "marker/scan/array.h"
#include "marker/scan/rare.h"
#include "marker/region/fresh.h"
#include "marker/region/throw.h"

#define AHEAD TD_VISIT_AHEAD
#define LIST_FULL TD_VISIT_LIST
#define MARGIN 16u /* chunks are scarce when only one in 16 is left */

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

/* Returns how many chunks are in use. A chunk may be got by one marker and put by another one, and
 * the first figure be older than the second: then it may be less than none. */
static int32_t chunks_used(const struct td_markers *set) {
  uint32_t used = 0;
  /* relaxed: figures of other markers, which may be old. */
  for (unsigned i = 0; i < set->limit; i++)
    used += atomic_load_explicit(&set->marker[i]->visitor->stock.balance, memory_order_relaxed);
  return (int32_t)used;
}

bool td_chunks_are_scarce(const struct td_visitor *visitor) {
  const struct td_chunks *pool = &visitor->regions->pool;
  return chunks_used(visitor->marker->set) > (int32_t)(pool->limit - pool->limit / MARGIN);
}

/* Fresh objects of a part become deferred. Their list is in order: each page is flagged once. */
static void defer_part(struct td_visit_state *s, uint32_t part) {
  struct td_visitor *visitor = s->visitor;
  uint8_t *const marks = td_view_mark(&s->v, td_view_object(&s->v, s->first));
  const uint32_t *const end = td_fresh_list(visitor->fresh, visitor->summary, part, visitor->list);
  for (const uint32_t *at = visitor->list; at < end;) {
    const uint32_t page = *at / (uint32_t)TD_PAGE_GRANULES;
    for (; at < end && *at / TD_PAGE_GRANULES == page; at++)
      td_mark_store(&marks[*at], s->v.epoch | TD_DEFERRED);
    td_deferred_flag(visitor->marker, (size_t)(s->first / TD_PAGE_GRANULES) + page);
  }
}

/* Returns a bit for each of 64 granules, in their order: which hold deferred objects. The factor
 * brings the highest bits of eight bytes together in the highest byte, and no two of its products
 * meet. */
TD_INLINE uint64_t deferred_bits(const uint8_t *marks) {
  uint64_t bits = 0;
#pragma GCC unroll 8
  for (unsigned i = 0; i < 64; i += 8) {
    uint64_t eight = (td_mark_load_word(marks + i) & TD_DEFERRED_WORD) >> 7;
    bits |= (eight * 0x0102040810204080u) >> 56 << i;
  }
  return bits;
}

/* Deferred objects of a page become fresh. `granule` is its first, counted in the region. */
static void take_page(struct td_visit_state *s, uint32_t granule) {
  struct td_visitor *visitor = s->visitor;
  uint8_t *const marks = td_view_mark(&s->v, td_view_object(&s->v, s->first + granule));
  for (uint32_t i = 0; i < TD_PAGE_GRANULES; i += 64) {
    const uint64_t bits = deferred_bits(marks + i);
    for (uint64_t some = bits; some; some &= some - 1)
      td_mark_store(&marks[i + (unsigned)__builtin_ctzll(some)], s->v.epoch);
    td_fresh_add_word(visitor->fresh, visitor->summary, granule + i, bits);
  }
}

/* Deferred objects of a part become fresh. A part is a block. */
static void take_deferred(struct td_visit_state *s, uint32_t part) {
  const uint32_t first = part << TD_FRESH_PART;
  const size_t page = (size_t)((s->first + first) / TD_PAGE_GRANULES);
  _Static_assert(TD_FRESH_PART == TD_BLOCK_GRANULES_LOG2, "a part is a block");
  for (uint32_t i = 0; i < TD_BLOCK_PAGES; i += 8)
    for (uint64_t word = td_flag_take_eight(s->v.space, page + i); word; word &= word - 1)
      take_page(s, first + (i + (unsigned)__builtin_ctzll(word) / 8) * (uint32_t)TD_PAGE_GRANULES);
}

void td_scan_fresh(struct td_visit_state *s) {
  struct td_visitor *visitor = s->visitor;
  struct td_region *region = &visitor->regions->at[s->first >> visitor->regions->shift];
  uint32_t parts = (uint32_t)1 << visitor->regions->shift >> TD_FRESH_PART;
  uint32_t *end = visitor->list;
  bool deferred = td_region_has_deferred(region), scarce = td_chunks_are_scarce(visitor);
  const uint32_t start = visitor->part;
  bool left = false;
  for (uint32_t i = 0; i < parts; i++) {
    uint32_t part = (start + i) % parts;
    if (scarce) {
      left |= deferred || visitor->summary[part];
      if (visitor->summary[part]) defer_part(s, part);
      continue;
    }
    if (deferred) take_deferred(s, part);
    if (!visitor->summary[part]) continue;
    end = td_fresh_list(visitor->fresh, visitor->summary, part, end);
    if (end - visitor->list < LIST_FULL) continue;
    scan_list(s, end);
    end = visitor->list;
    scarce = td_chunks_are_scarce(visitor);
    if (scarce) visitor->part = part + 1;
  }
  scan_list(s, end);
  if (left != deferred) td_region_set_deferred(region, left);
}
