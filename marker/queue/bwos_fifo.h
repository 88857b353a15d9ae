/* FIFO block-based work stealing (BWoS), for breadth-first marking.
 *
 * A ring of blocks, numbered as in queue_bwos.h and with the same shared word.  The owner puts into
 * block `last` and gets from block `first`; the blocks between them are granted, and thieves take
 * from any of these, which one they choose at random so as not to meet each other.  Source: Wang et
 * al., BWoS, OSDI 2023.  Differs as queue_bwos.h does, and grants early: on a thief's wish the
 * owner ends its put block before it is full.
 *
 * Invariants:
 *   [bwos_fifo.visit]  The owner visits every block in order, taking over what thieves left of it,
 *                      so nothing depends on thieves seeing fresh numbers: whatever granted range a
 *                      thief finds is a good one.
 *   [bwos_fifo.slots]  A slot is rewritten only after its block was taken over (acquire), one ring
 *                      later.  A thief that read a rewritten slot fails its claim.
 */
#ifndef TD_MARKER_QUEUE_BWOS_FIFO_H
#define TD_MARKER_QUEUE_BWOS_FIFO_H

#include "marker/queue/bwos.h"

/* The most blocks one steal looks at. */
#define TD_BWOS_FIFO_LOOKS 4

struct td_bwos_fifo {
  /* Constant after init. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint64_t) *slots;
  struct td_bwos_block *blocks;
  uint64_t block_mask;
  uint32_t entries;

  /* Numbers of the get and the put block.  Owner writes at block borders, thieves read. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint64_t) first;
  _Atomic(uint64_t) last;

  /* Where the next thief without a choice of its own looks.  Thieves only. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint64_t) turn;

  /* A thief's wish for an early grant.  Alone in its line: the owner polls it. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint32_t) want;
};

/* The private items are [out, out_end) of block first, then [in_begin, in) of block last; if these
 * are one block, [out, in), and out_end is a place between them. */
struct td_bwos_fifo_owner {
  _Atomic(uint64_t) *out;
  _Atomic(uint64_t) *out_end;
  _Atomic(uint64_t) *in;
  _Atomic(uint64_t) *in_end;
  uint64_t first;
  uint64_t last;
};

static inline _Atomic(uint64_t) *td_bwos_fifo_shared(struct td_bwos_fifo *q, uint64_t number) {
  return &q->blocks[number & q->block_mask].word;
}

static inline _Atomic(uint64_t) *td_bwos_fifo_slot(struct td_bwos_fifo *q, uint64_t number,
                                                   uint32_t index) {
  return q->slots + (number & q->block_mask) * q->entries + index;
}

static inline size_t td_bwos_fifo_storage_bytes(uint32_t blocks, uint32_t entries) {
  return td_bwos_storage_bytes(blocks, entries);
}

static inline void td_bwos_fifo_init(struct td_bwos_fifo *q, struct td_bwos_fifo_owner *o,
                                     void *storage, uint32_t blocks, uint32_t entries) {
  q->blocks = (struct td_bwos_block *)storage;
  q->slots = (_Atomic(uint64_t) *)(void *)(q->blocks + blocks);
  q->block_mask = blocks - 1;
  q->entries = entries;
  for (uint32_t i = 0; i < blocks; i++)
    TD_STORAGE_ATOMIC_INIT(&q->blocks[i].word, UINT64_C(0));
  for (size_t i = 0; i < (size_t)blocks * entries; i++)
    TD_STORAGE_ATOMIC_INIT(&q->slots[i], UINT64_C(0));
  atomic_init(&q->first, (uint64_t)blocks);
  atomic_init(&q->last, (uint64_t)blocks);
  atomic_init(&q->turn, UINT64_C(0));
  atomic_init(&q->want, 0u);
  o->first = o->last = blocks;
  o->out = o->out_end = o->in = q->slots;
  o->in_end = q->slots + entries;
}

/* Is there a block after the put block that the get block does not need? */
static inline bool td_bwos_fifo_has_next(struct td_bwos_fifo const *q,
                                         struct td_bwos_fifo_owner const *o) {
  return o->last + 1 - o->first <= q->block_mask || !TD_STEP(bwos_fifo, full);
}

/* Grant [index, limit) of the put block and go on in the next. */
static inline void td_bwos_fifo_close(struct td_bwos_fifo *q, struct td_bwos_fifo_owner *o,
                                      uint32_t index, uint32_t limit) {
  if (index < limit) {
    _Atomic(uint64_t) *word = td_bwos_fifo_shared(q, o->last);
    /* relaxed: a private word was last written by this thread. */
    uint64_t old = atomic_load_explicit(word, memory_order_relaxed);
    /* release [bwos_fifo.grant]: the items, before a thief sees the range. */
    atomic_store_explicit(word, td_bwos_word(td_bwos_version(old) + 1, limit, index),
                          TD_ORDER(bwos_fifo, grant, release));
  }
  o->last++;
  o->in = td_bwos_fifo_slot(q, o->last, 0);
  o->in_end = o->in + q->entries;
  /* relaxed: where thieves look; what they find there decides [bwos_fifo.visit]. */
  atomic_store_explicit(&q->last, o->last, memory_order_relaxed);
}

/* The put block is full.  false: so is the ring. */
TD_SLOW_PATH bool td_bwos_fifo_advance(struct td_bwos_fifo *q, struct td_bwos_fifo_owner *o) {
  if (!td_bwos_fifo_has_next(q, o)) return false;
  if (o->first == o->last) {
    /* The owner is getting from it: it stays private. */
    o->out_end = o->in_end;
    td_bwos_fifo_close(q, o, 0, 0);
  } else {
    td_bwos_fifo_close(q, o, 0, q->entries);
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

/* Take over what thieves have left of block first.  false: nothing. */
static inline bool td_bwos_fifo_takeover(struct td_bwos_fifo *q, struct td_bwos_fifo_owner *o) {
  _Atomic(uint64_t) *word = td_bwos_fifo_shared(q, o->first);
  /* relaxed: version and limit, which this thread alone writes. */
  uint64_t old = atomic_load_explicit(word, memory_order_relaxed);
  if (td_bwos_limit(old) == 0) return false;
  if (TD_STEP(bwos_fifo, takeover)) {
    /* acquire [bwos_fifo.claim]: thieves have read what they claimed before we overwrite it. */
    old = atomic_exchange_explicit(word, td_bwos_word(td_bwos_version(old), 0, 0),
                                   TD_ORDER(bwos_fifo, takeover, acquire));
  }
  o->out = td_bwos_fifo_slot(q, o->first, td_bwos_index(old));
  o->out_end = td_bwos_fifo_slot(q, o->first, td_bwos_limit(old));
  return o->out != o->out_end;
}

/* The private part of the get block is used up: find more.  false: the queue is empty. */
TD_SLOW_PATH bool td_bwos_fifo_refill(struct td_bwos_fifo *q, struct td_bwos_fifo_owner *o) {
  while (o->first != o->last) {
    if (td_bwos_fifo_takeover(q, o)) return true;
    o->first++;
    /* relaxed: as in td_bwos_fifo_close. */
    atomic_store_explicit(&q->first, o->first, memory_order_relaxed);
    o->out = o->out_end = td_bwos_fifo_slot(q, o->first, 0);
  }
  o->out_end = o->in;
  if (o->out != o->out_end) return true;
  /* Empty: start the block afresh. */
  o->out = o->out_end = o->in = td_bwos_fifo_slot(q, o->last, 0);
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

/* As td_bwos_claim. */
static inline int32_t td_bwos_fifo_claim(struct td_bwos_fifo *q, uint64_t number, uint64_t word,
                                         uint64_t *out, uint32_t max) {
  uint32_t first = td_bwos_index(word);
  uint32_t count = td_bwos_limit(word) - first;
  if (count > max) count = max;
  if (count > TD_BWOS_BATCH) count = TD_BWOS_BATCH;
  _Atomic(uint64_t) *slot = td_bwos_fifo_slot(q, number, first);
  /* relaxed: if the owner has rewritten a slot, it has changed the word and the claim fails. */
  for (uint32_t i = 0; i < count; i++)
    out[i] = atomic_load_explicit(slot + i, memory_order_relaxed);
  /* release [bwos_fifo.claim]: the reads stay before the claim.  relaxed on failure: nothing was
   * learnt. */
  if (!atomic_compare_exchange_strong_explicit(td_bwos_fifo_shared(q, number), &word, word + count,
                                               TD_ORDER(bwos_fifo, claim, release),
                                               memory_order_relaxed))
    return -1;
  return (int32_t)count;
}

/* Steal, looking first at the granted block that `choice` (any number) selects. */
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
        atomic_load_explicit(td_bwos_fifo_shared(q, number), TD_ORDER(bwos_fifo, see, acquire));
    if (td_bwos_index(word) < td_bwos_limit(word))
      return td_bwos_fifo_claim(q, number, word, out, max);
  }
  return 0;
}

static inline int32_t td_bwos_fifo_steal(struct td_bwos_fifo *q, uint64_t *out, uint32_t max) {
  /* relaxed, both: any number will do, two thieves with the same one as well. */
  uint64_t turn = atomic_load_explicit(&q->turn, memory_order_relaxed);
  atomic_store_explicit(&q->turn, turn + TD_BWOS_FIFO_LOOKS, memory_order_relaxed);
  return td_bwos_fifo_steal_from(q, out, max, turn);
}

static inline void td_bwos_fifo_want(struct td_bwos_fifo *q) {
  /* relaxed, both: a wish orders nothing.  Looked at first, so that the owner keeps the line. */
  if (atomic_load_explicit(&q->want, memory_order_relaxed) == 0)
    atomic_store_explicit(&q->want, 1u, memory_order_relaxed);
}

static inline bool td_bwos_fifo_wanted(struct td_bwos_fifo const *q) {
  /* relaxed: as above. */
  return atomic_load_explicit(&q->want, memory_order_relaxed) != 0;
}

/* Ends the put block early.  Where it is the get block too, the owner keeps the older half, which
 * it is about to get, and thieves may have the rest. */
TD_SLOW_PATH void td_bwos_fifo_grant_now(struct td_bwos_fifo *q, struct td_bwos_fifo_owner *o) {
  _Atomic(uint64_t) *begin = td_bwos_fifo_slot(q, o->last, 0);
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
  _Atomic(uint64_t) *begin = o->first == o->last ? o->out : o->in_end - q->entries;
  if (o->in - begin < 2 || !td_bwos_fifo_has_next(q, o)) return;
  TD_ON_COPY(struct td_bwos_fifo_owner, o, copy, td_bwos_fifo_grant_now(q, copy));
}

static inline uint64_t td_bwos_fifo_size(struct td_bwos_fifo const *q) {
  /* relaxed, both: an estimate. */
  uint64_t first = atomic_load_explicit(&q->first, memory_order_relaxed);
  uint64_t last = atomic_load_explicit(&q->last, memory_order_relaxed);
  return last > first + 1 ? (last - first - 1) * q->entries : 0;
}

#endif
