/* The marking engine 'abp'. */
#include "marker/base/state.h"
#include "marker/queue/abp.h"

static inline uint64_t owned(const struct td_abp_owner *o) {
  return o->bottom - o->top_seen;
}

#define Q(name) td_abp_##name
#define td_abp_queue td_abp
#include "marker/loop/loop.h"

static void init(struct td_marker *marker, uint32_t blocks, uint32_t items) {
  td_abp_init(marker->queue, marker->owner, marker->storage, blocks, items);
}

const struct td_engine td_engine_abp = {
    .name = "abp",
    .text = "array deque of Arora, Blumofe and Plaxton, with the fences of Lê et al.",
    .blocks = 32,
    .items = 64,
    .alone = false,
    .storage_bytes = td_abp_storage_bytes,
    .queue_bytes = sizeof(struct td_abp),
    .owner_bytes = sizeof(struct td_abp_owner),
    .init = init,
    .work = work,
};
