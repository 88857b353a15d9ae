/* SPDX-License-Identifier: MIT */
/* A plain array stack for one marker: the ceiling that the other queues are measured against.
 * Nothing is shared, so nothing can be stolen. */
#ifndef TD_MARKER_QUEUE_SERIAL_H
#define TD_MARKER_QUEUE_SERIAL_H

#include "marker/queue/contract.h"

/* Invariant: floor <= cursor <= end; the items are [floor, cursor), newest last. */
struct td_serial {
  _Alignas(TD_CACHE_LINE) uint64_t *slots;
};

struct td_serial_owner {
  uint64_t *cursor;
  uint64_t *floor;
  uint64_t *end;
};

static inline size_t td_serial_storage_bytes(uint32_t blocks, uint32_t entries) {
  return td_queue_bytes(blocks, entries, sizeof(uint64_t), 0);
}

static inline void td_serial_init(struct td_serial *q, struct td_serial_owner *o, void *storage,
                                  uint32_t blocks, uint32_t entries) {
  q->slots = (uint64_t *)storage;
  o->cursor = q->slots;
  o->floor = q->slots;
  o->end = q->slots + (size_t)blocks * entries;
}

static inline bool td_serial_put(struct td_serial *q, struct td_serial_owner *o, uint64_t item) {
  (void)q;
  if (TD_UNLIKELY(o->cursor == o->end)) return false;
  *o->cursor++ = item;
  return true;
}

static inline uint64_t td_serial_get(struct td_serial *q, struct td_serial_owner *o) {
  (void)q;
  if (TD_UNLIKELY(o->cursor == o->floor)) return 0;
  uint64_t item = *--o->cursor;
  TD_ASSUME(item != 0);
  return item;
}

static inline int32_t td_serial_steal(struct td_serial *q, uint64_t *out, uint32_t max) {
  (void)q, (void)out, (void)max;
  return 0;
}

TD_QUEUE_WITHOUT_WISHES(serial);
TD_QUEUE_BOUNDED(serial);
TD_QUEUE_BY_ITSELF(serial);

static inline uint64_t td_serial_size(struct td_serial const *q) {
  (void)q;
  return 0;
}

static inline uint64_t td_serial_owned(struct td_serial_owner const *o) {
  (void)o;
  return 0;
}

#endif
