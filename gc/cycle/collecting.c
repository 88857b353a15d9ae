/* When a heap collects, as far as the program has a say: pauses, and memory outside the heap. */
#include "gc/check/caller/check.h"
#include "gc/cycle/asked.h"
#include "gc/when/when.h"
#include "gc/cycle/collect.h"
#include "gc/threads/inside.h"
#include "gc/threads/stop/pause.h"
#include "gc/threads/stop/world.h"
#include "gc/threads/thread.h"
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
  return td_budget_grow(heap,
                        blocks < td_budget_most(heap) ? (uint32_t)blocks : td_budget_most(heap));
}

/* Adds to the external bytes, and lets the budget of blocks shrink or grow with what is left until
 * the next collection is due. *due: it is due now. Returns false if more is taken off than there
 * is, or more added than can be counted. */
static bool add_external(struct tide_heap *heap, ptrdiff_t bytes, bool *due) {
  struct td_space *space = &heap->space;
  pthread_mutex_lock(&space->lock);
  size_t sum;
  bool counted =
      !__builtin_add_overflow(heap->when->external_bytes, bytes, &sum) && sum <= PTRDIFF_MAX;
  if (counted) {
    heap->when->external_bytes = sum;
    uint64_t left = heap->when->sizing.due_bytes > sum
                        ? (heap->when->sizing.due_bytes - sum) >> TD_BLOCK_LOG2
                        : 0;
    *due = bytes > 0 &&
           (uint64_t)space->used_blocks * TD_BLOCK_BYTES + sum > heap->when->sizing.due_bytes;
    if (left < space->used_blocks) left = space->used_blocks;
    space->budget_blocks = left < space->max_blocks ? (uint32_t)left : space->max_blocks;
  }
  pthread_mutex_unlock(&space->lock);
  return counted;
}

enum tide_status tide_external_add(struct tide_mutator *mutator, ptrdiff_t bytes) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  enum tide_status status = td_pause_allowed(mutator, "tide_external_add");
  if (status != TIDE_OK) return status;
  /* relaxed: another thread's collection will do as well; the lock orders the rest. */
  uint64_t seen = atomic_load_explicit(&mutator->heap->cycles, memory_order_relaxed);
  bool due = false;
  if (!add_external(mutator->heap, bytes, &due)) return TIDE_ERROR_ARGUMENT;
  struct td_wish wish = {TIDE_CYCLE_FULL, TIDE_CAUSE_EXTERNAL};
  if (due && !mutator->callback) td_collect_unless(mutator, wish, seen);
  if (bytes > 0) tide_safepoint(mutator);
  return TIDE_OK;
}
