/* SPDX-License-Identifier: MIT */
/* Standing still for a stopper: what a mutator does, and the protocol between both.
 *
 * Each mutator has one state word with these bits. SAFE is the mutator's: set, it does not touch
 * the heap, and its stack and registers are described in struct tide_mutator. STOP is the
 * stopper's: while it is set, SAFE may not be cleared (but see td_world_answer_fork). The rest is
 * the number of the last stop, so that a word never looks the same in two of them. Since all live
 * in one word and are only changed by read-modify-write, exactly one of two things happens when a
 * mutator becomes safe while a stopper comes along: the stopper's addition finds SAFE and counts it
 * at once, or the mutator's fetch_or finds STOP and counts itself. So none is waited for twice
 * and none is forgotten, without a further fence.
 *
 * `awaited` starts at the number of other mutators, each of which is subtracted once; the one that
 * brings it to zero wakes the stopper. Mutators that may not become unsafe sleep on `gate`, whose
 * lowest bit says that someone sleeps: it is set by compare-and-swap against the gate's value from
 * before the state was looked at, so a resume in between makes it fail.
 *
 * Tags: [world.safe] what a mutator did before it became safe is seen by the stopper;
 * [world.resume] what the stopper did is seen by a mutator that goes on; [world.stop] what the
 * stopper wrote before it set STOP, `awaited` above all, is seen by a mutator that becomes safe, or
 * a signal handler, and finds STOP. Clients: tests/model/stopping.h, tests/model/doors.h. */
#ifndef TD_GC_THREADS_STOP_SAFE_H
#define TD_GC_THREADS_STOP_SAFE_H

#include "gc/state/heap.h"
#include "gc/state/mutator.h"

/* The calling mutator becomes safe: its stack and registers must be described before. */
void td_world_enter_safe(struct tide_mutator *mutator);
/* …and goes on, unless a stop is under way. */
bool td_world_try_leave_safe(struct tide_mutator *mutator);

/* The same for all mutators of the calling thread but one and those in blocking sections. A
 * thread that waits, for a stop to end or for a world's lock, is safe in every heap it is
 * attached to, or two threads could wait for each other across two heaps; so leaving is all or
 * nothing, and while it has to wait, all are safe. */
void td_thread_enter_safe(const struct tide_mutator *except);
void td_thread_leave_safe(const struct tide_mutator *except);
/* All of them, one after the other: for td_stack_call. */
void td_thread_stand_still(void *unused);
/* The same for a thread that holds a world's lock: returns NULL, or the mutator that was
 * suspended. Then all are safe still, and the thread must not keep the lock while it waits. */
struct tide_mutator *td_thread_try_leave_safe(const struct tide_mutator *except);
/* Sleeps until the stop that keeps this mutator safe is over; may return early. */
void td_world_wait_at_gate(struct tide_mutator *mutator);

/* For the handler of the signal that stops threads (gc/threads/stop/signal.h), about a mutator of
 * the calling thread. Is it to stand still, or to answer a fork? */
bool td_world_awaits(const struct tide_mutator *mutator);
/* Is it to answer a fork? */
bool td_world_awaits_for_fork(const struct tide_mutator *mutator);
/* If it is a fork: the mutator is not inside Tidemark and will not come in before the fork is over.
 * Returns whether it is one. A mutator that counts as safe ceases to, and goes on. */
bool td_world_answer_fork(struct tide_mutator *mutator);
/* Does the fork that was answered so still last? */
bool td_world_is_forking(const struct tide_mutator *mutator);
/* Sleeps until the next resume, or for `ns`. */
void td_world_doze(struct tide_heap *heap, uint64_t ns);

/* relaxed: it changes under the world's lock. The thread itself looks when it has read the gate,
 * and the thread that suspends it moves the gate afterwards: [world.gate]. */
static inline bool td_is_suspended(const struct tide_mutator *mutator) {
  return atomic_load_explicit(&mutator->suspended, memory_order_relaxed);
}

#endif
