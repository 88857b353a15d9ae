/* SPDX-License-Identifier: MIT */
/* A marking engine: the tracing loop, compiled around one queue. A template: each engine's file
 * includes its queue's header, defines TD_QUEUE as the queue's identifier and includes this. */
#include "marker/base/state.h"

/* The queue's shared part is struct QUEUE; Q(name) is its function or type td_Q_name. */
#define QUEUE TD_QUEUE_JOIN(td_, TD_QUEUE, )
#define Q(name) TD_QUEUE_JOIN(td_, TD_QUEUE, _##name)

static inline uint64_t owned(const struct Q(owner) * o) {
  return Q(owned)(o);
}

#include "marker/loop/loop.h"

static void init(struct td_marker *marker, uint32_t blocks, uint32_t items) {
  Q(init)(marker->queue, marker->owner, marker->storage, blocks, items);
  Q(grow_from)(marker->queue, td_growth_take, &marker->growth);
  Q(join)(marker->queue, marker->set->marker[0]->queue);
}

static void shrink(struct td_marker *marker) {
  Q(shrink)(marker->queue, marker->owner);
}

static uint64_t size(const void *queue) {
  return Q(size)(queue);
}

const struct td_engine TD_QUEUE_JOIN(td_engine_, TD_QUEUE, ) = {
    .queue = &TD_QUEUE_JOIN(td_queue_entry_, TD_QUEUE, ),
    .storage_bytes = Q(storage_bytes),
    .queue_bytes = sizeof(struct QUEUE),
    .owner_bytes = sizeof(struct Q(owner)),
    .init = init,
    .shrink = shrink,
    .size = size,
    .work = work,
};
