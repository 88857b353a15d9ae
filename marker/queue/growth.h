/* SPDX-License-Identifier: MIT */
/* Memory into which a queue grows while the world is stopped, where nothing may call malloc: pages
 * of the system. If it refuses them, the queue stays as large as it is and says that it is full,
 * which marking can cope with.
 *
 * One thread at a time uses a growth: the queue's owner while it marks, the collecting thread
 * before and after. */
#ifndef TD_MARKER_QUEUE_GROWTH_H
#define TD_MARKER_QUEUE_GROWTH_H

#include <stddef.h>

/* As much may each queue have. One that doubles its storage keeps the former ones, so its last
 * storage has half of this: 4 Mi items. */
#define TD_GROWTH_BYTES ((size_t)64 << 20)

struct td_growth {
  struct td_growth_piece *newest; /* each knows the one before */
  size_t bytes;                   /* of all of them */
};

/* Returns memory aligned to TD_CACHE_LINE, or NULL if there is none: a td_queue_more whose context
 * is the growth. */
void *td_growth_take(void *context, size_t bytes);

/* Gives all of it back. */
void td_growth_free(struct td_growth *growth);

#endif
