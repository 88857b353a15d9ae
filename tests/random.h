/* SPDX-License-Identifier: MIT */
/* Random numbers that are the same each time. */
#ifndef TD_TESTS_RANDOM_H
#define TD_TESTS_RANDOM_H

#include <stdint.h>

/* xorshift32. The state is never 0. */
static inline uint32_t random_next(uint32_t *state) {
  uint32_t x = *state;
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  return *state = x;
}

#endif
