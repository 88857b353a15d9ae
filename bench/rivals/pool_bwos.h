/* SPDX-License-Identifier: MIT */
/* The pool of bench/rivals/pool.h with BWoS for its deques: only the global queue has a lock. */
#ifndef TD_BENCH_RIVALS_POOL_BWOS_H
#define TD_BENCH_RIVALS_POOL_BWOS_H

#include "marker/queue/bwos.h"
#include "bench/rivals/global.h"

struct td_pool_bwos {
  struct td_bwos own;
  struct td_global spare;   /* the pool's, if this queue is the first of its set */
  struct td_global *global; /* constant after td_pool_bwos_join */
};

struct td_pool_bwos_owner {
  struct td_bwos_owner own;
};

/* The deque's storage comes first, then the global queue's. Returns 0 where the deque does. */
static inline size_t td_pool_bwos_storage_bytes(uint32_t blocks, uint32_t entries) {
  size_t own = td_bwos_storage_bytes(blocks, entries);
  size_t global = td_queue_bytes(blocks, entries, sizeof(uint64_t), 0);
  return own == 0 || global == 0 || own > SIZE_MAX - global ? 0 : own + global;
}

static inline void td_pool_bwos_init(struct td_pool_bwos *q, struct td_pool_bwos_owner *o,
                                     void *storage, uint32_t blocks, uint32_t entries) {
  size_t own = td_bwos_storage_bytes(blocks, entries);
  td_bwos_init(&q->own, &o->own, storage, blocks, entries);
  td_global_init(&q->spare, (unsigned char *)storage + own, (uint64_t)blocks * entries);
  q->global = &q->spare;
}

static inline void td_pool_bwos_join(struct td_pool_bwos *q, struct td_pool_bwos *first) {
  q->global = &first->spare;
}

static inline bool td_pool_bwos_offer(struct td_pool_bwos *q, uint64_t item) {
  return td_global_put(q->global, item);
}

static inline bool td_pool_bwos_put(struct td_pool_bwos *q, struct td_pool_bwos_owner *o,
                                    uint64_t item) {
  return td_bwos_put(&q->own, &o->own, item);
}

static inline uint64_t td_pool_bwos_get(struct td_pool_bwos *q, struct td_pool_bwos_owner *o) {
  uint64_t item = td_bwos_get(&q->own, &o->own);
  return TD_LIKELY(item != 0) ? item : td_global_take_one(q->global);
}

/* First what came from outside, then what is another's. */
static inline int32_t td_pool_bwos_steal(struct td_pool_bwos *q, uint64_t *out, uint32_t max) {
  uint32_t taken = td_global_take(q->global, out, max);
  return taken > 0 ? (int32_t)taken : td_bwos_steal(&q->own, out, max);
}

static inline uint64_t td_pool_bwos_size(struct td_pool_bwos const *q) {
  return td_bwos_size(&q->own) + td_global_size(q->global);
}

static inline uint64_t td_pool_bwos_owned(struct td_pool_bwos_owner const *o) {
  return td_bwos_owned(&o->own);
}

static inline void td_pool_bwos_want(struct td_pool_bwos *q) {
  td_bwos_want(&q->own);
}

static inline bool td_pool_bwos_wanted(struct td_pool_bwos const *q) {
  return td_bwos_wanted(&q->own);
}

static inline void td_pool_bwos_grant(struct td_pool_bwos *q, struct td_pool_bwos_owner *o) {
  td_bwos_grant(&q->own, &o->own);
}

TD_QUEUE_BOUNDED(pool_bwos);

#endif
