/* SPDX-License-Identifier: MIT */
/* Stopping the world for something else than a collection. */
#ifndef TD_GC_THREADS_STOP_PAUSE_H
#define TD_GC_THREADS_STOP_PAUSE_H

#include "gc/state/heap.h"

/* Gives the rests of all mutators' runs back, so that every object is a real one. World stopped. */
void td_pause_retire_runs(struct tide_heap *heap);
/* Before the world goes on, or before cells are taken in a stop: runs that were held are their
 * owners' again. May be called twice. */
void td_pause_hand_back_runs(struct tide_heap *heap);

/* Does the world stand still because the calling thread has stopped it? */
bool td_world_is_ours(const struct tide_mutator *mutator);

/* Has the mutator stopped the world for the program, and are we in no visit meanwhile? */
bool td_pause_is_programs(const struct tide_mutator *mutator);

/* Stops the world, retires all runs, and calls `call`. For walks and checks. Between
 * tide_world_stop and tide_world_resume the world stands still already. */
enum tide_status td_with_world_stopped(struct tide_mutator *mutator, const char *function,
                                       void (*call)(struct tide_mutator *, void *), void *argument);

#endif
