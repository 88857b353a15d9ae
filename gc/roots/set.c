/* Registered roots. */
#include "gc/roots/set.h"

#include <stdlib.h>
#include <string.h>

#include "gc/arrays/pages.h"
#include "gc/check/caller/check.h"
#include "gc/threads/inside.h"
#include "gc/threads/thread.h"

/* Spans, and words of stacks, that there is always room for. */
#define SPANS_MIN 128u
#define WORDS_MIN 1024u
_Static_assert(TD_SINK_WORDS <= WORDS_MIN, "what a sink copies at once always fits an empty list");

bool td_roots_init(struct td_root_set *roots) {
  *roots = (struct td_root_set){.slots = NULL};
  roots->spans = td_pages_take(SPANS_MIN * sizeof *roots->spans);
  roots->span_capacity = SPANS_MIN;
  roots->stack_words = td_pages_take(WORDS_MIN * sizeof *roots->stack_words);
  roots->stack_word_capacity = WORDS_MIN;
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
  td_pages_give(roots->stack_words, roots->stack_word_capacity * sizeof *roots->stack_words);
  td_pages_give(roots->spans, roots->span_capacity * sizeof *roots->spans);
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
  if (td_in_callback()) return TIDE_ERROR_STATE;
  pthread_mutex_lock(&heap->roots->lock);
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

/* Does the memory overlap the range in which this heap's objects lie? Somebody gave a reference
 * where the address of a slot is wanted, or a slot that is no root. */
static bool inside_space(const struct tide_heap *heap, const void *start, size_t bytes) {
  uintptr_t base = heap->space.base, end = base + heap->space.reserved_bytes;
  return (uintptr_t)start < end && (uintptr_t)start + bytes > base;
}

enum tide_status(tide_root_add)(struct tide_heap *heap, void *slot) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!heap || !slot || (uintptr_t)slot % 8 || inside_space(heap, slot, sizeof(void *)))
    return TIDE_ERROR_ARGUMENT;
  enum tide_status status = begin_change(heap);
  if (status != TIDE_OK) return status;
  status = add_slot(heap->roots, (uintptr_t)slot);
  pthread_mutex_unlock(&heap->roots->lock);
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

enum tide_status(tide_root_remove)(struct tide_heap *heap, void *slot) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!slot) return TIDE_ERROR_ARGUMENT;
  enum tide_status status = begin_change(heap);
  if (status != TIDE_OK) return status;
  status = remove_slot(heap->roots, (uintptr_t)slot);
  pthread_mutex_unlock(&heap->roots->lock);
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
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  enum tide_status status = begin_change(heap);
  if (status != TIDE_OK) return status;
  status = add ? add_range(ranges, start, count) : remove_range(ranges, start);
  pthread_mutex_unlock(&heap->roots->lock);
  return status;
}

enum tide_status tide_root_add_range(struct tide_heap *heap, void *slots, size_t count) {
  if (!heap || !slots || (uintptr_t)slots % 8 || count == 0 ||
      count > (UINTPTR_MAX - (uintptr_t)slots) / sizeof(void *) ||
      inside_space(heap, slots, count * sizeof(void *)))
    return TIDE_ERROR_ARGUMENT;
  return change_ranges(heap, &heap->roots->ranges, slots, count, true);
}

enum tide_status tide_root_remove_range(struct tide_heap *heap, void *slots) {
  if (!heap || !slots) return TIDE_ERROR_ARGUMENT;
  return change_ranges(heap, &heap->roots->ranges, slots, 0, false);
}

enum tide_status tide_root_add_conservative(struct tide_heap *heap, const void *start,
                                            size_t bytes) {
  if (!heap || !start || bytes == 0 || bytes > UINTPTR_MAX - (uintptr_t)start ||
      inside_space(heap, start, bytes))
    return TIDE_ERROR_ARGUMENT;
  return change_ranges(heap, &heap->roots->conservative, start, bytes, true);
}

enum tide_status tide_root_remove_conservative(struct tide_heap *heap, const void *start) {
  if (!heap || !start) return TIDE_ERROR_ARGUMENT;
  return change_ranges(heap, &heap->roots->conservative, start, 0, false);
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
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!callback) return TIDE_ERROR_ARGUMENT;
  enum tide_status status = begin_change(heap);
  if (status != TIDE_OK) return status;
  struct td_root_set *roots = heap->roots;
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
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!callback) return TIDE_ERROR_ARGUMENT;
  enum tide_status status = begin_change(heap);
  if (status != TIDE_OK) return status;
  struct td_root_set *roots = heap->roots;
  size_t at = find_callback(roots, callback, context);
  if (at == roots->callback_count)
    status = TIDE_ERROR_ARGUMENT;
  else
    roots->callbacks[at] = roots->callbacks[--roots->callback_count];
  pthread_mutex_unlock(&roots->lock);
  return status;
}
