/* The marking engine 'chase-lev'. */
#include "marker/base/state.h"
#include "marker/queue/chase_lev.h"

static inline uint64_t owned(const struct td_chase_lev_owner *o) {
  return o->bottom - o->top_seen;
}

#define Q(name) td_chase_lev_##name
#define td_chase_lev_queue td_chase_lev
#include "marker/loop/loop.h"

static void init(struct td_marker *marker, uint32_t blocks, uint32_t items) {
  td_chase_lev_init(marker->queue, marker->owner, marker->storage, blocks, items);
}

const struct td_engine td_engine_chase_lev = {
    .name = "chase-lev",
    .text = "circular deque of Chase and Lev, of fixed size while marking",
    .blocks = 32,
    .items = 64,
    .alone = false,
    .storage_bytes = td_chase_lev_storage_bytes,
    .queue_bytes = sizeof(struct td_chase_lev),
    .owner_bytes = sizeof(struct td_chase_lev_owner),
    .init = init,
    .work = work,
};
