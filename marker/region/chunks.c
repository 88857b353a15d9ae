/* SPDX-License-Identifier: MIT */
#include "marker/region/chunks.h"

#include "platform/platform.h"

#ifndef TD_CHUNKS_KEPT     /* tests/model has fewer */
#define TD_CHUNKS_STEP 8u  /* unused chunks that a marker takes at once */
#define TD_CHUNKS_KEPT 64u /* chunks that a marker keeps */
#endif
#define HUGE_PAGE ((size_t)2 << 20)

bool td_chunks_open(struct td_chunks *pool, size_t bytes) {
  size_t count = bytes / sizeof *pool->at;
  if (count > UINT32_MAX / 2) count = UINT32_MAX / 2;
  bytes = count * sizeof *pool->at;
  pool->at = td_plat_reserve(bytes, HUGE_PAGE);
  pool->count = pool->at ? (uint32_t)count : 0;
  pool->committed = 0;
  if (pool->at) td_plat_advise_huge(pool->at, bytes);
  return pool->at != NULL;
}

void td_chunks_close(struct td_chunks *pool) {
  td_plat_release(pool->at, (size_t)pool->count * sizeof *pool->at);
  pool->at = NULL;
}

void td_chunks_begin(struct td_chunks *pool, size_t bytes) {
  size_t limit = bytes / sizeof *pool->at;
  pool->limit = limit < pool->count ? (uint32_t)limit : pool->count;
  if (pool->limit > pool->committed && td_plat_commit(pool->at, pool->limit * sizeof *pool->at))
    pool->committed = pool->limit;
  if (pool->limit > pool->committed) pool->limit = pool->committed;
  /* relaxed, all: td_term_start publishes them: [term.start]. */
  atomic_store_explicit(&pool->fresh, 1, memory_order_relaxed);
  atomic_store_explicit(&pool->spare, 0, memory_order_relaxed);
}

size_t td_chunks_used_bytes(const struct td_chunks *pool) {
  /* relaxed: a figure. Counting goes on beyond the limit. */
  uint32_t fresh = atomic_load_explicit(&pool->fresh, memory_order_relaxed);
  uint32_t used = fresh < pool->limit ? fresh : pool->limit;
  return used > 1 ? used * sizeof *pool->at : 0;
}

static uint32_t take_from_chain(struct td_chunks *pool, struct td_stock *stock) {
  uint32_t number = stock->first;
  stock->first = pool->at[number].next;
  if (stock->count) stock->count--;
  return number;
}

/* Takes a few that were never used. Looks first, so that the counter does not run away. */
static bool take_fresh(struct td_chunks *pool, struct td_stock *stock) {
  /* relaxed, both: which numbers they are orders nothing. */
  if (atomic_load_explicit(&pool->fresh, memory_order_relaxed) >= pool->limit) return false;
  uint32_t from = atomic_fetch_add_explicit(&pool->fresh, TD_CHUNKS_STEP, memory_order_relaxed);
  if (from >= pool->limit) return false;
  stock->fresh = from;
  stock->fresh_end = pool->limit - from < TD_CHUNKS_STEP ? pool->limit : from + TD_CHUNKS_STEP;
  return true;
}

/* The chain has come from the common list. All but a few of it goes back there. What others have
 * put there meanwhile is not much, and goes in front. A marker that kept all of the chain would
 * have the chunks that others lack. */
static void keep_some(struct td_chunks *pool, struct td_stock *stock) {
  uint32_t last = stock->first, none = 0;
  for (uint32_t kept = 1; kept < TD_CHUNKS_KEPT && pool->at[last].next; kept++)
    last = pool->at[last].next;
  uint32_t rest = pool->at[last].next;
  if (!rest) return;
  pool->at[last].next = 0;
  /* release [chunks.spare] */
  while (!atomic_compare_exchange_strong_explicit(&pool->spare, &none, rest, memory_order_release,
                                                  memory_order_relaxed)) {
    /* acquire [chunks.spare] */
    uint32_t more = atomic_exchange_explicit(&pool->spare, 0, memory_order_acquire);
    none = 0;
    if (!more) continue;
    for (last = more; pool->at[last].next;)
      last = pool->at[last].next;
    pool->at[last].next = rest;
    rest = more;
  }
}

/* Only the marker itself writes its balance. */
static void add_to_balance(struct td_stock *stock, uint32_t chunks) {
  /* relaxed, both: a figure. */
  uint32_t balance = atomic_load_explicit(&stock->balance, memory_order_relaxed) + chunks;
  atomic_store_explicit(&stock->balance, balance, memory_order_relaxed);
}

static uint32_t get(struct td_chunks *pool, struct td_stock *stock) {
  if (stock->first) return take_from_chain(pool, stock);
  if (stock->fresh < stock->fresh_end || take_fresh(pool, stock)) return stock->fresh++;
  /* relaxed: mostly there is nothing, and this tells so more cheaply than the exchange. */
  if (atomic_load_explicit(&pool->spare, memory_order_relaxed) == 0) return 0;
  /* acquire [chunks.spare] */
  stock->first = atomic_exchange_explicit(&pool->spare, 0, memory_order_acquire);
  stock->last = 0; /* unknown; the chain cannot be given away before it is used up */
  stock->count = 0;
  if (!stock->first) return 0;
  keep_some(pool, stock);
  return take_from_chain(pool, stock);
}

uint32_t td_chunks_get(struct td_chunks *pool, struct td_stock *stock) {
  uint32_t number = get(pool, stock);
  if (number) add_to_balance(stock, 1);
  return number;
}

static void give_away(struct td_chunks *pool, struct td_stock *stock) {
  uint32_t seen = atomic_load_explicit(&pool->spare, memory_order_relaxed); /* a guess */
  do
    pool->at[stock->last].next = seen;
  /* release [chunks.spare] */
  while (!atomic_compare_exchange_weak_explicit(&pool->spare, &seen, stock->first,
                                                memory_order_release, memory_order_relaxed));
  stock->first = stock->last = stock->count = 0;
}

void td_chunks_put(struct td_chunks *pool, struct td_stock *stock, uint32_t number) {
  add_to_balance(stock, UINT32_MAX);
  if (!stock->first) stock->last = number;
  pool->at[number].next = stock->first;
  stock->first = number;
  if (++stock->count >= TD_CHUNKS_KEPT && stock->last) give_away(pool, stock);
}
