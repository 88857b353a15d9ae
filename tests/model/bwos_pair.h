/* SPDX-License-Identifier: MIT */
/* The queue of tide/bwos.h in the form that shares by itself, with items of two words, as a queue
 * of the contract: for the checkers. What a thief or the owner takes is whole. */
#ifndef TD_TESTS_MODEL_BWOS_PAIR_H
#define TD_TESTS_MODEL_BWOS_PAIR_H

#include "marker/queue/contract.h"
#include "tide/bwos.h"

#ifndef BWOS_PAIR_QUEUE
#define BWOS_PAIR_QUEUE bwos_pair
#define BWOS_PAIR(name) td_bwos_pair##name
#define BWOS_PAIR_DEFINE TIDE_BWOS_DEFINE
#endif

/* The most items that a scenario steals at once. */
#define BWOS_PAIR_BATCH 4

struct bwos_pair {
  uint64_t item, negated;
};
BWOS_PAIR_DEFINE(bwos_pairs, struct bwos_pair);

struct BWOS_PAIR() {
  struct bwos_pairs pairs;
};

struct BWOS_PAIR(_owner) {
  struct bwos_pairs_owner own;
};

static inline size_t BWOS_PAIR(_storage_bytes)(uint32_t blocks, uint32_t entries) {
  return bwos_pairs_storage_bytes(blocks, entries);
}

static inline void BWOS_PAIR(_init)(struct BWOS_PAIR() * q, struct BWOS_PAIR(_owner) * o,
                                    void *storage, uint32_t blocks, uint32_t entries) {
  const char *wrong = bwos_pairs_make(&q->pairs, &o->own, storage, SIZE_MAX, blocks, entries);
  MODEL_ASSERT(!wrong);
}

static inline uint64_t bwos_pair_whole(struct bwos_pair const *pair) {
  MODEL_ASSERT(pair->negated == ~pair->item);
  return pair->item;
}

static inline bool BWOS_PAIR(_put)(struct BWOS_PAIR() * q, struct BWOS_PAIR(_owner) * o,
                                   uint64_t item) {
  struct bwos_pair pair;
  pair.item = item;
  pair.negated = ~item;
  return bwos_pairs_put(&q->pairs, &o->own, pair);
}

static inline uint64_t BWOS_PAIR(_get)(struct BWOS_PAIR() * q, struct BWOS_PAIR(_owner) * o) {
  struct bwos_pair pair;
  return bwos_pairs_get(&q->pairs, &o->own, &pair) ? bwos_pair_whole(&pair) : 0;
}

static inline int32_t BWOS_PAIR(_steal)(struct BWOS_PAIR() * q, uint64_t *out, uint32_t max) {
  struct bwos_pair pairs[BWOS_PAIR_BATCH];
  int32_t taken = bwos_pairs_steal(&q->pairs, pairs, max);
  for (int32_t i = 0; i < taken; i++)
    out[i] = bwos_pair_whole(&pairs[i]);
  return taken;
}

static inline void BWOS_PAIR(_want)(struct BWOS_PAIR() * q) {
  bwos_pairs_want(&q->pairs);
}

static inline bool BWOS_PAIR(_wanted)(struct BWOS_PAIR() const *q) {
  return bwos_pairs_wanted(&q->pairs);
}

static inline void BWOS_PAIR(_grant)(struct BWOS_PAIR() * q, struct BWOS_PAIR(_owner) * o) {
  bwos_pairs_grant(&q->pairs, &o->own);
}

/* Its parameter is expanded before the names are pasted. */
#define BWOS_PAIR_REST(Q)                                                                          \
  TD_QUEUE_BOUNDED(Q);                                                                             \
  TD_QUEUE_BY_ITSELF(Q)
BWOS_PAIR_REST(BWOS_PAIR_QUEUE);

#endif
