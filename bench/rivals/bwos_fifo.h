/* FIFO block-based work stealing (BWoS), for breadth-first marking.
 *
 * The queue is a ring of blocks, numbered as in marker/queue/bwos.h and with the same shared word.
 * The owner puts into block `last` and gets from block `first`. The blocks between them are
 * granted. Thieves take from any of these; each begins at another one, so as not to meet the
 * others.
 *
 * Source: Wang et al., BWoS, OSDI 2023. Differs as marker/queue/bwos.h does. And it grants early:
 * on a thief's wish the owner ends its put block before that is full.
 *
 * Invariants:
 *   [bwos_fifo.visit]  The owner visits every block in order and takes over what thieves left of
 * it. So nothing depends on thieves seeing fresh numbers: whatever granted range a thief finds, it
 * may claim. [bwos_fifo.slots]  A slot is rewritten only after its block was taken over (acquire),
 * one ring later. A thief that read a rewritten slot fails its claim. */
#ifndef TD_BENCH_RIVALS_BWOS_FIFO_H
#define TD_BENCH_RIVALS_BWOS_FIFO_H

#include "marker/queue/bwos.h"

/* The most blocks that one steal looks at. */
#define TD_BWOS_FIFO_LOOKS 4

/* What a block that holds an unknown number of items counts for in td_bwos_fifo_owned. */
#define TD_BWOS_FIFO_SOME 4

struct td_bwos_fifo {
  _Alignas(TD_CACHE_LINE) struct td_bwos_ring ring;

  /* The numbers of the get and the put block. The owner writes them at block borders, thieves read.
   */
  _Alignas(TD_CACHE_LINE) _Atomic(uint64_t) first;
  _Atomic(uint64_t) last;

