/* SPDX-License-Identifier: MIT */
/* The mutators' side of the handshake with a stopper. */
#include "gc/threads/stop/safe.h"

#include "gc/threads/thread.h"

static void count_down(struct td_world *world) {
  /* release [world.safe]: the counts form one release sequence that the stopper acquires;
   * acquire so that the last one carries the others' writes along. */
  if (atomic_fetch_sub_explicit(&world->awaited, 1, memory_order_acq_rel) == 1)
    td_plat_wake(&world->awaited, 1);
}

static uint32_t number_of(uint32_t state) {
  return state & ~(TD_STOP_ONE - 1);
}

static bool has_answered(const struct tide_mutator *mutator, uint32_t state) {
  return state & TD_STOP && mutator->door == number_of(state);
}

/* A signal may have answered a fork for this thread on its way here. Then it is counted already. */
void td_world_enter_safe(struct tide_mutator *mutator) {
  /* release [world.safe]: pairs with the stopper's fetch_add in stop; acquire [world.stop]: a
   * mutator that finds STOP counts down from what the stopper wrote, not from what was there
   * before. */
  uint32_t before = atomic_fetch_or_explicit(&mutator->state, TD_SAFE, memory_order_acq_rel);
  if (before & TD_STOP && !has_answered(mutator, before)) count_down(mutator->heap->world);
}

bool td_world_try_leave_safe(struct tide_mutator *mutator) {
  /* relaxed: the exchange checks it. */
  uint32_t state = atomic_load_explicit(&mutator->state, memory_order_relaxed);
  /* acquire [world.resume]: pairs with let_go. */
  return !(state & TD_STOP) &&
         atomic_compare_exchange_strong_explicit(&mutator->state, &state, state & ~TD_SAFE,
                                                 memory_order_acquire, memory_order_relaxed);
}

/* Sleeps until the stop that keeps this mutator safe is over; may return early. With a lock that
 * may not be kept for long it returns false at once if the mutator is suspended. */
static bool wait_at_gate(struct tide_mutator *mutator, bool with_lock) {
  struct td_world *world = mutator->heap->world;
  /* acquire [world.gate]: the state is read after the gate, so that a gate that has not moved
   * below proves that STOP was not cleared meanwhile. */
  uint32_t gate = atomic_load_explicit(&world->gate, memory_order_acquire);
  if (with_lock && td_is_suspended(mutator)) return false;
  /* relaxed, both: they only decide whether to sleep; the caller tries the state again. */
  uint32_t state = atomic_load_explicit(&mutator->state, memory_order_relaxed);
  if (!(state & TD_STOP) || (mutator->interrupted && state & TD_FORK)) return true;
  if ((gate & 1) || atomic_compare_exchange_strong_explicit(
                        &world->gate, &gate, gate | 1, memory_order_relaxed, memory_order_relaxed))
    td_plat_wait(&world->gate, gate | 1, 0);
  return true;
}

void td_world_wait_at_gate(struct tide_mutator *mutator) {
  (void)wait_at_gate(mutator, false);
}

/* Returns the state of a mutator that a stop waits for, else 0. */
static uint32_t awaited(const struct tide_mutator *mutator) {
  /* acquire [world.stop]: pairs with the stopper's fetch_add. */
  uint32_t state = atomic_load_explicit(&mutator->state, memory_order_acquire);
  bool runs = !mutator->section_safe && (state & (TD_STOP | TD_SAFE)) == TD_STOP;
  return runs && !has_answered(mutator, state) ? state : 0;
}

bool td_world_awaits(const struct tide_mutator *mutator) {
  return awaited(mutator) != 0;
}

bool td_world_awaits_for_fork(const struct tide_mutator *mutator) {
  return awaited(mutator) & TD_FORK;
}

bool td_world_is_forking(const struct tide_mutator *mutator) {
  /* acquire [world.resume]: without the bit, the thread goes on. */
  return has_answered(mutator, atomic_load_explicit(&mutator->state, memory_order_acquire));
}

bool td_world_answer_fork(struct tide_mutator *mutator) {
  /* acquire [world.stop]: as in td_world_awaits. */
  uint32_t state = atomic_load_explicit(&mutator->state, memory_order_acquire);
  if (!(state & TD_FORK)) return false;
  mutator->door = number_of(state);
  if (!(state & TD_SAFE)) {
    count_down(mutator->heap->world);
    return true;
  }
  /* It was counted as safe. relaxed: no thread reads what this one does until the next stop; the
   * word has a number, so the comparison fails if this fork is over. */
  return atomic_compare_exchange_strong_explicit(&mutator->state, &state, state & ~TD_SAFE,
                                                 memory_order_relaxed, memory_order_relaxed);
}

void td_world_doze(struct tide_heap *heap, uint64_t ns) {
  /* relaxed: the caller looks again in any case. */
  uint32_t gate = atomic_load_explicit(&heap->world->gate, memory_order_relaxed);
  td_plat_wait(&heap->world->gate, gate, ns);
}

static bool takes_part(const struct tide_mutator *m, const struct tide_mutator *except) {
  return m != except && !m->section_safe;
}

void td_thread_enter_safe(const struct tide_mutator *except) {
  for (struct tide_mutator *m = td_thread_mutators(); m; m = m->thread_next)
    if (takes_part(m, except)) td_world_enter_safe(m);
}

/* relaxed: only this thread changes the bit. */
static bool is_safe(const struct tide_mutator *m) {
  return atomic_load_explicit(&m->state, memory_order_relaxed) & TD_SAFE;
}

/* A thread that a signal stopped, in malloc perhaps, may not stand still for a fork. */
static bool try_leave(struct tide_mutator *m) {
  return td_world_try_leave_safe(m) ||
         (m->interrupted && ((!is_safe(m) && td_world_is_forking(m)) || td_world_answer_fork(m)));
}

/* One that has answered a fork, too: it stands still for another heap, and the fork may end before
 * that, and be followed by another one. */
static void enter_again(struct tide_mutator *m) {
  if (!is_safe(m)) td_world_enter_safe(m);
}

/* All or none: the first one that may not be left, or NULL. */
static struct tide_mutator *try_leave_all(const struct tide_mutator *except) {
  for (struct tide_mutator *kept = td_thread_mutators(); kept; kept = kept->thread_next) {
    if (!takes_part(kept, except) || try_leave(kept)) continue;
    for (struct tide_mutator *m = td_thread_mutators(); m; m = m->thread_next)
      if (takes_part(m, except)) enter_again(m);
    return kept;
  }
  return NULL;
}

void td_thread_leave_safe(const struct tide_mutator *except) {
  struct tide_mutator *kept;
  while ((kept = try_leave_all(except)) != NULL)
    td_world_wait_at_gate(kept);
}

void td_thread_stand_still(void *unused) {
  (void)unused;
  td_thread_enter_safe(NULL);
  td_thread_leave_safe(NULL);
}

struct tide_mutator *td_thread_try_leave_safe(const struct tide_mutator *except) {
  struct tide_mutator *kept;
  while ((kept = try_leave_all(except)) != NULL)
    if (!wait_at_gate(kept, true)) return kept;
  return NULL;
}
