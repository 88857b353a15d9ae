/* Trace functions that bear no company: a function of ours takes a lock around them. */
#include "gc/layout/alone.h"

#include <stdlib.h>

#include "gc/base/error.h"
#include "gc/base/inside.h"
#include "tide/foreign.h"

struct td_alone {
  struct td_alone *next;
  struct tide_heap *heap;
  tide_trace_fn trace;
  void *context;
};

void td_alone_deinit(struct tide_heap *heap) {
  while (heap->traced_alone) {
    struct td_alone *next = heap->traced_alone->next;
    free(heap->traced_alone);
    heap->traced_alone = next;
  }
  pthread_mutex_destroy(&heap->alone);
}

/* Markers only take this lock, and never two of a thread: a trace function is not called inside
 * another. */
static void trace_alone(void *object, size_t bytes, struct tide_tracer *tracer, void *context) {
  const struct td_alone *one = context;
  pthread_mutex_lock(&one->heap->alone);
  one->trace(object, bytes, tracer, one->context);
  pthread_mutex_unlock(&one->heap->alone);
}

/* The one that is known already, or a new one, so that equal descriptions share a layout. */
static struct td_alone *find_or_make(struct tide_heap *heap, tide_trace_fn trace, void *context) {
  struct td_alone *one = heap->traced_alone;
  while (one && (one->trace != trace || one->context != context))
    one = one->next;
  if (one) return one;
  one = malloc(sizeof *one);
  if (!one) return NULL;
  *one = (struct td_alone){heap->traced_alone, heap, trace, context};
  heap->traced_alone = one;
  return one;
}

tide_layout tide_layout_traced_alone(struct tide_heap *heap, tide_trace_fn trace, void *context,
                                     struct tide_error *error) {
  if (!heap || !trace) {
    td_fail(error, TIDE_ERROR_ARGUMENT, "tide_layout_traced_alone: %s is NULL",
            trace ? "heap" : "trace");
    return TIDE_LAYOUT_INVALID;
  }
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  pthread_mutex_lock(&heap->space.lock);
  struct td_alone *one = find_or_make(heap, trace, context);
  pthread_mutex_unlock(&heap->space.lock);
  if (one) return tide_layout_traced(heap, trace_alone, one, error);
  td_fail(error, TIDE_ERROR_MEMORY, "tide_layout_traced_alone: out of memory");
  return TIDE_LAYOUT_INVALID;
}
