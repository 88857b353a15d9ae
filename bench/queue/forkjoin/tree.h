/* SPDX-License-Identifier: MIT */
/* A tree of tasks for fork-join: a task of depth d works for a while, spawns tasks of depths 0 to
 * d - 1 and waits for them. So a tree of depth d has 2^d tasks, all but one of them spawned. */
#ifndef TD_BENCH_QUEUE_FORKJOIN_TREE_H
#define TD_BENCH_QUEUE_FORKJOIN_TREE_H

#include <stdint.h>

#define TD_TREE_DEPTH_MAX 24u

/* A task's work: `steps` steps of a chain that no compiler and no processor can shorten. */
static inline void td_tree_work(uint64_t steps) {
  uint64_t x = steps;
  for (uint64_t i = 0; i < steps; i++) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    __asm__ volatile("" : "+r"(x));
  }
}

#endif
