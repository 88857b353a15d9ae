/* SPDX-License-Identifier: MIT */
/* Other threads: stopped for as long as the program wants, all of them or one, and where their
 * stacks lie. */
#include "gc/check/caller/check.h"
#include "gc/threads/inside.h"
#include "gc/threads/mutator/fiber.h"
#include "gc/threads/stop/pause.h"
#include "gc/threads/stop/registers.h"
#include "gc/threads/stop/world.h"
#include "tide/dropin.h"

/* ---- All ---- */

/* This thread's stacks are not described while it runs on: what it has of other heaps must have
 * been when it entered a section. */
static bool others_rest(const struct tide_mutator *mutator) {
  for (const struct tide_mutator *m = td_thread_mutators(); m; m = m->thread_next)
    if (m != mutator && !m->section_safe) return false;
  return true;
}

static TD_KEEPS_CALL void stop_late_perhaps(struct tide_mutator *mutator) {
  struct td_call call;
  td_call_begin(&call, "an event");
  td_world_stop(mutator->heap, mutator);
  td_call_end(&call);
}

enum tide_status tide_world_stop(struct tide_mutator *mutator) {
  if (!td_mutator_may_act(mutator, "tide_world_stop")) return td_refusal(mutator);
  if (!others_rest(mutator)) return TIDE_ERROR_STATE;
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  struct tide_heap *heap = mutator->heap;
  td_world_lock(heap);
  stop_late_perhaps(mutator);
  td_pause_retire_runs(heap);
  heap->world->for_program = true;
  return TIDE_OK;
}

enum tide_status tide_world_resume(struct tide_mutator *mutator) {
  if (!td_pause_is_programs(mutator)) return td_refusal(mutator);
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  struct tide_heap *heap = mutator->heap;
  heap->world->for_program = false;
  td_pause_hand_back_runs(heap);
  td_world_resume(heap, mutator);
  td_world_unlock(heap);
  return TIDE_OK;
}

/* ---- One. It was stopped with the world, and keeps its STOP bit when the others go on. It is
 * safe, so each later stop finds it standing still. Letting it go is clearing the bit ---- */

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

/* ---- Their stacks ---- */

void *tide_stack_own_high(const struct tide_mutator *mutator) {
  if (!td_mutator_check(mutator, "tide_stack_own_high")) return NULL;
  return mutator->stack_kind == TIDE_STACK_PRECISE ? NULL : (void *)mutator->own.high;
}

struct move {
  struct tide_mutator *other;
  uintptr_t low, high;
  enum tide_status status;
};

/* World stopped. A mutator in a blocking section neither reads nor describes its stack before the
 * resume. */
static void move_other(struct tide_mutator *mutator, void *argument) {
  struct move *move = argument;
  (void)mutator;
  move->status = td_fibers_move_own(move->other, move->low, move->high);
  if (move->status == TIDE_OK) td_stack_place(move->other);
}

enum tide_status tide_stack_set_other(struct tide_mutator *mutator, struct tide_mutator *other,
                                      void *low, void *high) {
  struct move move = {other, (uintptr_t)low, (uintptr_t)high, TIDE_OK};
  if (!mutator || !mutator->heap || !other || other->heap != mutator->heap ||
      !td_are_bounds(move.low, move.high))
    return TIDE_ERROR_ARGUMENT;
  if (td_world_is_ours(mutator)) {
    move_other(mutator, &move);
    return move.status;
  }
  if (other == mutator) return tide_stack_set_own(mutator, low, high);
  enum tide_status status =
      td_with_world_stopped(mutator, "tide_stack_set_other", move_other, &move);
  return status == TIDE_OK ? move.status : status;
}
