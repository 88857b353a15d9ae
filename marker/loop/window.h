/* The window: a short FIFO of items whose objects and marks have been prefetched. Several cache
 * misses are under way together while the items wait here. */
#ifndef TD_MARKER_LOOP_WINDOW_H
#define TD_MARKER_LOOP_WINDOW_H

#include "heap/view.h"
#include "marker/base/item.h"
#include "marker/scan/scan.h"

struct td_window {
  /* A ring of TD_WINDOW items. It lies outside of this structure, because an array inside would
   * keep the compiler from holding the other members in registers. */
  uint64_t *ring;
  uint32_t head, count;
};

/* Asks for the cache lines of an object and its mark. Leaves are not read, so of a leaf only the
 * mark is asked for. */
TD_INLINE void td_window_prefetch(const struct td_view *v, uintptr_t object) {
  const uint8_t *mark = td_view_mark(v, object);
  __builtin_prefetch(mark, 1);
  bool leaf = td_view_block(v, object)->kind == TD_KIND_LEAF;
  __builtin_prefetch(leaf ? (const void *)mark : (const void *)object);
}

/* The window must not be full. */
TD_INLINE void td_window_append(struct td_window *window, const struct td_view *v, uint64_t item) {
  td_window_prefetch(v, item & ~TD_ITEM_GREY);
  window->ring[(window->head + window->count++) % TD_WINDOW] = item;
}

/* The window must not be empty. */
TD_INLINE uint64_t td_window_take(struct td_window *window) {
  window->count--;
  return window->ring[window->head++ % TD_WINDOW];
}

#endif
