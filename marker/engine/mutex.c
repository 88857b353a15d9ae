/* The marking engine 'mutex'. */
#include "marker/base/state.h"
#include "marker/queue/mutex.h"

static inline uint64_t owned(const struct td_mutex_owner *o) {
  return o->bottom;
}

#define Q(name) td_mutex_##name
#define td_mutex_queue td_mutex
#include "marker/loop/loop.h"

static void init(struct td_marker *marker, uint32_t blocks, uint32_t items) {
  td_mutex_init(marker->queue, marker->owner, marker->storage, blocks, items);
}

const struct td_engine td_engine_mutex = {
    .name = "mutex",
    .text = "array deque behind a lock",
    .blocks = 32,
    .items = 64,
    .alone = false,
    .storage_bytes = td_mutex_storage_bytes,
    .queue_bytes = sizeof(struct td_mutex),
    .owner_bytes = sizeof(struct td_mutex_owner),
    .init = init,
    .work = work,
};
