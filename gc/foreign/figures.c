/* SPDX-License-Identifier: MIT */
/* Figures without a lock. */
#include "gc/threads/inside.h"
#include "gc/threads/thread.h"
#include "heap/space/counted.h"
#include "tide/dropin.h"

/* relaxed, all: figures of some moment. They go one by one into the structure of the caller, which
 * reads them next. */
static inline void look(struct tide_heap *heap, const struct tide_mutator *mutator,
                        struct tide_figures *now) {
  const struct td_space *space = &heap->space;
  uint64_t slabs = atomic_load_explicit(&space->committed_slabs, memory_order_relaxed);
  uint64_t bare = td_counted_look(&space->bare_blocks), blocks = slabs * TD_SLAB_BLOCKS;
  now->heap_bytes = (uint64_t)td_counted_look(&space->used_blocks) * TD_BLOCK_BYTES;
  /* Between the two looks a slab may have been given back. */
  now->committed_bytes = blocks > bare ? (blocks - bare) * TD_BLOCK_BYTES : 0;
  now->peak_committed_bytes =
      (uint64_t)td_counted_look(&space->peak_committed_slabs) * TD_SLAB_BYTES;
  now->allocated_bytes = atomic_load_explicit(&heap->allocated_bytes, memory_order_relaxed);
  now->freed_bytes = atomic_load_explicit(&heap->freed_bytes, memory_order_relaxed);
  if (mutator) now->freed_bytes += mutator->freed_bytes;
  now->markers = atomic_load_explicit(&heap->markers_allowed, memory_order_relaxed);
}

static __attribute__((noinline)) void look_slowly(struct tide_heap *heap,
                                                  struct tide_figures *figures) {
  *figures = (struct tide_figures){0};
  if (heap) look(heap, tide_current(heap), figures);
}

void tide_figures(struct tide_heap *heap, struct tide_figures *figures) {
  const struct tide_mutator *mutator = td_self()->mutators;
  if (!figures) return;
  if (TIDE_LIKELY(heap && mutator && mutator->heap == heap))
    look(heap, mutator, figures);
  else
    look_slowly(heap, figures);
}

uint64_t tide_allocated_bytes(struct tide_heap *heap) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin(); /* a stop takes the runs away */
  if (!heap) return 0;
  /* relaxed: a figure. */
  uint64_t bytes = atomic_load_explicit(&heap->allocated_bytes, memory_order_relaxed);
  const struct tide_mutator *mutator = tide_current(heap);
  if (!mutator || mutator->blocking_depth) return bytes;
  const struct td_cache *cache = &mutator->cache;
  bytes += cache->handed_out;
  for (uint32_t i = 0; i < cache->filled_count; i++) {
    const struct tide_bump *run = &cache->runs[cache->filled[i]];
    bytes -= run->limit - run->next;
  }
  return bytes;
}
