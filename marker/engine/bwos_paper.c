/* The marking engine 'bwos-paper'. */
#include "marker/base/state.h"
#include "marker/queue/bwos_paper.h"

static inline uint64_t owned(const struct td_bwos_paper_owner *o) {
  return o->block->b_pos - o->block->f_pos;
}

#define Q(name) td_bwos_paper_##name
#define td_bwos_paper_queue td_bwos_paper
#include "marker/loop/loop.h"

static void init(struct td_marker *marker, uint32_t blocks, uint32_t items) {
  td_bwos_paper_init(marker->queue, marker->owner, marker->storage, blocks, items);
}

const struct td_engine td_engine_bwos_paper = {
    .name = "bwos-paper",
    .text = "LIFO BWoS as published: Wang et al., OSDI 2023",
    .blocks = 32,
    .items = 64,
    .alone = false,
    .storage_bytes = td_bwos_paper_storage_bytes,
    .queue_bytes = sizeof(struct td_bwos_paper),
    .owner_bytes = sizeof(struct td_bwos_paper_owner),
    .init = init,
    .work = work,
};
