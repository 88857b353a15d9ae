/* SPDX-License-Identifier: MIT */
/* Memory into which a queue grows while the world is stopped, where nothing may call malloc.
 *
 * The address space is reserved when the queue is made, so that this failure is told in time. Pages
 * are committed when a queue first asks for them. If the system refuses, the queue stays as large
 * as it is and says that it is full, which marking can cope with. Memory is handed out one piece
 * after another and never taken back singly: all of it is free again after td_growth_reset.
 *
 * One thread at a time uses a growth: the queue's owner while it marks, the collecting thread
 * before and after. */
#ifndef TD_MARKER_QUEUE_GROWTH_H
#define TD_MARKER_QUEUE_GROWTH_H

#include <stdbool.h>
#include <stddef.h>

/* Address space of each queue that can grow. A queue that doubles its storage keeps the former
 * ones, so its last storage has half of this: 4 Mi items. */
#define TD_GROWTH_BYTES ((size_t)64 << 20)

/* Invariant: used <= committed <= bytes. All zero: closed, and it has no memory to give. */
struct td_growth {
  char *base;
  size_t bytes;
  size_t committed; /* a multiple of the page size */
  size_t used;
};

/* Reserves `bytes` bytes of address space. Returns false, with errno set, if there is none. */
bool td_growth_open(struct td_growth *growth, size_t bytes);

/* Gives everything back. A growth that is closed stays so. */
void td_growth_close(struct td_growth *growth);

/* Returns memory aligned to TD_CACHE_LINE whose contents mean nothing, or NULL if there is none: a
 * td_queue_more whose context is the growth. */
void *td_growth_take(void *context, size_t bytes);

/* Makes all memory free again. What was not used since the last reset goes back to the system: the
 * next collection finds as much committed as this one used. */
void td_growth_reset(struct td_growth *growth);

#endif
