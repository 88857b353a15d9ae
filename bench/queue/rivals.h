/* SPDX-License-Identifier: MIT */
/* BWoS against the others, as in Figures 10 and 11 of its paper (Wang et al., OSDI 2023): owners
 * that get the newest item against their like, and owners that get the oldest against theirs. */
#ifndef TD_BENCH_QUEUE_RIVALS_H
#define TD_BENCH_QUEUE_RIVALS_H

#include <stdbool.h>
#include <stdio.h>

#include "bench/queue/bench.h"

/* Returns true if the owner gets the newest item, always. */
bool td_queue_is_lifo(const struct td_queue_kind *kind);

/* Returns, for a cell of `bwos` or `bwos-fifo`, the fastest cell that differs from it in its queue
 * only, where that queue has nothing of BWoS and has the same order. Returns NULL if there is none,
 * and for cells of other queues. */
const struct td_queue_cell *td_queue_best_rival(const struct td_queue_bench *bench,
                                                const struct td_queue_cell *cell);

/* Prints a row for each cell that has a rival, or nothing if none has. Returns an exit status. */
int td_queue_rivals_print(const struct td_queue_bench *bench, FILE *out);

#endif
