/* SPDX-License-Identifier: MIT */
/* Tight loops, with a poll in every turn, every few turns, or none: the least that polling may
 * be compared with. Each function is compiled by itself, so that a loop looks as an embedder's
 * would.
 *   sum   adds up an array: a turn is a part of a cycle, and without a poll several turns are
 *         done at once by vector instructions
 *   mix   hashes an array, each turn waiting for the one before: four cycles or so
 *   walk  follows a list of collected objects whose memory is in the cache */
#ifndef TD_TESTS_COST_LOOPS_H
#define TD_TESTS_COST_LOOPS_H

#include <stddef.h>
#include <stdint.h>

#include "tide/tide.h"

#if __has_attribute(noipa)
#define ALONE __attribute__((noinline, noipa, unused))
#else
#define ALONE __attribute__((noinline, unused))
#endif
/* A call with the same arguments may not be taken for the same result. */
#define FRESH __asm__ volatile("" ::: "memory")

struct link {
  struct link *next;
  uint64_t value;
};

#define SUM_TURN(i) result += at[i]
#define MIX_TURN(i) result = (result ^ at[i]) * UINT64_C(0x9e3779b97f4a7c15)

/* The third is what docs/embedding.md advises: an inner loop of `strip` turns between two polls. */
#define LOOPS(kind, TURN)                                                                          \
  static ALONE uint64_t kind##_plain(struct tide_mutator *m, const uint64_t *at, size_t count) {   \
    uint64_t result = 0;                                                                           \
    FRESH;                                                                                         \
    (void)m;                                                                                       \
    for (size_t i = 0; i < count; i++)                                                             \
      TURN(i);                                                                                     \
    return result;                                                                                 \
  }                                                                                                \
  static ALONE uint64_t kind##_polled(struct tide_mutator *m, const uint64_t *at, size_t count) {  \
    uint64_t result = 0;                                                                           \
    FRESH;                                                                                         \
    for (size_t i = 0; i < count; i++) {                                                           \
      TURN(i);                                                                                     \
      tide_safepoint(m);                                                                           \
    }                                                                                              \
    return result;                                                                                 \
  }                                                                                                \
  static ALONE uint64_t kind##_strip(struct tide_mutator *m, const uint64_t *at, size_t count,     \
                                     size_t strip) {                                               \
    uint64_t result = 0;                                                                           \
    FRESH;                                                                                         \
    for (size_t i = 0; i < count;) {                                                               \
      size_t end = count - i < strip ? count : i + strip;                                          \
      for (; i < end; i++)                                                                         \
        TURN(i);                                                                                   \
      tide_safepoint(m);                                                                           \
    }                                                                                              \
    return result;                                                                                 \
  }
LOOPS(sum, SUM_TURN)
LOOPS(mix, MIX_TURN)

static ALONE uint64_t walk_plain(struct tide_mutator *m, const struct link *at) {
  uint64_t result = 0;
  FRESH;
  (void)m;
  for (; at; at = at->next)
    result += at->value;
  return result;
}

static ALONE uint64_t walk_polled(struct tide_mutator *m, const struct link *at) {
  uint64_t result = 0;
  FRESH;
  for (; at; at = at->next) {
    result += at->value;
    tide_safepoint(m);
  }
  return result;
}

#endif
