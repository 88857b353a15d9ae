/* SPDX-License-Identifier: MIT */
#include "gc/roots/gather.h"

#include "gc/roots/pin.h"
#include "gc/threads/mutator/handles.h"
#include "gc/threads/mutator/stacks.h"
#include "gc/threads/thread.h"
#include "gc/weak/finalizers.h"
#include "tide/foreign.h"

/* ---- Sources ---- */

struct tide_root_list {
  struct td_root_list *told;
  bool refused; /* something could not be remembered */
};

static void report(struct tide_root_list *list, enum td_span_kind kind, const void *start,
                   size_t bytes) {
  if (!list || (uintptr_t)start + bytes < (uintptr_t)start) return;
  struct td_span span = td_span_of_bytes(kind, start, bytes);
  if (!td_root_list_add(list->told, span.kind, span.start, span.count)) list->refused = true;
}

void tide_root_report(struct tide_root_list *list, const void *start, size_t bytes) {
  report(list, TD_SPAN_CONSERVATIVE, start, bytes);
}

void tide_root_report_stack(struct tide_root_list *list, const void *start, size_t bytes) {
  report(list, TD_SPAN_STACK, start, bytes);
}

static const struct td_registry *sources_of(const struct tide_heap *heap) {
  return &heap->roots->registered[TD_REGISTERED_SOURCE];
}

bool td_sources_before_stop(struct tide_heap *heap) {
  const struct td_registry *sources = sources_of(heap);
  struct td_root_list *told = &heap->roots->told;
  struct tide_root_list list = {.told = told};
  if (sources->count && !td_root_list_init(told)) return false;
  td_root_list_clear(told);
  told->take = NULL;
  const struct tide_root_source *source = sources->at;
  for (size_t i = 0; i < sources->count; i++)
    if (source[i].before_stop) source[i].before_stop(&list, source[i].context);
  return !list.refused;
}

/* One source after the other, each inside the one before. */
struct stopping {
  const struct tide_root_source *next, *end;
  void (*stop)(void *argument);
  void *argument;
  bool stopped;
};

static void stop_inside(void *argument) {
  struct stopping *stopping = argument;
  while (stopping->next < stopping->end && !stopping->next->around_stop)
    stopping->next++;
  if (stopping->next < stopping->end) {
    const struct tide_root_source *source = stopping->next++;
    source->around_stop(stop_inside, stopping, source->context);
  } else if (!stopping->stopped) { /* a source may call it twice */
    stopping->stopped = true;
    stopping->stop(stopping->argument);
  }
}

bool td_sources_stop(struct tide_heap *heap, void (*stop)(void *argument), void *argument) {
  const struct tide_root_source *first = sources_of(heap)->at;
  struct stopping stopping = {first, first + sources_of(heap)->count, stop, argument, false};
  stop_inside(&stopping);
  return stopping.stopped;
}

/* Asks the sources for the rest. */
static void ask_stopped(struct tide_heap *heap, td_root_list_take take, void *context) {
  const struct td_registry *sources = sources_of(heap);
  struct td_root_list *told = &heap->roots->told;
  struct tide_root_list list = {.told = told};
  told->take = take;
  told->context = context;
  const struct tide_root_source *source = sources->at;
  for (size_t i = 0; i < sources->count; i++)
    if (source[i].stopped) source[i].stopped(&list, source[i].context);
}

/* ---- All of them ---- */

void td_roots_lock(struct tide_heap *heap) {
  pthread_mutex_lock(&heap->roots->lock);
  pthread_mutex_lock(&heap->finalizers->lock);
}

void td_roots_unlock(struct tide_heap *heap) {
  pthread_mutex_unlock(&heap->finalizers->lock);
  pthread_mutex_unlock(&heap->roots->lock);
}

static void add_ranges(struct td_root_list *list, const struct td_registry *ranges) {
  const struct td_root_range *range = ranges->at;
  for (size_t i = 0; i < ranges->count; i++)
    td_root_list_add(list, range[i].span.kind, range[i].span.start, range[i].span.count);
}

static void add_registered(struct td_root_list *list, const struct td_root_set *roots) {
  const struct td_registry *slots = &roots->registered[TD_REGISTERED_SLOT];
  td_root_list_add(list, TD_SPAN_INDIRECT, slots->at, slots->count);
  add_ranges(list, &roots->registered[TD_REGISTERED_RANGE]);
  add_ranges(list, &roots->registered[TD_REGISTERED_CONSERVATIVE]);
}

static void add_pins(struct td_root_list *list, struct tide_heap *heap) {
  td_pins_tidy(heap);
  td_root_list_add(list, TD_SPAN_SLOTS, heap->pins->listed, heap->pins->count);
}

static void add_finalizers(struct td_root_list *list, const struct td_finalizers *f) {
  size_t to_end = f->pending_capacity - f->pending_first;
  size_t first = f->pending_count < to_end ? f->pending_count : to_end;
  td_root_list_add(list, TD_SPAN_SLOTS, f->pending_objects + f->pending_first, first);
  td_root_list_add(list, TD_SPAN_SLOTS, f->pending_objects, f->pending_count - first);
  td_root_list_add(list, TD_SPAN_CONSERVATIVE, f->pending_held + f->pending_first, first);
  td_root_list_add(list, TD_SPAN_CONSERVATIVE, f->pending_held, f->pending_count - first);
  if (f->set) td_root_list_add(list, TD_SPAN_CONSERVATIVE, f->held, f->count);
}

static void add_told(struct td_root_list *list, const struct td_root_list *told) {
  for (size_t i = 0; i < told->count; i++)
    td_root_list_add(list, told->spans[i].kind, told->spans[i].start, told->spans[i].count);
}

const struct td_root_list *td_roots_gather(struct tide_heap *heap, enum td_root_words words,
                                           td_root_list_take take, void *context) {
  struct td_root_list *list = &heap->roots->list;
  bool fresh = words != TD_WORDS_KEPT, lost = list->lost;
  list->take = take;
  list->context = context;
  list->count = 0;
  if (fresh) td_root_list_clear(list);
  add_registered(list, heap->roots);
  add_pins(list, heap);
  add_finalizers(list, heap->finalizers);
  if (fresh) ask_stopped(heap, take, context);
  add_told(list, &heap->roots->told);
  for (struct tide_mutator *m = heap->world->mutators; m; m = m->next) {
    td_handles_list(m, list);
    if (fresh) td_stacks_list_running(m, list);
    if (words == TD_WORDS_FRESH) td_stacks_list_resting(m, list);
  }
  td_root_list_add(list, TD_SPAN_STACK, list->words, list->word_count);
  if (!fresh) list->lost = lost; /* what was listed now can be listed again */
  return list;
}

void td_roots_call_back(struct tide_tracer *tracer, void *heap) {
  const struct td_registry *callbacks =
      &((struct tide_heap *)heap)->roots->registered[TD_REGISTERED_CALLBACK];
  const struct td_root_callback *callback = callbacks->at;
  for (size_t i = 0; i < callbacks->count; i++)
    callback[i].call(tracer, callback[i].context);
}
