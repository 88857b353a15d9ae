/* SPDX-License-Identifier: MIT */
/* Whose turn it is, of the objects that have one finalizer of their own:
 *   1  What the unmarked ones refer to is marked with all that it reaches; what those of NO_ORDER
 *      refer to is not. So an ordered one that is reached by another, or by itself, is marked now.
 *   2  Those still unmarked go to the queue, but for UNREACHABLE ones; they are marked with what
 *      they reach.
 *   3  UNREACHABLE ones that are unmarked even now go to the queue too.
 * Marking of 1 is one parallel phase: an object that a marker meets meanwhile contributes nothing
 * that its own finder does not. */
#include "gc/foreign/settle.h"

#include "gc/weak/ephemeron.h"
#include "gc/weak/finalizers.h"
#include "tide/foreign.h"

static bool is_unmarked(const struct tide_heap *heap, const struct td_finalizer *f) {
  return !td_object_is_marked(&heap->space, f->object);
}

bool td_settle_needed(const struct tide_heap *heap) {
  const struct td_finalizers *f = heap->finalizers;
  size_t i = f->set ? 0 : f->count;
  while (i < f->count && !(td_finalizer_is_set(&f->at[i]) && is_unmarked(heap, &f->at[i])))
    i++;
  return i < f->count;
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
  struct contents contents = {.to = tracer};
  td_scanner_init(&contents.scanner, &heap->space, pass_on);
  for (size_t i = 0; i < heap->finalizers->count; i++) {
    const struct td_finalizer *f = &heap->finalizers->at[i];
    if (!td_finalizer_is_set(f) || f->order == TIDE_FINALIZE_NO_ORDER ||
        !(all || is_unmarked(heap, f)))
      continue;
    contents.self = f->order == TIDE_FINALIZE_IGNORE_SELF ? f->object : 0;
    td_scan_object(&contents.scanner, f->object);
  }
}

static void report_unmarked(struct tide_tracer *tracer, void *heap) {
  report(tracer, heap, false);
}

void td_settle_report_waiting(struct tide_tracer *tracer, struct tide_heap *heap) {
  report(tracer, heap, true);
}

/* ---- Queueing ---- */

static void queue_unmarked(struct tide_heap *heap, bool unreachable) {
  struct td_finalizers *f = heap->finalizers;
  size_t before = f->pending_count;
  for (size_t i = f->count; i-- > 0;)
    if (td_finalizer_is_set(&f->at[i]) &&
        (f->at[i].order == TIDE_FINALIZE_UNREACHABLE) == unreachable &&
        is_unmarked(heap, &f->at[i]))
      td_finalizers_queue(f, i);
  td_finalizers_mark_queued(heap, before);
}

void td_settle(struct tide_heap *heap, enum td_settling step) {
  const struct td_roots contents = {.callback = report_unmarked, .context = heap};
  if (step != TD_SETTLE_CONTENTS) {
    queue_unmarked(heap, step == TD_SETTLE_UNREACHABLE);
  } else if (heap->beside) {
    td_mark_call_back(heap->markers, &contents);
  } else {
    td_mark_phase(heap->markers, &contents);
    td_ephemerons_close(heap);
  }
}
