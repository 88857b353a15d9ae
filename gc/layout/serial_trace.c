/* SPDX-License-Identifier: MIT */
/* Trace functions that run one at a time: a function of ours takes a lock around them. */
#include "gc/layout/serial_trace.h"

#include <stdlib.h>

#include "gc/state/error.h"
#include "gc/threads/inside.h"
#include "tide/foreign.h"

struct td_serial_trace {
  struct td_serial_trace *next;
  struct tide_heap *heap;
  tide_trace_fn trace;
  void *context;
};

void td_serial_traces_deinit(struct tide_heap *heap) {
  while (heap->serial->traces) {
    struct td_serial_trace *next = heap->serial->traces->next;
    free(heap->serial->traces);
    heap->serial->traces = next;
  }
  pthread_mutex_destroy(&heap->serial->lock);
}

/* Markers only take this lock, and never two of a thread: a trace function is not called inside
 * another. */
static void trace_serially(void *object, size_t bytes, struct tide_tracer *tracer, void *context) {
  const struct td_serial_trace *one = context;
  pthread_mutex_lock(&one->heap->serial->lock);
  one->trace(object, bytes, tracer, one->context);
  pthread_mutex_unlock(&one->heap->serial->lock);
}

/* The one that is known already, or a new one, so that equal descriptions share a layout. */
static struct td_serial_trace *find_or_make(struct tide_heap *heap, tide_trace_fn trace,
                                            void *context) {
  struct td_serial_trace *one = heap->serial->traces;
  while (one && (one->trace != trace || one->context != context))
    one = one->next;
  if (one) return one;
  one = malloc(sizeof *one);
  if (!one) return NULL;
  *one = (struct td_serial_trace){heap->serial->traces, heap, trace, context};
  heap->serial->traces = one;
  return one;
}

tide_layout tide_layout_traced_serially(struct tide_heap *heap, tide_trace_fn trace, void *context,
                                        struct tide_error *error) {
  if (!heap || !trace) {
    td_fail(error, TIDE_ERROR_ARGUMENT, "tide_layout_traced_serially: %s is NULL",
            trace ? "heap" : "trace");
    return TIDE_LAYOUT_INVALID;
  }
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  pthread_mutex_lock(&heap->space.lock);
  struct td_serial_trace *one = find_or_make(heap, trace, context);
  pthread_mutex_unlock(&heap->space.lock);
  if (one) return tide_layout_traced(heap, trace_serially, one, error);
  td_fail(error, TIDE_ERROR_MEMORY, "tide_layout_traced_serially: out of memory");
  return TIDE_LAYOUT_INVALID;
}
