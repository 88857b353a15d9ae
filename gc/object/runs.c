/* SPDX-License-Identifier: MIT */
#include "gc/object/runs.h"

#include "gc/threads/thread.h"

bool td_runs_open(struct tide_heap *heap, struct tide_mutator *mutator) {
  struct td_run_pool *pool = heap->run_pool;
  if (pool->count)
    mutator->cache = pool->caches[--pool->count];
  else if (!td_cache_open(&mutator->cache))
    return false;
  mutator->fast.bump = mutator->cache.runs;
  return true;
}

void td_runs_close(struct tide_heap *heap, struct tide_mutator *mutator) {
  struct td_run_pool *pool = heap->run_pool;
  mutator->fast.bump = td_runs_none(heap);
  if (pool->count < TD_POOLED_CACHES && mutator->cache.layouts == TD_CACHE_LAYOUTS_FIRST)
    pool->caches[pool->count++] = mutator->cache;
  else
    td_cache_close(&mutator->cache);
  mutator->cache = (struct td_cache){0};
}

void td_runs_free_pool(struct tide_heap *heap) {
  while (heap->run_pool->count)
    td_cache_close(&heap->run_pool->caches[--heap->run_pool->count]);
}

void td_runs_show(struct tide_mutator *mutator) {
  bool allowed = mutator->blocking_depth == 0 && !mutator->callback && !mutator->looks_first &&
                 td_self()->worlds == 0;
  mutator->fast.bump = allowed ? mutator->cache.runs : td_runs_none(mutator->heap);
}

void td_runs_show_all(const struct td_self *self) {
  for (struct tide_mutator *m = self->mutators; m; m = m->thread_next)
    td_runs_show(m);
}

void td_runs_retire(struct tide_mutator *mutator) {
  td_cache_retire(&mutator->heap->space, &mutator->cache, true, mutator->interrupted);
  td_runs_flush_counts(mutator);
}

void td_runs_hand_back(struct tide_mutator *mutator) {
  if (mutator->interrupted) td_cache_hand_back(&mutator->heap->space, &mutator->cache);
}

void td_runs_drop(struct tide_mutator *mutator) {
  td_cache_retire(&mutator->heap->space, &mutator->cache, false, false);
  td_runs_flush_counts(mutator);
}

void td_runs_flush_counts(struct tide_mutator *mutator) {
  /* relaxed: a statistic. */
  atomic_fetch_add_explicit(&mutator->heap->allocated_bytes, mutator->cache.handed_out,
                            memory_order_relaxed);
  atomic_fetch_add_explicit(&mutator->heap->freed_bytes, mutator->freed_bytes,
                            memory_order_relaxed); /* relaxed: as above */
  mutator->cache.handed_out = 0;
  /* relaxed: its thread may ask for it in a blocking section. */
  __atomic_store_n(&mutator->freed_bytes, 0, __ATOMIC_RELAXED);
}
