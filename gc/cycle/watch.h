/* What do roots let go of? While a heap is being filled (gc/when/filling.h), young collections
 * watch the objects that roots name, and what these refer to. The next one asks whether they are
 * still in use.
 *
 * An old object passes for alive in a young collection, so nothing would show that it was dropped.
 * So before marking, those that are watched become young for once. If marking finds them, a root, a
 * young object or a logged one refers to them. If not, they get their mark back, for an old object
 * that was not looked into may hold them: a young collection frees none of them. But where such an
 * object leads to much, much may be dead, and a full collection should come.
 *
 * Objects of more than a page would be long to scan again. It only counts that roots name them.
 * World stopped, in everything here. */
#ifndef TD_GC_CYCLE_WATCH_H
#define TD_GC_CYCLE_WATCH_H

#include "gc/state/heap.h"

/* Objects that roots led to at the last look. World stopped. */
#define TD_WATCHED 128u
struct td_watch {
  uintptr_t objects[TD_WATCHED], seen[TD_WATCHED]; /* those, and what the running collection saw */
  unsigned count, seen_count;
  unsigned words;      /* of roots that were looked at */
  unsigned seen_again; /* found by marking, as if they were young */
  bool let_go;         /* at the last look, roots may have let go of much */
};

/* Before a young marking. */
void td_watch_begin(struct tide_heap *heap);
/* Roots that the marking begins with. */
void td_watch_see(struct tide_heap *heap, const struct td_span *spans, size_t count);
/* All is marked that they reach, but for what ephemerons hold. Says whether roots may have let go
 * of much, and watches what they name now. */
void td_watch_end(struct tide_heap *heap);

#endif
