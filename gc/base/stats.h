/* Figures and events. */
#ifndef TD_GC_BASE_STATS_H
#define TD_GC_BASE_STATS_H

#include "gc/base/state.h"

bool td_stats_init(struct tide_heap *heap);
void td_stats_deinit(struct tide_heap *heap);

/* A collection begins: what tide_cycle_running says until td_stats_publish. Tells CYCLE_BEGIN, and
 * returns the time. */
uint64_t td_stats_begin(struct tide_heap *heap, enum tide_cycle_kind kind,
                        enum tide_cycle_cause cause);
/* It does not take place after all. */
void td_stats_abandon(struct tide_heap *heap);
/* Calls the embedder's callback, if there is one. Returns the time. */
uint64_t td_stats_tell(struct tide_heap *heap, enum tide_event event);
/* Does committed memory differ from what was told last? */
bool td_stats_growth_is_news(struct tide_heap *heap);
/* HEAP_GREW or HEAP_SHRANK if committed memory differs from when it was told last. */
void td_stats_tell_growth(struct tide_heap *heap);
/* The collection in heap->building has ended: it becomes the last one. */
void td_stats_publish(struct tide_heap *heap);

#endif
