/* SPDX-License-Identifier: MIT */
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

/* Asks for the cache lines of an object and its mark. That of a leaf is not read, but to tell a
 * leaf costs more than a prefetch: where leaves are many, they are marked before they get here. */
TD_INLINE void td_window_prefetch(const struct td_view *v, uintptr_t object) {
  __builtin_prefetch(td_view_mark(v, object), 1);
  __builtin_prefetch((const void *)object);
}

/* Returns whether the object is so close to the one scanned last that its cache lines are likely
 * there. */
TD_INLINE bool td_is_near(uint64_t item, uintptr_t last) {
  return item - last + TD_NEAR_BYTES <= 2 * TD_NEAR_BYTES;
}

/* Marking goes on at `object`. Objects that follow each other at some distance often go on doing
 * so; the object that then comes some steps later is prefetched. */
TD_INLINE void td_fetch_ahead(uintptr_t object, uintptr_t last) {
  uintptr_t later = object + (object - last) * TD_NEAR_AHEAD;
  __builtin_prefetch((const void *)later);
}

/* The window must not be full. */
TD_INLINE void td_window_append(struct td_window *window, const struct td_view *v, uint64_t item) {
  td_window_prefetch(v, item); /* TD_ITEM_GREY leads to the same lines */
  window->ring[(window->head + window->count++) % TD_WINDOW] = item;
}

/* The window must not be empty. */
TD_INLINE uint64_t td_window_take(struct td_window *window) {
  window->count--;
  return window->ring[window->head++ % TD_WINDOW];
}

#endif
