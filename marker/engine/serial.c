/* The marking engine 'serial'. */
#include "marker/base/state.h"
#include "marker/queue/serial.h"

static inline uint64_t owned(const struct td_serial_owner *o) {
  (void)o;
  return 0;
}

#define Q(name) td_serial_##name
#define td_serial_queue td_serial
#include "marker/loop/loop.h"

static void init(struct td_marker *marker, uint32_t blocks, uint32_t items) {
  td_serial_init(marker->queue, marker->owner, marker->storage, blocks, items);
}

const struct td_engine td_engine_serial = {
    .name = "serial",
    .text = "array stack for one marker: the ceiling",
    .blocks = 32,
    .items = 64,
    .alone = true,
    .storage_bytes = td_serial_storage_bytes,
    .queue_bytes = sizeof(struct td_serial),
    .owner_bytes = sizeof(struct td_serial_owner),
    .init = init,
    .work = work,
};
