/* SPDX-License-Identifier: MIT */
/* oneTBB's task_group on the same trees: its own scheduler, threads and queues. */
#ifndef TD_BENCH_QUEUE_FORKJOIN_TBB_H
#define TD_BENCH_QUEUE_FORKJOIN_TBB_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/queue/kind.h"

#ifdef __cplusplus
extern "C" {
#endif

/* NULL where the build did not find oneTBB (Debian: libtbb-dev). It has a name and no queue. */
const struct td_queue_kind *td_forkjoin_tbb(void);

/* Does `trees` trees one after the other. Returns the number of tasks that came back, and how long
 * that took. */
uint64_t td_forkjoin_tbb_run(unsigned threads, unsigned depth, uint64_t steps, uint64_t trees,
                             uint64_t *ns);

#ifdef __cplusplus
}
#endif

#endif
