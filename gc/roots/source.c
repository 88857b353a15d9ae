/* SPDX-License-Identifier: MIT */
/* Sources of roots, and the list of what they report. */
#include "gc/roots/source.h"

#include "gc/roots/set.h"
#include "tide/foreign.h"

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

void td_sources_stopped(struct tide_heap *heap, td_root_list_take take, void *context) {
  const struct td_registry *sources = sources_of(heap);
  struct td_root_list *told = &heap->roots->told;
  struct tide_root_list list = {.told = told};
  told->take = take;
  told->context = context;
  const struct tide_root_source *source = sources->at;
  for (size_t i = 0; i < sources->count; i++)
    if (source[i].stopped) source[i].stopped(&list, source[i].context);
}
