/* SPDX-License-Identifier: MIT */
/* Gathering roots into spans. */
#include "gc/roots/gather.h"

#include "gc/roots/pin.h"
#include "gc/roots/source.h"
#include "gc/threads/mutator/handles.h"
#include "gc/threads/mutator/stacks.h"
#include "gc/threads/world.h"
#include "gc/weak/finalizers.h"

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
  if (fresh) td_sources_stopped(heap, take, context);
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
