/* SPDX-License-Identifier: MIT */
/* The decision after a collection, and keeping to the budget. */
#include "gc/when/when.h"

#include "gc/stats/stats.h"
#include "heap/memory/backing.h"
#include "heap/memory/blocks.h"

uint32_t td_when_next(struct td_when *when, const struct td_facts *facts) {
  bool full = facts->kind == TIDE_CYCLE_FULL;
  when->mutator_ns += facts->mutator_ns;
  when->grown_bytes += full ? facts->allocated_bytes : facts->promoted_bytes;
  uint32_t budget = full ? td_sizing_next(when, facts) : facts->budget_blocks;
  /* Holes in blocks that are in use are room, too. */
  uint32_t end = budget > facts->used_blocks ? budget : facts->used_blocks;
  double room = (double)end * TD_BLOCK_BYTES - (double)facts->live_bytes;
  if (when->sizing.young) td_youth_next(&when->youth, facts, room);
  return budget;
}

void td_budget_reserve(struct tide_heap *heap, uint32_t used) {
  if (heap->collects != TIDE_COLLECTS_WHEN_ASKED) return;
  const struct td_space *space = &heap->space;
  uint32_t most = td_backing_most(space), free = most > used ? most - used : 0;
  uint32_t part = (free + TD_ASKED_RESERVE - 1) / TD_ASKED_RESERVE;
  heap->when->sizing.reserve_blocks = space->max_blocks - most + part;
}

void td_when_set(struct tide_heap *heap, struct td_facts facts) {
  pthread_mutex_lock(&heap->space.lock);
  /* What is free as soon as the program was told of it counts as free. */
  facts.used_blocks = heap->space.used_blocks - heap->space.dying_free_blocks;
  facts.freed_blocks += heap->space.dying_free_blocks;
  facts.budget_blocks = heap->space.budget_blocks;
  facts.allocated_bytes += heap->when->external.young_bytes;
  facts.external_bytes = td_external_begin(heap->when, facts.kind);
  td_budget_reserve(heap, facts.used_blocks);
  uint32_t budget = td_when_next(heap->when, &facts), most = td_budget_bound(heap);
  heap->space.budget_blocks = budget < most ? budget : most;
  pthread_mutex_unlock(&heap->space.lock);
}

uint32_t td_budget_most(struct tide_heap *heap) {
  pthread_mutex_lock(&heap->space.lock);
  uint32_t most = heap->space.max_blocks;
  pthread_mutex_unlock(&heap->space.lock);
  return most;
}

bool td_budget_grow(struct tide_heap *heap, uint32_t blocks) {
  struct td_sizing *sizing = &heap->when->sizing;
  pthread_mutex_lock(&heap->space.lock);
  uint32_t used = heap->space.used_blocks, most = heap->space.max_blocks;
  uint32_t before = heap->space.budget_blocks;
  uint64_t wanted = (uint64_t)used + used / 8 + blocks;
  if (wanted <= before) wanted = (uint64_t)before + blocks;
  bool grew = before < most;
  if (grew) {
    uint32_t after = heap->space.budget_blocks = wanted < most ? (uint32_t)wanted : most;
    uint32_t *newest = &sizing->recent[(sizing->recent_at - 1) % TD_KEEP_CYCLES];
    if (*newest < after) *newest = after;
    sizing->due_bytes += (uint64_t)(after - before) * TD_BLOCK_BYTES;
  }
  pthread_mutex_unlock(&heap->space.lock);
  return grew;
}

void td_budget_trim(struct tide_heap *heap) {
  pthread_mutex_lock(&heap->space.lock);
  /* relaxed: under the lock. */
  size_t committed = atomic_load_explicit(&heap->space.committed_slabs, memory_order_relaxed);
  committed *= TD_SLAB_BYTES;
  size_t used = (size_t)heap->space.used_blocks * TD_BLOCK_BYTES;
  size_t keep = (size_t)td_sizing_keep(&heap->when->sizing) * TD_BLOCK_BYTES;
  pthread_mutex_unlock(&heap->space.lock);
  if (committed <= keep + TD_SLAB_BYTES) return;
  if (td_space_trim(&heap->space, keep > used ? keep - used : 0)) td_stats_tell_growth(heap);
}
