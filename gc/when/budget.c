/* Setting, raising and keeping to the budget. */
#include "gc/when/when.h"

#include "gc/stats/stats.h"
#include "heap/blocks.h"

void td_budget_set(struct tide_heap *heap, struct td_sizing_facts facts) {
  pthread_mutex_lock(&heap->space.lock);
  facts.used_blocks = heap->space.used_blocks;
  facts.external_bytes = heap->when->external_bytes;
  heap->space.budget_blocks = td_sizing_next(&heap->when->sizing, &facts);
  pthread_mutex_unlock(&heap->space.lock);
}

uint32_t td_budget_most(struct tide_heap *heap) {
  pthread_mutex_lock(&heap->space.lock);
  uint32_t most = heap->space.max_blocks;
  pthread_mutex_unlock(&heap->space.lock);
  return most;
}

bool td_budget_grow(struct tide_heap *heap, uint32_t blocks) {
  pthread_mutex_lock(&heap->space.lock);
  uint32_t used = heap->space.used_blocks, most = heap->space.max_blocks;
  uint32_t before = heap->space.budget_blocks;
  uint64_t wanted = (uint64_t)used + used / 8 + blocks;
  if (wanted <= before) wanted = (uint64_t)before + blocks;
  bool grew = before < most;
  if (grew) {
    heap->space.budget_blocks = wanted < most ? (uint32_t)wanted : most;
    heap->when->sizing.due_bytes += (uint64_t)(heap->space.budget_blocks - before) * TD_BLOCK_BYTES;
    td_sizing_raised(&heap->when->sizing, heap->space.budget_blocks);
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
  pthread_mutex_unlock(&heap->space.lock);
  size_t keep = (size_t)td_sizing_keep(&heap->when->sizing) * TD_BLOCK_BYTES;
  if (committed <= keep + TD_SLAB_BYTES) return;
  if (td_space_trim(&heap->space, keep > used ? keep - used : 0)) td_stats_tell_growth(heap);
}
