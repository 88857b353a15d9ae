/* SPDX-License-Identifier: MIT */
/* How large a heap may become, changed while it lives. */
#include <string.h>

#include "gc/check/caller/check.h"
#include "gc/create/environment.h"
#include "gc/state/error.h"
#include "gc/threads/inside.h"
#include "gc/threads/stop/world.h"
#include "gc/threads/thread.h"
#include "gc/when/when.h"
#include "heap/space/find.h"

/* What is wrong with a new limit, or NULL. */
static const char *max_objection(const struct tide_heap *heap, size_t bytes) {
  if (bytes < TD_HEAP_MAX_LEAST) return "heap_max_bytes is under 1 MiB";
  if (bytes > heap->space.reserved_bytes)
    return "heap_max_bytes is over the address space reserved";
  return NULL;
}

enum tide_status tide_heap_set_max(struct tide_heap *heap, size_t heap_max_bytes,
                                   struct tide_error *error) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  const char *wrong = heap ? max_objection(heap, heap_max_bytes) : "heap is NULL";
  if (wrong) return td_fail(error, TIDE_ERROR_ARGUMENT, "tide_heap_set_max: %s", wrong);
  if (td_in_callback())
    return td_fail(error, TIDE_ERROR_STATE, "tide_heap_set_max: inside a collection");
  td_world_lock(heap);
  pthread_mutex_lock(&heap->space.lock);
  struct td_space *space = &heap->space;
  size_t usable = space->block_count - 1u, wanted = heap_max_bytes / TD_BLOCK_BYTES;
  space->max_blocks = (uint32_t)(wanted < usable ? wanted : usable);
  heap->when->sizing.max_blocks = space->max_blocks;
  td_budget_reserve(heap, space->used_blocks);
  uint32_t most = td_budget_bound(heap);
  if (heap->when->sizing.kind == TIDE_SIZING_FIXED || space->budget_blocks > most)
    space->budget_blocks = most;
  pthread_mutex_unlock(&heap->space.lock);
  td_world_unlock(heap);
  return td_succeed(error);
}

enum tide_status tide_heap_set_sizing(struct tide_heap *heap, enum tide_sizing sizing,
                                      double growth_factor, struct tide_error *error) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  const char *wrong = NULL;
  if (!heap)
    wrong = "heap is NULL";
  else if ((int)sizing < 0 || sizing > TIDE_SIZING_WEIGHTED)
    wrong = "no such sizing";
  else if (growth_factor != 0 && !(growth_factor > 1 && growth_factor <= TD_GROWTH_MOST))
    wrong = "growth_factor is not over 1";
  if (wrong) return td_fail(error, TIDE_ERROR_ARGUMENT, "tide_heap_set_sizing: %s", wrong);
  if (td_in_callback())
    return td_fail(error, TIDE_ERROR_STATE, "tide_heap_set_sizing: inside a collection");
  td_world_lock(heap);
  pthread_mutex_lock(&heap->space.lock);
  heap->when->sizing.kind = sizing;
  heap->when->sizing.growth_factor = growth_factor;
  /* What the rule before has allowed is no promise of this one. */
  memset(heap->when->sizing.recent, 0, sizeof heap->when->sizing.recent);
  pthread_mutex_unlock(&heap->space.lock);
  td_world_unlock(heap);
  return td_succeed(error);
}

enum tide_status tide_heap_set_young(struct tide_heap *heap, enum tide_young young) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!heap || (int)young < 0 || young > TIDE_YOUNG_NEVER) return TIDE_ERROR_ARGUMENT;
  if (td_in_callback() || !heap->space.has_young) return TIDE_ERROR_STATE;
  td_world_lock(heap);
  heap->when->youth.kind =
      young == TIDE_YOUNG_WHERE_IT_PAYS && heap->verify ? TIDE_YOUNG_ALWAYS : young;
  td_world_unlock(heap);
  return TIDE_OK;
}

_Static_assert(TIDE_DISPLACEMENT_MAX == TD_DISPLACEMENTS, "as many as there are bits");

enum tide_status tide_heap_set_interior(struct tide_heap *heap, enum tide_interior interior) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!heap || (interior != TIDE_INTERIOR_ALL && interior != TIDE_INTERIOR_BASE))
    return TIDE_ERROR_ARGUMENT;
  if (td_in_callback()) return TIDE_ERROR_STATE;
  td_world_lock(heap);
  heap->space.base_only = interior == TIDE_INTERIOR_BASE;
  td_space_set_words(&heap->space);
  td_world_unlock(heap);
  return TIDE_OK;
}

enum tide_status tide_heap_add_displacement(struct tide_heap *heap, size_t bytes) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!heap || bytes >= TIDE_DISPLACEMENT_MAX) return TIDE_ERROR_ARGUMENT;
  if (td_in_callback()) return TIDE_ERROR_STATE;
  td_world_lock(heap);
  heap->space.displacements[bytes / 64] |= (uint64_t)1 << (bytes % 64);
  td_space_set_words(&heap->space);
  td_world_unlock(heap);
  return TIDE_OK;
}
