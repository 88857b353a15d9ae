/* SPDX-License-Identifier: MIT */
/* The chunks that waiting references are kept in. Their memory is reserved when the heap is created
 * and committed as far as a collection may use it, which is a part of the heap. When
 * there is no chunk left, references are deferred instead (marker/base/deferred.h), so nothing can
 * fail.
 *
 * Each marker has a stock of chunks. What it has too many of goes to a common list, from which a
 * marker takes all there is; so no marker takes one while others do, and no number is mistaken for
 * another one (the ABA problem).
 *
 * How many are in use is asked at each visit: the sum of what each marker has.
 *
 * [chunks.spare] What the last user of a chunk did to it is over before another marker uses it.
 * Model: tests/model/chunks.cpp. */
#ifndef TD_MARKER_REGION_CHUNKS_H
#define TD_MARKER_REGION_CHUNKS_H

#include <stdbool.h>
#include <stddef.h>

#include "marker/queue/contract.h"
#include "marker/region/region.h"

struct td_chunks {
  struct td_chunk *at; /* chunk 0 is never used */
  uint32_t count;      /* as many are reserved */
  /* Constant in a collection, both: */
  uint32_t committed; /* chunks below it may be written */
  uint32_t limit;     /* chunks below it may be used */
  /* Chunks below it were used in this collection: a relaxed counter. All markers write it and the
   * next one, and read what lies before and behind them all the time. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint32_t) fresh;
  _Alignas(TD_CACHE_LINE) _Atomic(uint32_t) spare; /* the common list */
};

/* A marker's stock: its own while it is active. */
struct td_stock {
  uint32_t first, last;      /* a chain, which ends with 0 */
  uint32_t count;            /* chunks put into the chain since it was taken or given away */
  uint32_t fresh, fresh_end; /* chunks that were never used */
  /* Chunks got less chunks put. Other markers read it: a relaxed figure. */
  _Atomic(uint32_t) balance;
};

/* Reserves chunks. Returns false if the system refuses. */
bool td_chunks_open(struct td_chunks *pool, size_t bytes);
void td_chunks_close(struct td_chunks *pool);
/* Before a collection: all chunks are unused, and `bytes` of them may be used. */
void td_chunks_begin(struct td_chunks *pool, size_t bytes);
/* Returns how much memory the chunks have that were used in this collection. */
size_t td_chunks_used_bytes(const struct td_chunks *pool);

/* Returns a chunk, or 0 if there is none. */
uint32_t td_chunks_get(struct td_chunks *pool, struct td_stock *stock);
void td_chunks_put(struct td_chunks *pool, struct td_stock *stock, uint32_t number);

static inline uint32_t td_chunks_number(const struct td_chunks *pool,
                                        const struct td_chunk *chunk) {
  return (uint32_t)(chunk - pool->at);
}

#endif
