/* SPDX-License-Identifier: MIT */
#include "gc/cycle/owed.h"

#include "gc/object/runs.h"
#include "gc/stats/stats.h"
#include "gc/threads/mutator/callback.h"
#include "gc/threads/stop/world.h"

/* In one word: 0 is nothing, and a full collection is more than a young one. */
static uint32_t packed(struct td_wish wish) {
  return (uint32_t)wish.cause | (wish.kind == TIDE_CYCLE_FULL ? 1u << 8 : 0);
}

static struct td_wish unpacked(uint32_t owed) {
  return (struct td_wish){owed >> 8 ? TIDE_CYCLE_FULL : TIDE_CYCLE_YOUNG,
                          (enum tide_cycle_cause)(owed & 0xff)};
}

static void set_due(struct tide_mutator *mutator, uint32_t due) {
  __atomic_store_n(&mutator->fast.due, due, __ATOMIC_RELAXED); /* relaxed: it stands for itself */
}

void td_owe(struct tide_mutator *mutator, struct td_wish wish) {
  struct td_when *when = mutator->heap->when;
  /* relaxed, both: it stands for itself. */
  uint32_t owed = atomic_load_explicit(&when->owed, memory_order_relaxed);
  while (owed < packed(wish) &&
         !atomic_compare_exchange_weak_explicit(&when->owed, &owed, packed(wish),
                                                memory_order_relaxed, memory_order_relaxed)) {
  }
  set_due(mutator, 1);
  /* relaxed: a hint to look, as a stopper gives it, which may take it away again. Then the next
   * allocation that needs a block looks. */
  if (mutator->heap->collects == TIDE_COLLECTS_WHEN_DUE)
    __atomic_store_n(&mutator->fast.stop, 1, __ATOMIC_RELAXED);
}

TD_KEEPS_CALL void td_owed_tell(struct tide_mutator *mutator) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  struct tide_heap *heap = mutator->heap;
  /* relaxed: whoever is first tells. */
  if (atomic_exchange_explicit(&heap->when->owed_told, true, memory_order_relaxed)) return;
  /* Not to wait: this thread may be one that may not (gc/cycle/turn.c). The next one tells. */
  if (!td_world_try_lock(heap, true)) {
    atomic_store_explicit(&heap->when->owed_told, false, memory_order_relaxed); /* as above */
    return;
  }
  for (struct tide_mutator *m = heap->world->mutators; m; m = m->next)
    set_due(m, 1);
  td_world_unlock(heap);
  struct td_callback call;
  td_callback_begin(mutator, &call, 0, "an event");
  td_stats_tell(heap, TIDE_EVENT_COLLECTION_DUE);
  td_callback_end(mutator, &call);
}

void td_owe_at_once(struct tide_mutator *mutator, struct td_wish wish) {
  td_owe(mutator, wish);
  mutator->looks_first = true;
  td_runs_show(mutator);
}

struct td_wish td_owed(struct tide_mutator *mutator) {
  if (mutator->looks_first) {
    mutator->looks_first = false;
    td_runs_show(mutator);
  }
  /* relaxed: as in td_owe. */
  return unpacked(atomic_load_explicit(&mutator->heap->when->owed, memory_order_relaxed));
}

void td_owed_settle(struct tide_heap *heap, struct tide_mutator *self, enum tide_cycle_kind kind) {
  _Atomic(uint32_t) *owed = &heap->when->owed;
  /* relaxed, all: the world is stopped. Others' hints go when they are let go. */
  uint32_t was = atomic_load_explicit(owed, memory_order_relaxed);
  if (kind == TIDE_CYCLE_YOUNG && unpacked(was).kind == TIDE_CYCLE_FULL) return;
  atomic_store_explicit(owed, 0, memory_order_relaxed);
  atomic_store_explicit(&heap->when->owed_told, false, memory_order_relaxed);
  for (struct tide_mutator *m = heap->world->mutators; m; m = m->next)
    set_due(m, 0);
  if (self) __atomic_store_n(&self->fast.stop, 0, __ATOMIC_RELAXED);
}
