/* SPDX-License-Identifier: MIT */
/* Stopping the world: what a stopper does. The protocol is in gc/threads/stop/safe.h. A thread that
 * may stop the world holds its lock. A stop that lasts lets threads that a signal has stopped go on
 * for a while, because they may hold what others wait for, and then awaits them once more. */
#ifndef TD_GC_THREADS_STOP_WORLD_H
#define TD_GC_THREADS_STOP_WORLD_H

#include "gc/state/heap.h"

bool td_world_init(struct td_world *world);
void td_world_deinit(struct td_world *world);

/* Takes the world's lock. The calling thread's mutators, of this heap and of others, count as
 * safe while it waits. Afterwards no stop of this heap is under way. The thread cannot be cancelled
 * until the unlock: functions of the embedder may run meanwhile. */
void td_world_lock(struct tide_heap *heap);
/* The same without waiting for the end of a collection that goes on beside the program, as
 * td_world_lock does. For threads that come and go, and for that collection itself. */
void td_world_lock_beside(struct tide_heap *heap);
/* Waits for the end, too, before the next one: threads that have waited for it go first. */
void td_world_lock_next(struct tide_heap *heap);
/* By that collection: it goes on without the lock, or ends. The caller has the lock. */
void td_world_set_beside(struct tide_heap *heap, bool beside);
/* Returns false if another thread has it or, if the caller awaits its end, a collection goes on
 * beside the program. */
bool td_world_try_lock(struct tide_heap *heap, bool awaits_end);
void td_world_unlock(struct tide_heap *heap);
/* The same for fork, whose mutators count as safe already and which is no point of cancellation. */
void td_world_lock_safe(struct tide_heap *heap);
void td_world_unlock_safe(struct tide_heap *heap);
/* In the child, before the unlock: nobody waits any more. */
void td_world_after_fork(struct td_world *world);

/* Waits until every mutator but self is safe and keeps them so. The caller holds the lock and
 * runs inside td_stack_call; self is its mutator of this heap, or NULL. Its mutators of other
 * heaps are safe from here to the resume: two threads that collect two heaps to which both are
 * attached must not wait for each other. A thread that was suspended in another heap by the time of
 * the resume waits there without the lock: others may have collected when it returns. */
void td_world_stop(struct tide_heap *heap, struct tide_mutator *self);
void td_world_resume(struct tide_heap *heap, struct tide_mutator *self);

/* One that was suspended goes on; the caller holds the lock, and no stop is under way. */
void td_world_let_go(struct tide_mutator *mutator);

/* The same for this heap only: fork, which holds the locks of all heaps. */
void td_world_stop_mutators(struct tide_heap *heap, const struct tide_mutator *self);
void td_world_resume_mutators(struct tide_heap *heap, const struct tide_mutator *self);

#endif
