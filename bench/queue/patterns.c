/* SPDX-License-Identifier: MIT */
#include "bench/queue/patterns.h"

#define CYCLE 6u
#define WAY 768u /* steps up, and as many down, 256 items apart */
#define RANDOM_STEPS 65536u

const struct td_queue_steps *td_queue_steps_predictable(void) {
  /* A cycle up puts two items more than it gets, a cycle down two fewer. */
  static const uint8_t up[CYCLE] = {3, 0, 2, 1, 0, 2}, down[CYCLE] = {2, 0, 1, 0, 1, 0};
  static uint8_t children[2 * WAY];
  static const struct td_queue_steps steps = {
      .children = children, .count = 2 * WAY, .depth = TD_QUEUE_PATTERN_DEPTH / 4};
  for (size_t i = 0; i < WAY; i++) {
    children[i] = up[i % CYCLE];
    children[WAY + i] = down[i % CYCLE];
  }
  return &steps;
}

/* Returns how many children the next object has, so that `left` further steps suffice to come back
 * to the depth `home`. */
static uint8_t step(uint32_t dice, uint32_t depth, uint32_t home, size_t left) {
  static const uint8_t children[8] = {0, 0, 0, 1, 1, 1, 2, 3}; /* 1 on average */
  uint8_t n = children[dice >> 29];
  if (depth <= 1 && n == 0) n = 1;
  if (depth + 2 >= TD_QUEUE_PATTERN_DEPTH) n = 0;
  /* A step goes down by one at most. Up could be quicker, but need not be. */
  if (depth > home && depth - home + 3 >= left) n = 0;
  if (depth < home && home - depth + 3 >= left) n = 2;
  if (left <= 4 && depth == home) n = 1;
  return n;
}

const struct td_queue_steps *td_queue_steps_random(void) {
  static uint8_t children[RANDOM_STEPS];
  static const struct td_queue_steps steps = {
      .children = children, .count = RANDOM_STEPS, .depth = TD_QUEUE_PATTERN_DEPTH / 4};
  uint32_t x = 2463534242u, depth = steps.depth;
  for (size_t i = 0; i < RANDOM_STEPS; i++) {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    children[i] = step(x, depth, steps.depth, RANDOM_STEPS - i);
    depth = depth - 1 + children[i];
  }
  return &steps;
}
