/* SPDX-License-Identifier: MIT */
/* Random numbers for graphs: xorshift32 with shifts 13, 17, 5 (Marsaglia, Xorshift RNGs, 2003). */
#ifndef TD_WORKLOADS_RANDOM_H
#define TD_WORKLOADS_RANDOM_H

#include <stdint.h>

struct td_random {
  uint32_t state;
};

static inline struct td_random td_random_start(void) {
  return (struct td_random){UINT32_C(2463534242)};
}

static inline uint32_t td_random_next(struct td_random *random) {
  uint32_t x = random->state;
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  random->state = x;
  return x;
}

static inline uint32_t td_random_below(struct td_random *random, uint64_t n) {
  return (uint32_t)(td_random_next(random) % n);
}

/* Returns the numbers below count, shuffled by Fisher-Yates from the top, in malloc'ed memory;
 * NULL where there is none. */
uint32_t *td_random_permutation(struct td_random *random, uint64_t count);

#endif
