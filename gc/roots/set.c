/* SPDX-License-Identifier: MIT */
/* Registering roots: of five kinds, in one way. */
#include "gc/roots/set.h"

#include <stdlib.h>

#include "gc/check/caller/check.h"
#include "gc/threads/inside.h"
#include "gc/threads/stop/world.h"
#include "tide/foreign.h"

bool td_roots_init(struct td_root_set *roots, struct td_root_room room[2]) {
  *roots = (struct td_root_set){
      .registered = {
          [TD_REGISTERED_SLOT] = TD_REGISTRY(uintptr_t, uintptr_t),
          [TD_REGISTERED_RANGE] = TD_REGISTRY(struct td_root_range, uintptr_t),
          [TD_REGISTERED_CONSERVATIVE] = TD_REGISTRY(struct td_root_range, uintptr_t),
          [TD_REGISTERED_CALLBACK] = TD_REGISTRY(struct td_root_callback, struct td_root_callback),
          [TD_REGISTERED_SOURCE] = TD_REGISTRY(struct tide_root_source, struct tide_root_source)}};
  td_root_list_begin(&roots->list, &room[0]);
  td_root_list_begin(&roots->told, &room[1]);
  return pthread_mutex_init(&roots->lock, NULL) == 0;
}

void td_roots_deinit(struct td_root_set *roots) {
  for (int kind = 0; kind < TD_REGISTERED_KINDS; kind++)
    td_registry_deinit(&roots->registered[kind]);
  td_root_list_deinit(&roots->list);
  td_root_list_deinit(&roots->told);
  pthread_mutex_destroy(&roots->lock);
}

/* ---- One way for all ---- */

static void lock(struct tide_heap *heap, enum td_registered kind) {
  if (kind == TD_REGISTERED_SOURCE)
    td_world_lock(heap);
  else
    pthread_mutex_lock(&heap->roots->lock);
}

static void unlock(struct tide_heap *heap, enum td_registered kind) {
  if (kind == TD_REGISTERED_SOURCE)
    td_world_unlock(heap);
  else
    pthread_mutex_unlock(&heap->roots->lock);
}

/* From a trace function, root callback or event the set may not change: the collection that runs
 * holds the lock. */
static enum tide_status change(struct tide_heap *heap, enum td_registered kind, const void *entry,
                               enum tide_status (*how)(struct td_registry *, const void *)) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!heap) return TIDE_ERROR_ARGUMENT;
  if (td_in_callback()) return TIDE_ERROR_STATE;
  lock(heap, kind);
  enum tide_status status = how(&heap->roots->registered[kind], entry);
  unlock(heap, kind);
  return status;
}

static enum tide_status add(struct tide_heap *heap, enum td_registered kind, const void *entry) {
  return change(heap, kind, entry, td_registry_add);
}

static enum tide_status drop(struct tide_heap *heap, enum td_registered kind, const void *known) {
  return change(heap, kind, known, td_registry_remove);
}

/* ---- The embedder's calls ---- */

/* Does the memory overlap the range in which this heap's objects lie? The caller gave a reference
 * where the address of a slot is wanted, or a slot that is no root. */
static bool inside_space(const struct tide_heap *heap, const void *start, size_t bytes) {
  uintptr_t base = heap->space.base;
  return td_space_owns(&heap->space, (uintptr_t)start) ||
         ((uintptr_t)start < base && (uintptr_t)start + bytes > base);
}

enum tide_status(tide_root_add)(struct tide_heap *heap, void *slot) {
  if (!heap || !slot || (uintptr_t)slot % 8 || inside_space(heap, slot, sizeof(void *)))
    return TIDE_ERROR_ARGUMENT;
  return add(heap, TD_REGISTERED_SLOT, &slot);
}

enum tide_status(tide_root_remove)(struct tide_heap *heap, void *slot) {
  return slot ? drop(heap, TD_REGISTERED_SLOT, &slot) : TIDE_ERROR_ARGUMENT;
}

enum tide_status tide_root_add_range(struct tide_heap *heap, void *slots, size_t count) {
  if (!heap || !slots || (uintptr_t)slots % 8 || count == 0 ||
      count > (UINTPTR_MAX - (uintptr_t)slots) / sizeof(void *) ||
      inside_space(heap, slots, count * sizeof(void *)))
    return TIDE_ERROR_ARGUMENT;
  const struct td_root_range range = {
      (uintptr_t)slots, count * sizeof(void *), {slots, count, TD_SPAN_SLOTS}};
  return add(heap, TD_REGISTERED_RANGE, &range);
}