  /* Where the next thief begins to look. Thieves only. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint64_t) turn;

  /* As in struct td_bwos. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint32_t) want;
};

/* The private items are [out, out_end) of block first, then those of block last up to `in`. If
 * these are one block, they are [out, in), and out_end is a place between the two. */
struct td_bwos_fifo_owner {
  _Atomic(uint64_t) *out;
  _Atomic(uint64_t) *out_end;
  _Atomic(uint64_t) *in;
  _Atomic(uint64_t) *in_end;
  uint64_t first;
  uint64_t last;
};

static inline size_t td_bwos_fifo_storage_bytes(uint32_t blocks, uint32_t entries) {
  return td_bwos_storage_bytes(blocks, entries);
}

static inline void td_bwos_fifo_init(struct td_bwos_fifo *q, struct td_bwos_fifo_owner *o,
                                     void *storage, uint32_t blocks, uint32_t entries) {
  td_bwos_ring_init(&q->ring, storage, blocks, entries);
  atomic_init(&q->first, (uint64_t)blocks);
  atomic_init(&q->last, (uint64_t)blocks);
  atomic_init(&q->turn, UINT64_C(0));
  atomic_init(&q->want, 0u);
  o->first = o->last = blocks;
  o->out = o->out_end = o->in = q->ring.slots;
  o->in_end = q->ring.slots + entries;
}

/* Returns true if there is a block after the put block that is not the get block. */
static inline bool td_bwos_fifo_has_next(struct td_bwos_fifo const *q,
                                         struct td_bwos_fifo_owner const *o) {
  return o->last + 1 - o->first <= q->ring.block_mask || !TD_STEP(bwos_fifo, full);
}

/* Grants [index, limit) of the put block and goes on in the next. */
static inline void td_bwos_fifo_close(struct td_bwos_fifo *q, struct td_bwos_fifo_owner *o,
                                      uint32_t index, uint32_t limit) {
  if (index < limit) {
    _Atomic(uint64_t) *word = td_bwos_shared(&q->ring, o->last);
    /* relaxed: a private word was last written by this thread. */
    uint64_t old = atomic_load_explicit(word, memory_order_relaxed);
    /* release [bwos_fifo.grant]: the items, before a thief sees the range. */
    atomic_store_explicit(word, td_bwos_word(td_bwos_version(old) + 1, limit, index),
                          TD_ORDER(bwos_fifo, grant, release));
  }
  o->last++;
  o->in = td_bwos_slot(&q->ring, o->last, 0);
  o->in_end = o->in + q->ring.entries;
  /* relaxed: where thieves look; what they find there decides [bwos_fifo.visit]. */
  atomic_store_explicit(&q->last, o->last, memory_order_relaxed);
}

/* The put block is full: goes on in the next. Returns false if the ring is full. */
TD_SLOW_PATH bool td_bwos_fifo_advance(struct td_bwos_fifo *q, struct td_bwos_fifo_owner *o) {
  if (!td_bwos_fifo_has_next(q, o)) return false;
  if (o->first == o->last) {
    /* The owner is getting from it: it stays private. */
    o->out_end = o->in_end;
    td_bwos_fifo_close(q, o, 0, 0);
  } else {
    td_bwos_fifo_close(q, o, 0, q->ring.entries);
  }
  return true;
}

static inline bool td_bwos_fifo_put(struct td_bwos_fifo *q, struct td_bwos_fifo_owner *o,
                                    uint64_t item) {
  if (TD_UNLIKELY(o->in == o->in_end)) {
    bool advanced;
    TD_ON_COPY(struct td_bwos_fifo_owner, o, copy, advanced = td_bwos_fifo_advance(q, copy));
    if (!advanced) return false;
  }
  /* relaxed: published by a later grant; atomic because a thief too late may still read it. */
  atomic_store_explicit(o->in, item, memory_order_relaxed);
  o->in++;
  return true;
}

/* Takes over what thieves have left of block first. Returns false if that is nothing. */
static inline bool td_bwos_fifo_takeover(struct td_bwos_fifo *q, struct td_bwos_fifo_owner *o) {
  _Atomic(uint64_t) *word = td_bwos_shared(&q->ring, o->first);
  /* relaxed: version and limit, which this thread alone writes. */
  uint64_t old = atomic_load_explicit(word, memory_order_relaxed);
  if (td_bwos_limit(old) == 0) return false;
  if (TD_STEP(bwos_fifo, takeover)) {
    /* acquire [bwos.claim]: thieves have read what they claimed before we overwrite it. */
    old = atomic_exchange_explicit(word, td_bwos_word(td_bwos_version(old), 0, 0),
                                   TD_ORDER(bwos_fifo, takeover, acquire));
  }
  o->out = td_bwos_slot(&q->ring, o->first, td_bwos_index(old));
  o->out_end = td_bwos_slot(&q->ring, o->first, td_bwos_limit(old));
  return o->out != o->out_end;
}

/* The private part of the get block is used up: finds more. Returns false if the queue is empty. */
TD_SLOW_PATH bool td_bwos_fifo_refill(struct td_bwos_fifo *q, struct td_bwos_fifo_owner *o) {
  while (o->first != o->last) {
    if (td_bwos_fifo_takeover(q, o)) return true;
    o->first++;
    /* relaxed: as in td_bwos_fifo_close. */
    atomic_store_explicit(&q->first, o->first, memory_order_relaxed);
    o->out = o->out_end = td_bwos_slot(&q->ring, o->first, 0);
  }
  o->out_end = o->in;
  if (o->out != o->out_end) return true;
  /* The queue is empty: the block starts afresh. */
  o->out = o->out_end = o->in = td_bwos_slot(&q->ring, o->last, 0);
  return false;
}

static inline uint64_t td_bwos_fifo_get(struct td_bwos_fifo *q, struct td_bwos_fifo_owner *o) {
  if (TD_UNLIKELY(o->out == o->out_end)) {
    bool found;
    TD_ON_COPY(struct td_bwos_fifo_owner, o, copy, found = td_bwos_fifo_refill(q, copy));
    if (!found) return 0;
  }
  /* relaxed: this thread wrote it. */
  uint64_t item = atomic_load_explicit(o->out, memory_order_relaxed);
  o->out++;
  TD_ASSUME(item != 0);
  return item;
}

/* Steals. The first granted block to look at is the one that `choice` (any number) selects. */
static inline int32_t td_bwos_fifo_steal_from(struct td_bwos_fifo *q, uint64_t *out, uint32_t max,
                                              uint64_t choice) {
  /* relaxed, both: [bwos_fifo.visit]. */
  uint64_t first = atomic_load_explicit(&q->first, memory_order_relaxed);
  uint64_t last = atomic_load_explicit(&q->last, memory_order_relaxed);
  if (max == 0 || first >= last) return 0;
  uint64_t count = last - first;
  uint64_t looks = count < TD_BWOS_FIFO_LOOKS ? count : TD_BWOS_FIFO_LOOKS;
  for (uint64_t look = 0; look < looks; look++) {
    uint64_t number = first + (choice + look) % count;
    /* acquire [bwos_fifo.grant]: the items. */
    uint64_t word =
        atomic_load_explicit(td_bwos_shared(&q->ring, number), TD_ORDER(bwos_fifo, see, acquire));
    if (td_bwos_index(word) < td_bwos_limit(word))
      return td_bwos_claim(&q->ring, number, word, out, max);
  }
  return 0;
}

static inline int32_t td_bwos_fifo_steal(struct td_bwos_fifo *q, uint64_t *out, uint32_t max) {
  /* relaxed, both: any number will do, even the same one for two thieves. */
  uint64_t turn = atomic_load_explicit(&q->turn, memory_order_relaxed);
  atomic_store_explicit(&q->turn, turn + TD_BWOS_FIFO_LOOKS, memory_order_relaxed);
  return td_bwos_fifo_steal_from(q, out, max, turn);
}

static inline void td_bwos_fifo_want(struct td_bwos_fifo *q) {
  td_bwos_wish(&q->want);
}

static inline bool td_bwos_fifo_wanted(struct td_bwos_fifo const *q) {
  return td_bwos_is_wished(&q->want);
}

/* Ends the put block early. If it is the get block too, the owner keeps the older half, which it is
 * about to get, and thieves may have the rest. */
TD_SLOW_PATH void td_bwos_fifo_grant_now(struct td_bwos_fifo *q, struct td_bwos_fifo_owner *o) {
  _Atomic(uint64_t) *begin = td_bwos_slot(&q->ring, o->last, 0);
  uint32_t limit = (uint32_t)(o->in - begin);
  uint32_t index = 0;
  if (o->first == o->last) {
    o->out_end = o->out + (o->in - o->out) / 2;
    index = (uint32_t)(o->out_end - begin);
  }
  td_bwos_fifo_close(q, o, index, limit);
  /* relaxed: a wish orders nothing. */
  atomic_store_explicit(&q->want, 0u, memory_order_relaxed);
}

static inline void td_bwos_fifo_grant(struct td_bwos_fifo *q, struct td_bwos_fifo_owner *o) {
  _Atomic(uint64_t) *begin = o->first == o->last ? o->out : o->in_end - q->ring.entries;
  if (o->in - begin < 2 || !td_bwos_fifo_has_next(q, o)) return;
  TD_ON_COPY(struct td_bwos_fifo_owner, o, copy, td_bwos_fifo_grant_now(q, copy));
}

static inline uint64_t td_bwos_fifo_size(struct td_bwos_fifo const *q) {
  /* relaxed, both: an estimate. */
  uint64_t first = atomic_load_explicit(&q->first, memory_order_relaxed);
  uint64_t last = atomic_load_explicit(&q->last, memory_order_relaxed);
  return last > first + 1 ? (last - first - 1) * q->ring.entries : 0;
}

/* A count of blocks: how many items they hold is not known without a look at their words. */
static inline uint64_t td_bwos_fifo_owned(struct td_bwos_fifo_owner const *o) {
  return o->last - o->first + (o->in != o->out ? TD_BWOS_FIFO_SOME : 0);
}

TD_QUEUE_BOUNDED(bwos_fifo);
TD_QUEUE_BY_ITSELF(bwos_fifo);

#endif
