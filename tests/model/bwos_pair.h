/* The queue of tide/bwos.h in the form that shares by itself, with items of two words, as a queue
 * of the contract: for the checkers. What a thief or the owner takes is whole. */
#ifndef TD_TESTS_MODEL_BWOS_PAIR_H
#define TD_TESTS_MODEL_BWOS_PAIR_H

#include "marker/queue/contract.h"
#include "tide/bwos.h"

/* The most items that a scenario steals at once. */
#define BWOS_PAIR_BATCH 4

struct bwos_pair {
  uint64_t item, negated;
};
TIDE_BWOS_DEFINE(bwos_pairs, struct bwos_pair);

struct td_bwos_pair {
  struct bwos_pairs pairs;
};

struct td_bwos_pair_owner {
  struct bwos_pairs_owner own;
};

static inline size_t td_bwos_pair_storage_bytes(uint32_t blocks, uint32_t entries) {
  return bwos_pairs_storage_bytes(blocks, entries);
}

static inline void td_bwos_pair_init(struct td_bwos_pair *q, struct td_bwos_pair_owner *o,
                                     void *storage, uint32_t blocks, uint32_t entries) {
  const char *wrong = bwos_pairs_make(&q->pairs, &o->own, storage, SIZE_MAX, blocks, entries);
  MODEL_ASSERT(!wrong);
}

static inline uint64_t bwos_pair_whole(struct bwos_pair const *pair) {
  MODEL_ASSERT(pair->negated == ~pair->item);
  return pair->item;
}

static inline bool td_bwos_pair_put(struct td_bwos_pair *q, struct td_bwos_pair_owner *o,
                                    uint64_t item) {
  struct bwos_pair pair;
  pair.item = item;
  pair.negated = ~item;
  return bwos_pairs_put(&q->pairs, &o->own, pair);
}

static inline uint64_t td_bwos_pair_get(struct td_bwos_pair *q, struct td_bwos_pair_owner *o) {
  struct bwos_pair pair;
  return bwos_pairs_get(&q->pairs, &o->own, &pair) ? bwos_pair_whole(&pair) : 0;
}

static inline int32_t td_bwos_pair_steal(struct td_bwos_pair *q, uint64_t *out, uint32_t max) {
  struct bwos_pair pairs[BWOS_PAIR_BATCH];
  int32_t taken = bwos_pairs_steal(&q->pairs, pairs, max);
  for (int32_t i = 0; i < taken; i++)
    out[i] = bwos_pair_whole(&pairs[i]);
  return taken;
}

static inline void td_bwos_pair_want(struct td_bwos_pair *q) {
  bwos_pairs_want(&q->pairs);
}

static inline bool td_bwos_pair_wanted(struct td_bwos_pair const *q) {
  return bwos_pairs_wanted(&q->pairs);
}

static inline void td_bwos_pair_grant(struct td_bwos_pair *q, struct td_bwos_pair_owner *o) {
  bwos_pairs_grant(&q->pairs, &o->own);
}

TD_QUEUE_BOUNDED(bwos_pair);
TD_QUEUE_BY_ITSELF(bwos_pair);

#endif
