/* SPDX-License-Identifier: MIT */
/* LIFO block-based work stealing (BWoS): the expert form of the public header is a queue of the
 * contract, but for a few names. */
#ifndef TD_MARKER_QUEUE_BWOS_H
#define TD_MARKER_QUEUE_BWOS_H

#include "marker/queue/contract.h"
#include "tide/bwos.h"

TIDE_BWOS_EXPERT_DEFINE(td_bwos, uint64_t, 0);

static inline void td_bwos_init(struct td_bwos *q, struct td_bwos_owner *o, void *storage,
                                uint32_t blocks, uint32_t entries) {
  const char *wrong = td_bwos_make(q, o, storage, SIZE_MAX, blocks, entries);
  TD_ASSUME(!wrong); /* the contract says so */
}

TD_QUEUE_BOUNDED(bwos);
TD_QUEUE_BY_ITSELF(bwos);

#endif
