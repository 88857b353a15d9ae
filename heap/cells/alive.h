/* SPDX-License-Identifier: MIT */
/* Which bytes are those of objects, once the runs are retired: see [epoch] and [beside]. */
#ifndef TD_HEAP_CELLS_ALIVE_H
#define TD_HEAP_CELLS_ALIVE_H

#include "heap/space/marks.h"

struct td_alive {
  uint8_t epoch, kept; /* [beside] */
};

static inline struct td_alive td_alive_in(const struct td_space *space) {
  return (struct td_alive){space->epoch, space->kept};
}

/* Other mutators may log objects meanwhile, and markers defer them, which sets TD_DEFERRED. So
 * bytes are loaded atomically, and compared without that bit. */
static inline bool td_is_alive(const uint8_t *mark, struct td_alive alive) {
  uint8_t byte = td_mark_load(mark) & (TD_DEFERRED - 1);
  return byte == alive.epoch || byte == alive.kept;
}

#endif
