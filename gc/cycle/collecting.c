/* SPDX-License-Identifier: MIT */
/* When a heap collects, as far as the program has a say: pauses, and memory outside the heap. */
#include "gc/check/caller/check.h"
#include "gc/cycle/asked.h"
#include "gc/when/when.h"
#include "gc/cycle/collect.h"
#include "gc/cycle/owed.h"
#include "gc/object/runs.h"
#include "gc/threads/mutator/safepoint.h"
#include "gc/threads/inside.h"
#include "gc/threads/stop/pause.h"
#include "gc/threads/stop/world.h"
#include "gc/threads/thread.h"
#include "heap/memory/blocks.h"
#include "tide/dropin.h"

/* Waits for a collection that runs. */
static void await_end(struct tide_heap *heap) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!td_asked_runs(heap->asked)) return;
  td_world_lock(heap);
  td_world_unlock(heap);
}

enum tide_status tide_collect_pause(struct tide_heap *heap) {
  if (!heap) return TIDE_ERROR_ARGUMENT;
  if (td_in_callback() || !td_asked_count(heap->asked, 1)) return TIDE_ERROR_STATE;
  await_end(heap);
  return TIDE_OK;
}

enum tide_status tide_collect_resume(struct tide_heap *heap) {
  if (!heap) return TIDE_ERROR_ARGUMENT;
  return !td_in_callback() && td_asked_count(heap->asked, -1) ? TIDE_OK : TIDE_ERROR_STATE;
}

enum tide_status tide_collect_pause_by(struct tide_heap *heap, const int *variable) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!heap) return TIDE_ERROR_ARGUMENT;
  if (td_in_callback()) return TIDE_ERROR_STATE;
  td_world_lock(heap);
  heap->asked->by = (const _Atomic(int) *)variable;
  td_world_unlock(heap);
  return TIDE_OK;
}

void tide_collect_await(struct tide_heap *heap) {
  if (!heap || TIDE_LIKELY(!td_asked_runs(heap->asked))) return;
  if (!td_in_callback()) await_end(heap);
}

bool tide_heap_grow(struct tide_heap *heap, size_t bytes) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!heap || td_in_callback()) return false;
  size_t blocks = bytes / TD_BLOCK_BYTES + 1;
  return blocks <= td_budget_most(heap) && td_budget_grow(heap, (uint32_t)blocks);
}

void tide_heap_trim(struct tide_heap *heap) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!heap || td_in_callback()) return;
  td_world_lock(heap);
  if (!heap->beside) (void)td_space_trim(&heap->space, 0);
  td_world_unlock(heap);
}

/* Small objects may hold much, and it may be long until their blocks are wanted. So more is told of
 * the dead than is taken outside, and what has piled up becomes less. */
static void tell_soon(struct tide_mutator *mutator) {
  size_t blocks = td_external_taken(&mutator->heap->when->external);
  if (blocks == 0) return;
  mutator->dead_to_tell += 2 * blocks;
  mutator->looks_first = true;
  td_runs_show(mutator);
}

/* It may be called in the middle of the program's realloc, so nothing may happen here. */
enum tide_status tide_external_add(struct tide_mutator *mutator, ptrdiff_t bytes) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  /* For each buffer that a dead object had: the look at the mutator must be quick. */
  if (!TIDE_LIKELY(mutator && mutator->heap && mutator->thread == inside) &&
      !td_mutator_check(mutator, "tide_external_add"))
    return td_refusal(mutator);
  struct tide_heap *heap = mutator->heap;
  if (!td_external_add(&heap->when->external, bytes, mutator->tells_dead))
    return TIDE_ERROR_ARGUMENT;
  tell_soon(mutator);
  struct td_wish wish;
  if (td_external_note(heap, &wish) == TD_ROOM) return TIDE_OK;
  if (wish.kind == TIDE_CYCLE_FULL) wish.cause = TIDE_CAUSE_EXTERNAL;
  td_owe_at_once(mutator, wish);
  return TIDE_OK;
}

/* Stands still if the world is being stopped, and makes up for what is owed. */
void tide_safepoint_slow(struct tide_mutator *mutator) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (td_safepoint(mutator)) td_collect_owed(mutator);
}
