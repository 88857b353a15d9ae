/* SPDX-License-Identifier: MIT */
/* The queue of a pool for work from outside: a FIFO ring under a lock, which all workers share.
 *
 * Invariants: tail - head <= mask + 1; the items are [head, tail). Slots and tail change only under
 * the lock, and so does head; the indices are atomic so that "nothing to take" needs no lock. */
#ifndef TD_BENCH_RIVALS_GLOBAL_H
#define TD_BENCH_RIVALS_GLOBAL_H

#include <pthread.h>

#include "marker/queue/contract.h"

struct td_global {
  _Alignas(TD_CACHE_LINE) pthread_mutex_t lock;
  uint64_t *slots;
  uint64_t mask;
  /* Written under the lock. All threads read them at any time. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint64_t) head;
  _Atomic(uint64_t) tail;
};

static inline void td_global_init(struct td_global *g, void *storage, uint64_t items) {
  /* With default attributes this cannot fail. */
  pthread_mutex_init(&g->lock, NULL);
  g->slots = (uint64_t *)storage;
  g->mask = items - 1;
  atomic_init(&g->head, UINT64_C(0));
  atomic_init(&g->tail, UINT64_C(0));
}

static inline uint64_t td_global_size(struct td_global const *g) {
  /* relaxed, both: an estimate. */
  uint64_t head = atomic_load_explicit(&g->head, memory_order_relaxed);
  uint64_t tail = atomic_load_explicit(&g->tail, memory_order_relaxed);
  return tail > head ? tail - head : 0;
}

/* Returns false, and stores nothing, if there is no room. Any thread may call it. */
static inline bool td_global_put(struct td_global *g, uint64_t item) {
  pthread_mutex_lock(&g->lock);
  /* relaxed, all: under the lock. */
  uint64_t tail = atomic_load_explicit(&g->tail, memory_order_relaxed);
  bool room = tail - atomic_load_explicit(&g->head, memory_order_relaxed) <= g->mask;
  if (room) {
    g->slots[tail & g->mask] = item;
    atomic_store_explicit(&g->tail, tail + 1, memory_order_relaxed);
  }
  pthread_mutex_unlock(&g->lock);
  return room;
}

/* Takes up to max items, oldest first, and returns how many. Any thread may call it. */
static inline uint32_t td_global_take(struct td_global *g, uint64_t *out, uint32_t max) {
  if (td_global_size(g) == 0) return 0;
  pthread_mutex_lock(&g->lock);
  /* relaxed, all: under the lock. */
  uint64_t head = atomic_load_explicit(&g->head, memory_order_relaxed);
  uint64_t size = atomic_load_explicit(&g->tail, memory_order_relaxed) - head;
  uint32_t count = size < max ? (uint32_t)size : max;
  for (uint32_t i = 0; i < count; i++)
    out[i] = g->slots[(head + i) & g->mask];
  atomic_store_explicit(&g->head, head + count, memory_order_relaxed);
  pthread_mutex_unlock(&g->lock);
  return count;
}

/* Takes the oldest item; 0 if there is none. Out of line, so that the owner's path around it keeps
 * its state in registers. */
TD_SLOW_PATH uint64_t td_global_take_one(struct td_global *g) {
  uint64_t item = 0;
  td_global_take(g, &item, 1);
  return item;
}

#endif