enum tide_status tide_root_remove_range(struct tide_heap *heap, void *slots) {
  return slots ? drop(heap, TD_REGISTERED_RANGE, &slots) : TIDE_ERROR_ARGUMENT;
}

enum tide_status tide_root_add_conservative(struct tide_heap *heap, const void *start,
                                            size_t bytes) {
  if (!heap || !start || bytes == 0 || bytes > UINTPTR_MAX - (uintptr_t)start ||
      inside_space(heap, start, bytes))
    return TIDE_ERROR_ARGUMENT;
  const struct td_root_range range = {(uintptr_t)start, bytes,
                                      td_span_of_bytes(TD_SPAN_CONSERVATIVE, start, bytes)};
  return add(heap, TD_REGISTERED_CONSERVATIVE, &range);
}

enum tide_status tide_root_remove_conservative(struct tide_heap *heap, const void *start) {
  return start ? drop(heap, TD_REGISTERED_CONSERVATIVE, &start) : TIDE_ERROR_ARGUMENT;
}

enum tide_status tide_root_add_callback(struct tide_heap *heap, tide_root_fn callback,
                                        void *context) {
  const struct td_root_callback entry = {callback, context};
  return callback ? add(heap, TD_REGISTERED_CALLBACK, &entry) : TIDE_ERROR_ARGUMENT;
}

enum tide_status tide_root_remove_callback(struct tide_heap *heap, tide_root_fn callback,
                                           void *context) {
  const struct td_root_callback entry = {callback, context};
  return callback ? drop(heap, TD_REGISTERED_CALLBACK, &entry) : TIDE_ERROR_ARGUMENT;
}

static bool is_source(const struct tide_root_source *source) {
  return source && (source->before_stop || source->stopped || source->around_stop);
}

enum tide_status tide_root_add_source(struct tide_heap *heap,
                                      const struct tide_root_source *source) {
  if (!is_source(source)) return TIDE_ERROR_ARGUMENT;
  enum tide_status status = add(heap, TD_REGISTERED_SOURCE, source);
  if (status == TIDE_OK && source->around_stop)
    atomic_store_explicit(&heap->roots->may_wait, true, memory_order_relaxed); /* relaxed: a hint */
  return status;
}

enum tide_status tide_root_remove_source(struct tide_heap *heap,
                                         const struct tide_root_source *source) {
  return is_source(source) ? drop(heap, TD_REGISTERED_SOURCE, source) : TIDE_ERROR_ARGUMENT;
}

/* ---- Are they still there? The system is asked, which survives memory that is gone ---- */

/* *known is the page that was found readable last: roots mostly lie side by side. */
static bool is_readable(uintptr_t *known, uintptr_t address) {
  uintptr_t page = address & ~(uintptr_t)(td_plat_page_bytes() - 1);
  if (page == *known) return true;
  if (!td_plat_readable(address & ~(uintptr_t)7)) return false;
  *known = page;
  return true;
}

static void demand(uintptr_t *known, uintptr_t start, size_t bytes, const char *function) {
  size_t step = td_plat_page_bytes();
  for (uintptr_t at = start, end = start + bytes; at < end; at = (at & ~(step - 1)) + step) {
    if (is_readable(known, at)) continue;
    td_plat_say(
        "tidemark: TIDE_VERIFY: the root at %#zx, registered by %s, cannot be read at %#zx: its "
        "memory went without a call of tide_root_remove…\n",
        (size_t)start, function, (size_t)at);
    abort();
  }
}

static void demand_ranges(uintptr_t *known, const struct td_registry *ranges,
                          const char *function) {
  const struct td_root_range *range = ranges->at;
  for (size_t i = 0; i < ranges->count; i++)
    demand(known, range[i].start, range[i].bytes, function);
}

void td_roots_demand_readable(const struct tide_heap *heap) {
  const struct td_registry *registered = heap->roots->registered;
  const uintptr_t *slots = registered[TD_REGISTERED_SLOT].at;
  uintptr_t known = 0;
  for (size_t i = 0; i < registered[TD_REGISTERED_SLOT].count; i++)
    demand(&known, slots[i], sizeof(void *), "tide_root_add");
  demand_ranges(&known, &registered[TD_REGISTERED_RANGE], "tide_root_add_range");
  demand_ranges(&known, &registered[TD_REGISTERED_CONSERVATIVE], "tide_root_add_conservative");
}
