/* The marking engine 'abp-sc'. */
#include "marker/base/state.h"
#include "marker/queue/abp_sc.h"

static inline uint64_t owned(const struct td_abp_sc_owner *o) {
  return o->deque.bottom - o->deque.top_seen;
}

#define Q(name) td_abp_sc_##name
#define td_abp_sc_queue td_abp_sc
#include "marker/loop/loop.h"

static void init(struct td_marker *marker, uint32_t blocks, uint32_t items) {
  td_abp_sc_init(marker->queue, marker->owner, marker->storage, blocks, items);
}

const struct td_engine td_engine_abp_sc = {
    .name = "abp-sc",
    .text = "the same deque, every access sequentially consistent",
    .blocks = 32,
    .items = 64,
    .alone = false,
    .storage_bytes = td_abp_sc_storage_bytes,
    .queue_bytes = sizeof(struct td_abp_sc),
    .owner_bytes = sizeof(struct td_abp_sc_owner),
    .init = init,
    .work = work,
};
