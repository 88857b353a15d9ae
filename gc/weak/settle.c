/* Whose turn it is, of the objects that have one finalizer of their own:
 *   1  What the unmarked ones refer to is marked with all that it reaches; what those of NO_ORDER
 *      refer to is not. So an ordered one that is reached by another, or by itself, is marked now.
 *   2  Those still unmarked go to the queue, but for UNREACHABLE ones; they are marked with what
 *      they reach.
 *   3  UNREACHABLE ones that are unmarked even now go to the queue too.
 * Marking of 1 is one parallel phase: an object that a marker meets meanwhile contributes nothing
 * that its own finder does not. */
#include "gc/weak/settle.h"

#include "gc/weak/ephemeron.h"
#include "gc/weak/finalizer.h"
#include "gc/weak/settled.h"
#include "tide/foreign.h"

static bool unmarked(const struct tide_heap *heap, size_t i) {
  return !td_object_is_marked(&heap->space, heap->finalizers->set.at[i].object);
}

bool td_settle_needed(const struct tide_heap *heap) {
  for (size_t i = 0; i < heap->finalizers->set.count; i++)
    if (unmarked(heap, i)) return true;
  return false;
}

/* ---- What they refer to ---- */

struct contents {
  struct td_scanner scanner; /* first */
  struct tide_tracer *to;
  uintptr_t self; /* references to this are left out */
};

static void pass_on(struct td_scanner *scanner, uintptr_t target) {
  struct contents *contents = (struct contents *)scanner;
  if (target != contents->self) contents->to->slots(contents->to, &target, 1);
}

static void report(struct tide_tracer *tracer, struct tide_heap *heap, bool all) {
  const struct td_set_finalizers *set = &heap->finalizers->set;
  struct contents contents = {.to = tracer};
  td_scanner_init(&contents.scanner, &heap->space, pass_on);
  for (size_t i = 0; i < set->count; i++) {
    if (set->at[i].order == TIDE_FINALIZE_NO_ORDER || !(all || unmarked(heap, i))) continue;
    contents.self = set->at[i].order == TIDE_FINALIZE_IGNORE_SELF ? set->at[i].object : 0;
    td_scan_object(&contents.scanner, set->at[i].object);
  }
}

static void report_unmarked(struct tide_tracer *tracer, void *heap) {
  report(tracer, heap, false);
}

void td_settle_report_waiting(struct tide_tracer *tracer, struct tide_heap *heap) {
  report(tracer, heap, true);
}

/* ---- Queueing ---- */

/* Marks what was queued from number `before` of the queue on. */
static void mark_queued(struct tide_heap *heap, size_t before) {
  const struct td_finalizers *f = heap->finalizers;
  size_t first = (f->pending_first + before) % f->pending_capacity;
  size_t count = f->pending_count - before, to_end = f->pending_capacity - first;
  struct td_span spans[2] = {
      {f->pending_objects + first, count < to_end ? count : to_end, TD_SPAN_SLOTS},
      {f->pending_objects, count < to_end ? 0 : count - to_end, TD_SPAN_SLOTS}};
  if (count == 0) return;
  td_mark_phase(heap->markers,
                &(struct td_roots){.spans = spans, .span_count = spans[1].count ? 2 : 1});
  td_ephemerons_close(heap);
}

static void queue_unmarked(struct tide_heap *heap, bool unreachable) {
  struct td_finalizers *f = heap->finalizers;
  size_t before = f->pending_count;
  for (size_t i = f->set.count; i-- > 0;)
    if ((f->set.at[i].order == TIDE_FINALIZE_UNREACHABLE) == unreachable && unmarked(heap, i))
      td_finalizers_queue_settled(f, i);
  mark_queued(heap, before);
}

void td_settle(struct tide_heap *heap) {
  td_mark_phase(heap->markers, &(struct td_roots){.callback = report_unmarked, .context = heap});
  td_ephemerons_close(heap);
  queue_unmarked(heap, false);
  queue_unmarked(heap, true);
}
