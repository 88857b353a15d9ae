/* SPDX-License-Identifier: MIT */
/* Threads that stand still because the program asked for it.
 *
 * A suspended mutator was stopped with the world, and keeps its STOP bit when the others go on. It
 * is safe, so each later stop finds it standing still. Letting it go is clearing the bit. */
#include "gc/check/caller/check.h"
#include "gc/threads/inside.h"
#include "gc/threads/stop/pause.h"
#include "gc/threads/stop/world.h"
#include "tide/dropin.h"

static void mark_suspended(struct tide_mutator *mutator, void *other) {
  (void)mutator;
  /* relaxed, all: under the world's lock; the thread itself looks behind a gate. */
  atomic_store_explicit(&((struct tide_mutator *)other)->suspended, true, memory_order_relaxed);
}

static bool is_another(const struct tide_mutator *mutator, const struct tide_mutator *other) {
  return mutator && other && other->heap == mutator->heap && other->thread != mutator->thread;
}

enum tide_status tide_mutator_suspend(struct tide_mutator *mutator, struct tide_mutator *other) {
  if (!is_another(mutator, other)) return TIDE_ERROR_ARGUMENT;
  return td_with_world_stopped(mutator, "tide_mutator_suspend", mark_suspended, other);
}

enum tide_status tide_mutator_resume(struct tide_mutator *mutator, struct tide_mutator *other) {
  if (!is_another(mutator, other)) return TIDE_ERROR_ARGUMENT;
  if (!td_mutator_may_act(mutator, "tide_mutator_resume")) return td_refusal(mutator);
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  td_world_lock(mutator->heap);
  if (atomic_load_explicit(&other->suspended, memory_order_relaxed)) {
    atomic_store_explicit(&other->suspended, false, memory_order_relaxed);
    td_world_let_go(other);
  }
  td_world_unlock(mutator->heap);
  return TIDE_OK;
}
