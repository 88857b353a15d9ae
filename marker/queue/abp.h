/* SPDX-License-Identifier: MIT */
/* The bounded array deque of Arora, Blumofe and Plaxton with Chase and Lev's circular indices:
 * marker/queue/chase_lev.h, which never gets a larger buffer. */
#ifndef TD_MARKER_QUEUE_ABP_H
#define TD_MARKER_QUEUE_ABP_H

#include "marker/queue/chase_lev.h"

struct td_abp {
  struct td_chase_lev deque;
};

struct td_abp_owner {
  struct td_chase_lev_owner deque;
};

static inline size_t td_abp_storage_bytes(uint32_t blocks, uint32_t entries) {
  return td_chase_lev_storage_bytes(blocks, entries);
}

static inline void td_abp_init(struct td_abp *q, struct td_abp_owner *o, void *storage,
                               uint32_t blocks, uint32_t entries) {
  td_chase_lev_init(&q->deque, &o->deque, storage, blocks, entries);
}

static inline bool td_abp_put(struct td_abp *q, struct td_abp_owner *o, uint64_t item) {
  return td_chase_lev_put(&q->deque, &o->deque, item);
}

static inline uint64_t td_abp_get(struct td_abp *q, struct td_abp_owner *o) {
  return td_chase_lev_get(&q->deque, &o->deque);
}

static inline int32_t td_abp_steal(struct td_abp *q, uint64_t *out, uint32_t max) {
  return td_chase_lev_steal(&q->deque, out, max);
}

static inline uint64_t td_abp_size(struct td_abp const *q) {
  return td_chase_lev_size(&q->deque);
}

static inline uint64_t td_abp_owned(struct td_abp_owner const *o) {
  return td_chase_lev_owned(&o->deque);
}

TD_QUEUE_WITHOUT_WISHES(abp);
TD_QUEUE_BOUNDED(abp);
TD_QUEUE_BY_ITSELF(abp);

#endif
