/* SPDX-License-Identifier: MIT */
/* FIFO block-based work stealing (BWoS), for breadth-first marking: as marker/queue/bwos.h. */
#ifndef TD_BENCH_RIVALS_BWOS_FIFO_H
#define TD_BENCH_RIVALS_BWOS_FIFO_H

#include "marker/queue/contract.h"
#include "tide/bwos.h"

TIDE_BWOS_FIFO_EXPERT_DEFINE(td_bwos_fifo, uint64_t, 0);

static inline void td_bwos_fifo_init(struct td_bwos_fifo *q, struct td_bwos_fifo_owner *o,
                                     void *storage, uint32_t blocks, uint32_t entries) {
  const char *wrong = td_bwos_fifo_make(q, o, storage, SIZE_MAX, blocks, entries);
  TD_ASSUME(!wrong); /* the contract says so */
}

TD_QUEUE_BOUNDED(bwos_fifo);
TD_QUEUE_BY_ITSELF(bwos_fifo);

#endif
