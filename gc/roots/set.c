/* Registered roots, and the list of spans that a collection starts from. */
#include "gc/roots/set.h"

#include <stdlib.h>
#include <string.h>

#include "gc/mutator/handles.h"
#include "gc/mutator/stacks.h"

/* Spans that there is always room for. */
#define SPANS_MIN 64u

bool td_roots_init(struct td_root_set *roots) {
  *roots = (struct td_root_set){0};
  roots->spans = malloc(SPANS_MIN * sizeof *roots->spans);
  roots->span_capacity = SPANS_MIN;
  roots->stack_words = malloc(TD_STACK_WORDS_MIN * sizeof *roots->stack_words);
  roots->stack_word_capacity = TD_STACK_WORDS_MIN;
  return roots->spans && roots->stack_words && pthread_mutex_init(&roots->lock, NULL) == 0;
}

static void free_ranges(struct td_root_ranges *ranges) {
  free(ranges->at);
  td_table_free(&ranges->index);
}

void td_roots_deinit(struct td_root_set *roots) {
  free(roots->slots);
  td_table_free(&roots->slot_index);
  free_ranges(&roots->ranges);
  free_ranges(&roots->conservative);
  free(roots->callbacks);
  free(roots->stack_words);
  free(roots->spans);
  pthread_mutex_destroy(&roots->lock);
}

/* ---- Registering ---- */

/* Room for one more element; false: out of memory. */
static bool make_room(void **array, size_t *capacity, size_t count, size_t bytes_each) {
  if (count < *capacity) return true;
  size_t wanted = *capacity ? *capacity * 2 : 16;
  if (wanted > SIZE_MAX / bytes_each) return false;
  void *larger = realloc(*array, wanted * bytes_each);
  if (!larger) return false;
  *array = larger;
  *capacity = wanted;
  return true;
}

/* From a trace function, root callback or event the set may not change: the collection that runs
 * holds the lock. */
static enum tide_status begin_change(struct tide_heap *heap) {
  if (!heap) return TIDE_ERROR_ARGUMENT;
  if (td_inside_collection(heap)) return TIDE_ERROR_STATE;
  pthread_mutex_lock(&heap->roots.lock);
  return TIDE_OK;
}

static enum tide_status add_slot(struct td_root_set *roots, uintptr_t slot) {
  if (td_table_get(&roots->slot_index, slot) != TD_TABLE_NONE) return TIDE_ERROR_STATE;
  if (!make_room((void **)&roots->slots, &roots->slot_capacity, roots->slot_count,
                 sizeof *roots->slots) ||
      !td_table_put(&roots->slot_index, slot, roots->slot_count))
    return TIDE_ERROR_MEMORY;
  roots->slots[roots->slot_count++] = slot;
  return TIDE_OK;
}

enum tide_status tide_root_add(struct tide_heap *heap, void *slot) {
  if (!slot || (uintptr_t)slot % 8) return TIDE_ERROR_ARGUMENT;
  enum tide_status status = begin_change(heap);
  if (status != TIDE_OK) return status;
  status = add_slot(&heap->roots, (uintptr_t)slot);
  pthread_mutex_unlock(&heap->roots.lock);
  return status;
}

static enum tide_status remove_slot(struct td_root_set *roots, uintptr_t slot) {
  size_t at = td_table_get(&roots->slot_index, slot);
  if (at == TD_TABLE_NONE) return TIDE_ERROR_ARGUMENT;
  uintptr_t last = roots->slots[--roots->slot_count];
  roots->slots[at] = last;
  td_table_put(&roots->slot_index, last, at);
  td_table_remove(&roots->slot_index, slot);
  return TIDE_OK;
}

enum tide_status tide_root_remove(struct tide_heap *heap, void *slot) {
  if (!slot) return TIDE_ERROR_ARGUMENT;
  enum tide_status status = begin_change(heap);
  if (status != TIDE_OK) return status;
  status = remove_slot(&heap->roots, (uintptr_t)slot);
  pthread_mutex_unlock(&heap->roots.lock);
  return status;
}

