#include "gc/cycle/owed.h"

#include "gc/object/runs.h"
#include "gc/threads/world.h"

/* In one word: 0 is nothing, and a full collection is more than a young one. */
static uint32_t packed(struct td_wish wish) {
  return (uint32_t)wish.cause | (wish.kind == TIDE_CYCLE_FULL ? 1u << 8 : 0);
}

static struct td_wish unpacked(uint32_t owed) {
  return (struct td_wish){owed >> 8 ? TIDE_CYCLE_FULL : TIDE_CYCLE_YOUNG,
                          (enum tide_cycle_cause)(owed & 0xff)};
}

void td_owe(struct tide_mutator *mutator, struct td_wish wish) {
  struct td_when *when = mutator->heap->when;
  /* relaxed, both: it stands for itself. */
  uint32_t owed = atomic_load_explicit(&when->owed, memory_order_relaxed);
  while (owed < packed(wish) &&
         !atomic_compare_exchange_weak_explicit(&when->owed, &owed, packed(wish),
                                                memory_order_relaxed, memory_order_relaxed)) {
  }
  /* relaxed: a hint to look, as a stopper gives it, which may take it away again. Then the next
   * allocation that needs a block looks. */
  __atomic_store_n(&mutator->fast.stop, 1, __ATOMIC_RELAXED);
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

void td_owed_settle(struct tide_mutator *mutator, enum tide_cycle_kind kind) {
  _Atomic(uint32_t) *owed = &mutator->heap->when->owed;
  /* relaxed, all: the world is stopped. Others' hints go when they are let go. */
  uint32_t was = atomic_load_explicit(owed, memory_order_relaxed);
  if (kind == TIDE_CYCLE_YOUNG && unpacked(was).kind == TIDE_CYCLE_FULL) return;
  atomic_store_explicit(owed, 0, memory_order_relaxed);
  __atomic_store_n(&mutator->fast.stop, 0, __ATOMIC_RELAXED);
}
