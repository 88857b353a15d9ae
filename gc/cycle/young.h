/* SPDX-License-Identifier: MIT */
/* What is special about collections of young objects. */
#ifndef TD_GC_CYCLE_YOUNG_H
#define TD_GC_CYCLE_YOUNG_H

#include "gc/state/heap.h"

/* After td_mark_begin: marks what logged objects and slots lead to. Returns whether a
 * young collection had to come because there was much of it. */
bool td_young_mark_logged(struct tide_heap *heap);

/* At the beginning of a heap. goal_us: tide_options.pause_goal_us. */
void td_young_begin(struct tide_heap *heap, unsigned goal_us);
/* World stopped: mutators log from here on if objects are born young, and not otherwise. */
void td_young_switch_barriers(struct tide_heap *heap);
/* After a collection, the world stopped: what was decided comes into force. */
void td_young_follow(struct tide_heap *heap);

/* ---- Beside the program nothing is young while blocks are sorted ---- */

/* World stopped, marking has begun, and there are to be no young collections meanwhile: from here
 * on all objects are old from their first moment. See gc/cycle/young_beside.h for the others. */
void td_young_suspend(struct tide_heap *heap);
/* All blocks are sorted, and what comes next is decided. Does that need a stop? */
bool td_young_must_resume(const struct tide_heap *heap);
/* In that stop. Or without it: only the end of the wait is set. */
void td_young_resume(struct tide_heap *heap);
void td_young_wait(struct tide_heap *heap);

#endif