static enum tide_status add_range(struct td_root_ranges *ranges, const void *start, size_t count) {
  if (td_table_get(&ranges->index, (uintptr_t)start) != TD_TABLE_NONE) return TIDE_ERROR_STATE;
  if (!make_room((void **)&ranges->at, &ranges->capacity, ranges->count, sizeof *ranges->at) ||
      !td_table_put(&ranges->index, (uintptr_t)start, ranges->count))
    return TIDE_ERROR_MEMORY;
  ranges->at[ranges->count++] = (struct td_root_range){start, count};
  return TIDE_OK;
}

static enum tide_status remove_range(struct td_root_ranges *ranges, const void *start) {
  size_t at = td_table_get(&ranges->index, (uintptr_t)start);
  if (at == TD_TABLE_NONE) return TIDE_ERROR_ARGUMENT;
  struct td_root_range last = ranges->at[--ranges->count];
  ranges->at[at] = last;
  td_table_put(&ranges->index, (uintptr_t)last.start, at);
  td_table_remove(&ranges->index, (uintptr_t)start);
  return TIDE_OK;
}

static enum tide_status change_ranges(struct tide_heap *heap, struct td_root_ranges *ranges,
                                      const void *start, size_t count, bool add) {
  enum tide_status status = begin_change(heap);
  if (status != TIDE_OK) return status;
  status = add ? add_range(ranges, start, count) : remove_range(ranges, start);
  pthread_mutex_unlock(&heap->roots.lock);
  return status;
}

enum tide_status tide_root_add_range(struct tide_heap *heap, void *slots, size_t count) {
  if (!heap || !slots || (uintptr_t)slots % 8 || count == 0 ||
      count > (UINTPTR_MAX - (uintptr_t)slots) / sizeof(void *))
    return TIDE_ERROR_ARGUMENT;
  return change_ranges(heap, &heap->roots.ranges, slots, count, true);
}

enum tide_status tide_root_remove_range(struct tide_heap *heap, void *slots) {
  if (!heap || !slots) return TIDE_ERROR_ARGUMENT;
  return change_ranges(heap, &heap->roots.ranges, slots, 0, false);
}

enum tide_status tide_root_add_conservative(struct tide_heap *heap, const void *start,
                                            size_t bytes) {
  if (!heap || !start || bytes == 0 || bytes > UINTPTR_MAX - (uintptr_t)start)
    return TIDE_ERROR_ARGUMENT;
  return change_ranges(heap, &heap->roots.conservative, start, bytes, true);
}

enum tide_status tide_root_remove_conservative(struct tide_heap *heap, const void *start) {
  if (!heap || !start) return TIDE_ERROR_ARGUMENT;
  return change_ranges(heap, &heap->roots.conservative, start, 0, false);
}

static size_t find_callback(const struct td_root_set *roots, tide_root_fn call,
                            const void *context) {
  size_t i = 0;
  while (i < roots->callback_count &&
         (roots->callbacks[i].call != call || roots->callbacks[i].context != context))
    i++;
  return i;
}

enum tide_status tide_root_add_callback(struct tide_heap *heap, tide_root_fn callback,
                                        void *context) {
  if (!callback) return TIDE_ERROR_ARGUMENT;
  enum tide_status status = begin_change(heap);
  if (status != TIDE_OK) return status;
  struct td_root_set *roots = &heap->roots;
  if (find_callback(roots, callback, context) < roots->callback_count)
    status = TIDE_ERROR_STATE;
  else if (!make_room((void **)&roots->callbacks, &roots->callback_capacity, roots->callback_count,
                      sizeof *roots->callbacks))
    status = TIDE_ERROR_MEMORY;
  else
    roots->callbacks[roots->callback_count++] = (struct td_root_callback){callback, context};
  pthread_mutex_unlock(&roots->lock);
  return status;
}

