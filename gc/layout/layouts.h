/* SPDX-License-Identifier: MIT */
/* Layouts from descriptions. */
#ifndef TD_GC_LAYOUT_LAYOUTS_H
#define TD_GC_LAYOUT_LAYOUTS_H

#include "gc/state/heap.h"

struct td_serial_traces {
  pthread_mutex_t lock; /* held by markers, around functions of tide_layout_traced_serially */
  struct td_serial_trace *traces; /* under the space's lock */
};
void td_serial_traces_deinit(struct tide_heap *heap);

/* Turns the layout of an element into that of an array of such elements, if it describes one
 * element only (offsets, a bitmap); leaves it alone otherwise. *layout is under TIDE_LAYOUT_MAX.
 * Returns what tide_alloc_array documents. */
enum tide_status td_layout_of_array(struct tide_heap *heap, tide_layout *layout, size_t bytes_each);

#endif
