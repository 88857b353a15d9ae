/* Queueing finalizers. */
#include "gc/weak/finalize.h"

#include "gc/arrays/table.h"
#include "gc/weak/finalizer.h"
#include "gc/weak/order.h"

static void queue_object(struct td_finalizers *f, size_t first) {
  uintptr_t object = f->at[first].object;
  for (size_t i = first; i != TD_TABLE_NONE; i = f->at[i].next) {
    size_t at = (f->pending_first + f->pending_count++) % f->pending_capacity;
    f->pending[at] = f->at[i];
    f->pending_objects[at] = object;
    f->pending_contexts[at] = 0;
    f->at[i].object = 0;
    f->removed++;
  }
  td_table_remove(&f->index, object);
}

void td_finalize_queue_dying(struct tide_heap *heap) {
  struct td_finalizers *f = heap->finalizers;
  size_t before = f->pending_count;
  for (size_t i = 0; i < f->count; i++)
    if (f->at[i].fate == TD_FATE_QUEUE) queue_object(f, i);
  /* Every dying object is reached by one whose turn it is. */
  size_t first = (f->pending_first + before) % f->pending_capacity;
  size_t count = f->pending_count - before, to_end = f->pending_capacity - first;
  struct td_span spans[2] = {
      {f->pending_objects + first, count < to_end ? count : to_end, TD_SPAN_SLOTS},
      {f->pending_objects, count < to_end ? 0 : count - to_end, TD_SPAN_SLOTS}};
  struct td_roots roots = {.spans = spans, .span_count = spans[1].count ? 2 : 1};
  td_mark_phase(heap->markers, &roots);
}
