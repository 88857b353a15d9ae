/* Roots that are told afresh in each collection. */
#ifndef TD_GC_ROOTS_SOURCE_H
#define TD_GC_ROOTS_SOURCE_H

#include "gc/state/heap.h"
#include "gc/threads/mutator/sink.h"

/* Under the world's lock. */
struct td_sources {
  struct tide_root_source *at;
  size_t source_count;
  struct td_span *spans; /* as the sources told the last collection */
  size_t count, capacity;
  size_t reserved_bytes; /* address space for them */
};

void td_sources_deinit(struct td_sources *sources);

/* The world runs, and the caller holds its lock: asks the sources what there is. Returns false if
 * there is no memory to remember it. */
bool td_sources_before_stop(struct tide_heap *heap);

/* Calls `stop`, which stops the world, inside the functions of those sources that have one for it.
 * Returns false if one of them did not want it: what td_sources_before_stop heard holds no more. */
bool td_sources_stop(struct tide_heap *heap, void (*stop)(void *argument), void *argument);

/* World stopped: asks the sources for the rest. Where the list is full, `overfull` is called with
 * what is there, and the list begins anew. */
typedef void (*td_sources_overfull)(const struct td_span *spans, size_t count, void *context);
void td_sources_stopped(struct tide_heap *heap, td_sources_overfull overfull, void *context);

#endif
