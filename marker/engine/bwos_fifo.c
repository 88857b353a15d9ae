/* The marking engine 'bwos-fifo'. */
#include "marker/base/state.h"
#include "marker/queue/bwos_fifo.h"

static inline uint64_t owned(const struct td_bwos_fifo_owner *o) {
  return o->last - o->first + (o->in != o->out ? TD_RECRUIT_ITEMS : 0);
}

#define Q(name) td_bwos_fifo_##name
#define td_bwos_fifo_queue td_bwos_fifo
#include "marker/loop/loop.h"

static void init(struct td_marker *marker, uint32_t blocks, uint32_t items) {
  td_bwos_fifo_init(marker->queue, marker->owner, marker->storage, blocks, items);
}

const struct td_engine td_engine_bwos_fifo = {
    .name = "bwos-fifo",
    .text = "FIFO BWoS of the same paper: marks breadth first",
    .blocks = 32,
    .items = 64,
    .alone = false,
    .storage_bytes = td_bwos_fifo_storage_bytes,
    .queue_bytes = sizeof(struct td_bwos_fifo),
    .owner_bytes = sizeof(struct td_bwos_fifo_owner),
    .init = init,
    .work = work,
};
