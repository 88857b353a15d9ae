/* SPDX-License-Identifier: MIT */
/* A pool as in Boost.Fiber and many task libraries: each worker has a deque of its own under a
 * lock, and one locked queue takes work from outside. A worker looks for work in its own deque
 * (newest first), then in the global queue, then in the deques of others (oldest first).
 *
 * Source: O. Kowalke, Boost.Fiber, algo/work_stealing.hpp with its spinlock queue (Boost license);
 * the global queue before the others is that of A. Williams, C++ Concurrency in Action, chapter 9.
 * Differs: everything is bounded; a thief takes half of a deque at once. */
#ifndef TD_BENCH_RIVALS_POOL_H
#define TD_BENCH_RIVALS_POOL_H

#include "bench/rivals/mutex.h"
#include "bench/rivals/global.h"

struct td_pool {
  struct td_mutex own;
  struct td_global spare;   /* the pool's, if this queue is the first of its set */
  struct td_global *global; /* constant after td_pool_join */
};

struct td_pool_owner {
  struct td_mutex_owner own;
};

/* The deque's storage comes first, then the global queue's. Returns 0 where the deque does. */
static inline size_t td_pool_storage_bytes(uint32_t blocks, uint32_t entries) {
  size_t own = td_mutex_storage_bytes(blocks, entries);
  size_t global = td_queue_bytes(blocks, entries, sizeof(uint64_t), 0);
  return own == 0 || global == 0 || own > SIZE_MAX - global ? 0 : own + global;
}

static inline void td_pool_init(struct td_pool *q, struct td_pool_owner *o, void *storage,
                                uint32_t blocks, uint32_t entries) {
  size_t own = td_mutex_storage_bytes(blocks, entries);
  td_mutex_init(&q->own, &o->own, storage, blocks, entries);
  td_global_init(&q->spare, (unsigned char *)storage + own, (uint64_t)blocks * entries);
  q->global = &q->spare;
}

static inline void td_pool_join(struct td_pool *q, struct td_pool *first) {
  q->global = &first->spare;
}

static inline bool td_pool_offer(struct td_pool *q, uint64_t item) {
  return td_global_put(q->global, item);
}

static inline bool td_pool_put(struct td_pool *q, struct td_pool_owner *o, uint64_t item) {
  return td_mutex_put(&q->own, &o->own, item);
}

static inline uint64_t td_pool_get(struct td_pool *q, struct td_pool_owner *o) {
  uint64_t item = td_mutex_get(&q->own, &o->own);
  return TD_LIKELY(item != 0) ? item : td_global_take_one(q->global);
}

/* First what came from outside, then what is another's. */
static inline int32_t td_pool_steal(struct td_pool *q, uint64_t *out, uint32_t max) {
  uint32_t taken = td_global_take(q->global, out, max);
  return taken > 0 ? (int32_t)taken : td_mutex_steal(&q->own, out, max);
}

static inline uint64_t td_pool_size(struct td_pool const *q) {
  return td_mutex_size(&q->own) + td_global_size(q->global);
}

static inline uint64_t td_pool_owned(struct td_pool_owner const *o) {
  return td_mutex_owned(&o->own);
}

TD_QUEUE_WITHOUT_WISHES(pool);
TD_QUEUE_BOUNDED(pool);

#endif
