/* SPDX-License-Identifier: MIT */
/* Two sequences of numbers from 0 to 3: how many children the objects have that a collector meets.
 *
 * The depth of the queue wanders over a few blocks, ends where it began, and never reaches 0. */
#ifndef TD_BENCH_QUEUE_PATTERNS_H
#define TD_BENCH_QUEUE_PATTERNS_H

#include "bench/queue/kind.h"

/* Room that both sequences need in a queue. */
#define TD_QUEUE_PATTERN_DEPTH 1024u

/* Returns a short cycle, whose branches a processor soon predicts. It is constant. */
const struct td_queue_steps *td_queue_steps_predictable(void);
/* Returns 65,536 steps drawn at random (xorshift32), whose branches no processor predicts. They are
 * made at the first call. */
const struct td_queue_steps *td_queue_steps_random(void);

#endif
