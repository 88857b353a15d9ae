/* Young collections. */
#include "gc/cycle/young.h"

#include "heap/log.h"
#include "heap/young.h"

#define SPANS 128u

/* Logged slots as spans, as many as fit; then they are marked, and others take their place. */
struct logged {
  struct tide_heap *heap;
  struct td_span spans[SPANS];
  size_t count;
  uint64_t slots;
};

static void mark_spans(struct logged *logged) {
  struct td_roots roots = {.spans = logged->spans, .span_count = logged->count};
  if (logged->count) td_mark_phase(logged->heap->markers, &roots);
  logged->count = 0;
}

static void add_slots(const struct td_logged_slots *slots, void *context) {
  struct logged *logged = context;
  enum td_span_kind kind = slots->conservative ? TD_SPAN_CONSERVATIVE : TD_SPAN_SLOTS;
  size_t count = (size_t)(slots->to - slots->from);
  logged->slots += count;
  struct td_span *last = logged->count ? &logged->spans[logged->count - 1] : NULL;
  if (last && last->kind == kind && (const uintptr_t *)last->start + last->count == slots->from) {
    last->count += count;
    return;
  }
  if (logged->count == SPANS) mark_spans(logged);
  logged->spans[logged->count++] = (struct td_span){slots->from, count, kind};
}

void td_young_mark_logged(struct tide_heap *heap) {
  struct logged logged = {.heap = heap};
  uint64_t objects = td_log_take_cards(&heap->space, add_slots, &logged);
  heap->building->all.logged = objects + logged.slots;
  if (objects) td_mark_announce_deferred(heap->markers);
  mark_spans(&logged);
}

void td_young_plan(struct tide_heap *heap, uint64_t collect_ns) {
  (void)collect_ns;
  if (!heap->space.has_young) return;
  heap->youth.due_bytes = (size_t)2 << 20;
  td_young_set_due(&heap->space, heap->youth.due_bytes);
}

bool td_young_is_unwise(struct tide_heap *heap) {
  return !heap->space.has_young;
}
