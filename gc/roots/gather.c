/* Gathering roots into spans. */
#include "gc/roots/gather.h"

#include "gc/arrays/pages.h"
#include "gc/roots/pin.h"
#include "gc/roots/set.h"
#include "gc/roots/source.h"
#include "gc/threads/mutator/handles.h"
#include "gc/threads/mutator/sink.h"
#include "gc/threads/mutator/stacks.h"
#include "gc/threads/world.h"
#include "gc/weak/finalizers.h"

struct gathering {
  struct td_root_sink sink; /* first */
  struct tide_heap *heap;
  td_roots_take take;
  void *context;
};

/* Hands over what is there and begins a new list. */
static void flush_spans(struct gathering *g) {
  struct td_root_set *roots = g->heap->roots;
  g->take(g->heap, roots->spans, roots->span_count, g->context);
  roots->span_count = 0;
}

static bool grow_spans(struct td_root_set *roots) {
  size_t capacity = roots->span_capacity * 2;
  struct td_span *larger =
      td_pages_grow(roots->spans, roots->span_capacity * sizeof *larger, capacity * sizeof *larger);
  if (!larger) return false;
  roots->spans = larger;
  roots->span_capacity = capacity;
  return true;
}

static void add_span(struct td_root_sink *sink, enum td_span_kind kind, const void *start,
                     size_t count) {
  struct gathering *g = (struct gathering *)sink;
  struct td_root_set *roots = g->heap->roots;
  if (count == 0) return;
  if (roots->span_count == roots->span_capacity && !grow_spans(roots)) flush_spans(g);
  roots->spans[roots->span_count++] = (struct td_span){start, count, kind};
}

/* ---- Words of stacks ---- */

static bool grow_words(struct td_root_set *roots) {
  size_t capacity = roots->stack_word_capacity * 2;
  uintptr_t *larger = td_pages_grow(roots->stack_words, roots->stack_word_capacity * sizeof *larger,
                                    capacity * sizeof *larger);
  if (!larger) return false;
  roots->stack_words = larger;
  roots->stack_word_capacity = capacity;
  return true;
}

/* Without memory for a longer list, the words found so far are handed over and forgotten. */
static uintptr_t *room_for_words(struct td_root_sink *sink) {
  struct gathering *g = (struct gathering *)sink;
  struct td_root_set *roots = g->heap->roots;
  if (roots->stack_word_capacity - roots->stack_word_count < TD_SINK_WORDS && !grow_words(roots)) {
    add_span(sink, TD_SPAN_STACK, roots->stack_words, roots->stack_word_count);
    flush_spans(g);
    roots->stack_word_count = 0;
    roots->words_incomplete = true;
  }
  return roots->stack_words + roots->stack_word_count;
}

static void words_copied(struct td_root_sink *sink, size_t count) {
  ((struct gathering *)sink)->heap->roots->stack_word_count += count;
}

/* ---- All roots ---- */

static void add_conservative(struct td_root_sink *sink, const struct td_root_range *range) {
  uintptr_t low = ((uintptr_t)range->start + 7) & ~(uintptr_t)7;
  uintptr_t high = (uintptr_t)range->start + range->count;
  if (high > low) sink->span(sink, TD_SPAN_CONSERVATIVE, (const void *)low, (high - low) / 8);
}

static void add_registered(struct td_root_sink *sink, struct td_root_set *roots) {
  sink->span(sink, TD_SPAN_INDIRECT, roots->slots, roots->slot_count);
  for (size_t i = 0; i < roots->ranges.count; i++)
    sink->span(sink, TD_SPAN_SLOTS, roots->ranges.at[i].start, roots->ranges.at[i].count);
  for (size_t i = 0; i < roots->conservative.count; i++)
    add_conservative(sink, &roots->conservative.at[i]);
}

static void add_pins(struct td_root_sink *sink, const struct td_pins *pins) {
  sink->span(sink, TD_SPAN_SLOTS, pins->listed, pins->count);
}

static void add_pending(struct td_root_sink *sink, const struct td_finalizers *f) {
  if (f->pending_count == 0) return;
  size_t to_end = f->pending_capacity - f->pending_first;
  size_t first = f->pending_count < to_end ? f->pending_count : to_end;
  sink->span(sink, TD_SPAN_SLOTS, f->pending_objects + f->pending_first, first);
  sink->span(sink, TD_SPAN_SLOTS, f->pending_objects, f->pending_count - first);
  sink->span(sink, TD_SPAN_CONSERVATIVE, f->pending_held + f->pending_first, first);
  sink->span(sink, TD_SPAN_CONSERVATIVE, f->pending_held, f->pending_count - first);
}

/* Without memory for a longer list, what the sources have told is handed over and forgotten. */
static void hand_over(const struct td_span *spans, size_t count, void *context) {
  struct gathering *g = context;
  g->take(g->heap, spans, count, g->context);
  g->heap->roots->words_incomplete = true;
}

static void add_sources(struct gathering *g, enum td_root_words words) {
  const struct td_sources *sources = g->heap->sources;
  if (words == TD_WORDS_FRESH) td_sources_stopped(g->heap, hand_over, g);
  for (size_t i = 0; i < sources->count; i++)
    add_span(&g->sink, sources->spans[i].kind, sources->spans[i].start, sources->spans[i].count);
}

void td_roots_gather(struct tide_heap *heap, enum td_root_words words, td_roots_take take,
                     void *context) {
  struct td_root_set *roots = heap->roots;
  struct gathering g = {.sink = {add_span, room_for_words, words_copied},
                        .heap = heap,
                        .take = take,
                        .context = context};
  roots->span_count = 0;
  td_pins_tidy(heap);
  add_registered(&g.sink, roots);
  add_pins(&g.sink, heap->pins);
  add_pending(&g.sink, heap->finalizers);
  if (heap->finalizers->set)
    add_span(&g.sink, TD_SPAN_CONSERVATIVE, heap->finalizers->held, heap->finalizers->count);
  if (words == TD_WORDS_FRESH) {
    roots->stack_word_count = 0;
    roots->words_incomplete = false;
  }
  add_sources(&g, words);
  for (struct tide_mutator *m = heap->world->mutators; m; m = m->next) {
    td_handles_emit(m, &g.sink);
    if (words == TD_WORDS_FRESH) td_stacks_emit(m, &g.sink);
  }
  add_span(&g.sink, TD_SPAN_STACK, roots->stack_words, roots->stack_word_count);
  flush_spans(&g);
}

void td_roots_call_back(struct tide_tracer *tracer, void *heap) {
  const struct td_root_set *roots = ((struct tide_heap *)heap)->roots;
  for (size_t i = 0; i < roots->callback_count; i++)
    roots->callbacks[i].call(tracer, roots->callbacks[i].context);
}
