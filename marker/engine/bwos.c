/* The marking engine 'bwos'. */
#include "marker/base/state.h"
#include "marker/queue/bwos.h"

static inline uint64_t owned(const struct td_bwos_owner *o) {
  return (uint64_t)(o->cursor - o->floor);
}

#define Q(name) td_bwos_##name
#define td_bwos_queue td_bwos
#include "marker/loop/loop.h"

static void init(struct td_marker *marker, uint32_t blocks, uint32_t items) {
  td_bwos_init(marker->queue, marker->owner, marker->storage, blocks, items);
}

const struct td_engine td_engine_bwos = {
    .name = "bwos",
    .text = "LIFO BWoS: block-based work stealing with batch claims and early grant (the default)",
    .blocks = 16,
    .items = 128,
    .alone = false,
    .storage_bytes = td_bwos_storage_bytes,
    .queue_bytes = sizeof(struct td_bwos),
    .owner_bytes = sizeof(struct td_bwos_owner),
    .init = init,
    .work = work,
};
