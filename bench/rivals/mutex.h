/* SPDX-License-Identifier: MIT */
/* A circular deque under a lock: the simplest queue that works, and the one to beat first.
 *
 * Invariants: bottom - top <= mask + 1; the items are [top, bottom). Both indices and the slots
 * change only under the lock; the indices are atomic so that "nothing to take" needs no lock. */
#ifndef TD_BENCH_RIVALS_MUTEX_H
#define TD_BENCH_RIVALS_MUTEX_H

#include <pthread.h>

#include "marker/queue/contract.h"

struct td_mutex {
  _Alignas(TD_CACHE_LINE) pthread_mutex_t lock;
  uint64_t *slots;
  uint64_t mask;
  /* Written under the lock. All threads read them at any time. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint64_t) top;
  _Alignas(TD_CACHE_LINE) _Atomic(uint64_t) bottom;
};

struct td_mutex_owner {
  uint64_t bottom; /* the owner alone changes bottom */
};

static inline size_t td_mutex_storage_bytes(uint32_t blocks, uint32_t entries) {
  return td_queue_bytes(blocks, entries, sizeof(uint64_t), 0);
}

static inline void td_mutex_init(struct td_mutex *q, struct td_mutex_owner *o, void *storage,
                                 uint32_t blocks, uint32_t entries) {
  /* With default attributes this cannot fail. */
  pthread_mutex_init(&q->lock, NULL);
  q->slots = (uint64_t *)storage;
  q->mask = (uint64_t)blocks * entries - 1;
  atomic_init(&q->top, UINT64_C(0));
  atomic_init(&q->bottom, UINT64_C(0));
  o->bottom = 0;
}

static inline bool td_mutex_put(struct td_mutex *q, struct td_mutex_owner *o, uint64_t item) {
  pthread_mutex_lock(&q->lock);
  /* relaxed, both: under the lock. */
  uint64_t top = atomic_load_explicit(&q->top, memory_order_relaxed);
  bool room = o->bottom - top <= q->mask;
  if (room) {
    q->slots[o->bottom++ & q->mask] = item;
    atomic_store_explicit(&q->bottom, o->bottom, memory_order_relaxed);
  }
  pthread_mutex_unlock(&q->lock);
  return room;
}

static inline uint64_t td_mutex_get(struct td_mutex *q, struct td_mutex_owner *o) {
  /* relaxed: top only grows, so what it shows to be empty is empty. */
  if (atomic_load_explicit(&q->top, memory_order_relaxed) == o->bottom) return 0;
  uint64_t item = 0;
  pthread_mutex_lock(&q->lock);
  /* relaxed, both: under the lock. */
  if (atomic_load_explicit(&q->top, memory_order_relaxed) != o->bottom) {
    item = q->slots[--o->bottom & q->mask];
    atomic_store_explicit(&q->bottom, o->bottom, memory_order_relaxed);
  }
  pthread_mutex_unlock(&q->lock);
  return item;
}

static inline uint64_t td_mutex_size(struct td_mutex const *q) {
  /* relaxed, both: an estimate. */
  uint64_t top = atomic_load_explicit(&q->top, memory_order_relaxed);
  uint64_t bottom = atomic_load_explicit(&q->bottom, memory_order_relaxed);
  return bottom > top ? bottom - top : 0;
}

/* Takes half of the items, so that owner and thief both have work after one locking. */
static inline int32_t td_mutex_steal(struct td_mutex *q, uint64_t *out, uint32_t max) {
  if (max == 0 || td_mutex_size(q) == 0) return 0;
  if (pthread_mutex_trylock(&q->lock) != 0) return -1;
  /* relaxed, all: under the lock. */
  uint64_t top = atomic_load_explicit(&q->top, memory_order_relaxed);
  uint64_t size = atomic_load_explicit(&q->bottom, memory_order_relaxed) - top;
  uint64_t half = (size + 1) / 2;
  uint32_t count = half < max ? (uint32_t)half : max;
  for (uint32_t i = 0; i < count; i++)
    out[i] = q->slots[(top + i) & q->mask];
  atomic_store_explicit(&q->top, top + count, memory_order_relaxed);
  pthread_mutex_unlock(&q->lock);
  return (int32_t)count;
}

TD_QUEUE_WITHOUT_WISHES(mutex);
TD_QUEUE_BOUNDED(mutex);
TD_QUEUE_BY_ITSELF(mutex);

static inline uint64_t td_mutex_owned(struct td_mutex_owner const *o) {
  return o->bottom;
}

#endif
