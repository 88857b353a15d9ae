/* SPDX-License-Identifier: MIT */
/* The deque of marker/queue/abp.h with every shared access sequentially consistent: what one gets
 * by writing it down without thinking about memory orders. */
#ifndef TD_BENCH_RIVALS_ABP_SC_H
#define TD_BENCH_RIVALS_ABP_SC_H

#include "marker/queue/abp.h"

struct td_abp_sc {
  struct td_abp deque;
};

struct td_abp_sc_owner {
  struct td_abp_owner deque;
};

static inline size_t td_abp_sc_storage_bytes(uint32_t blocks, uint32_t entries) {
  return td_abp_storage_bytes(blocks, entries);
}

static inline void td_abp_sc_init(struct td_abp_sc *q, struct td_abp_sc_owner *o, void *storage,
                                  uint32_t blocks, uint32_t entries) {
  td_abp_init(&q->deque, &o->deque, storage, blocks, entries);
}

static inline bool td_abp_sc_put(struct td_abp_sc *q, struct td_abp_sc_owner *o, uint64_t item) {
  return td_abp_put_with(&q->deque, &o->deque, item, TD_ABP_ALL_SC);
}

static inline uint64_t td_abp_sc_get(struct td_abp_sc *q, struct td_abp_sc_owner *o) {
  return td_abp_get_with(&q->deque, &o->deque, TD_ABP_ALL_SC);
}

static inline int32_t td_abp_sc_steal(struct td_abp_sc *q, uint64_t *out, uint32_t max) {
  return td_abp_steal_with(&q->deque, out, max, TD_ABP_ALL_SC);
}

TD_QUEUE_WITHOUT_WISHES(abp_sc);
TD_QUEUE_BOUNDED(abp_sc);
TD_QUEUE_BY_ITSELF(abp_sc);

static inline uint64_t td_abp_sc_size(struct td_abp_sc const *q) {
  return td_abp_size(&q->deque);
}

static inline uint64_t td_abp_sc_owned(struct td_abp_sc_owner const *o) {
  return td_abp_owned(&o->deque);
}

#endif
