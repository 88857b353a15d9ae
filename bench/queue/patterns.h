/* How many children the objects have that a collector would meet: two sequences of 0 to 3.
 *
 * Both wander over a few blocks of the queue and end where they began, and never empty it. */
#ifndef TD_BENCH_QUEUE_PATTERNS_H
#define TD_BENCH_QUEUE_PATTERNS_H

#include "bench/queue/kind.h"

/* Room that both sequences need in a queue. */
#define TD_QUEUE_PATTERN_DEPTH 1024u

/* A short cycle, whose branches a processor soon foresees. Constant. */
const struct td_queue_steps *td_queue_steps_predictable(void);
/* 65536 steps drawn at random (xorshift32), whose branches it cannot. Made at the first call. */
const struct td_queue_steps *td_queue_steps_random(void);

#endif