enum tide_status tide_root_remove_callback(struct tide_heap *heap, tide_root_fn callback,
                                           void *context) {
  if (!callback) return TIDE_ERROR_ARGUMENT;
  enum tide_status status = begin_change(heap);
  if (status != TIDE_OK) return status;
  struct td_root_set *roots = &heap->roots;
  size_t at = find_callback(roots, callback, context);
  if (at == roots->callback_count)
    status = TIDE_ERROR_ARGUMENT;
  else
    roots->callbacks[at] = roots->callbacks[--roots->callback_count];
  pthread_mutex_unlock(&roots->lock);
  return status;
}

void td_roots_call_back(struct tide_tracer *tracer, void *heap) {
  const struct td_root_set *roots = &((struct tide_heap *)heap)->roots;
  for (size_t i = 0; i < roots->callback_count; i++)
    roots->callbacks[i].call(tracer, roots->callbacks[i].context);
}

/* ---- Gathering ---- */

struct gathering {
  td_roots_take take;
  void *context;
};
/* The gathering that runs in this thread: td_roots_emit is called from several files. */
static _Thread_local struct gathering *gathering;

void td_roots_emit(struct tide_heap *heap, enum td_span_kind kind, const void *start,
                   size_t count) {
  struct td_root_set *roots = &heap->roots;
  if (count == 0) return;
  if (!make_room((void **)&roots->spans, &roots->span_capacity, roots->span_count,
                 sizeof *roots->spans)) {
    gathering->take(heap, roots->spans, roots->span_count, gathering->context);
    roots->span_count = 0;
  }
  roots->spans[roots->span_count++] = (struct td_span){start, count, kind};
}

void td_roots_flush_words(struct tide_heap *heap) {
  struct td_root_set *roots = &heap->roots;
  td_roots_emit(heap, TD_SPAN_CONSERVATIVE, roots->stack_words, roots->stack_word_count);
  gathering->take(heap, roots->spans, roots->span_count, gathering->context);
  roots->span_count = roots->stack_word_count = 0;
  roots->words_incomplete = true;
}

static void emit_conservative(struct tide_heap *heap, const struct td_root_range *range) {
  uintptr_t low = ((uintptr_t)range->start + 7) & ~(uintptr_t)7;
  uintptr_t high = (uintptr_t)range->start + range->count;
  if (high > low) td_roots_emit(heap, TD_SPAN_CONSERVATIVE, (const void *)low, (high - low) / 8);
}

static void emit_pending(struct tide_heap *heap) {
  const struct td_finalizers *f = &heap->finalizers;
  size_t to_end = f->pending_capacity - f->pending_first;
  size_t first = f->pending_count < to_end ? f->pending_count : to_end;
  td_roots_emit(heap, TD_SPAN_SLOTS, f->pending_objects + f->pending_first, first);
  td_roots_emit(heap, TD_SPAN_SLOTS, f->pending_objects, f->pending_count - first);
}

void td_roots_gather(struct tide_heap *heap, bool fresh, td_roots_take take, void *context) {
  struct td_root_set *roots = &heap->roots;
  struct gathering mine = {take, context};
  gathering = &mine;
  roots->span_count = 0;
  td_roots_emit(heap, TD_SPAN_INDIRECT, roots->slots, roots->slot_count);
  for (size_t i = 0; i < roots->ranges.count; i++)
    td_roots_emit(heap, TD_SPAN_SLOTS, roots->ranges.at[i].start, roots->ranges.at[i].count);
  for (size_t i = 0; i < roots->conservative.count; i++)
    emit_conservative(heap, &roots->conservative.at[i]);
  if (heap->finalizers.pending_count) emit_pending(heap);
  if (fresh) {
    roots->stack_word_count = 0;
    roots->words_incomplete = false;
  }
  for (struct tide_mutator *m = heap->world.mutators; m; m = m->next) {
    td_handles_emit(heap, m);
    if (fresh) td_stack_collect(heap, m);
  }
  td_roots_emit(heap, TD_SPAN_CONSERVATIVE, roots->stack_words, roots->stack_word_count);
  take(heap, roots->spans, roots->span_count, context);
  gathering = NULL;
}
