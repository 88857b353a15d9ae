/* SPDX-License-Identifier: MIT */
/* The workloads of `tidemark gcbench`. docs/benching.md says what each does and why.
 *
 * The work is cut into `mutators` equal shares that have no objects in common. The long-lived data
 * of the trees belongs to share 0. A share's checksum depends on its parameters only, so equal sums
 * show that every allocator did the same work. */
#ifndef TD_BENCH_GCBENCH_CHILD_WORK_H
#define TD_BENCH_GCBENCH_CHILD_WORK_H

#include TD_GCBENCH_MEMORY

struct gcbench_share {
  unsigned number, mutators;
  unsigned depth;      /* of the trees */
  uint64_t operations; /* of the other workloads, all shares together */
  uint64_t live_bytes; /* --live, all shares together */
  uint64_t run_ns;     /* of latency: how long operations are measured */
  uint64_t rate;       /* of latency: operations a second, all shares together; 0: all that fit */
};

typedef uint64_t (*gcbench_work)(struct memory *memory, const struct gcbench_share *share);

uint64_t gcbench_work_gcbench(struct memory *memory, const struct gcbench_share *share);
uint64_t gcbench_work_binary_trees(struct memory *memory, const struct gcbench_share *share);
uint64_t gcbench_work_lru(struct memory *memory, const struct gcbench_share *share);
uint64_t gcbench_work_strings(struct memory *memory, const struct gcbench_share *share);
uint64_t gcbench_work_service(struct memory *memory, const struct gcbench_share *share);
uint64_t gcbench_work_interp(struct memory *memory, const struct gcbench_share *share);
uint64_t gcbench_work_mutate(struct memory *memory, const struct gcbench_share *share);
uint64_t gcbench_work_latency(struct memory *memory, const struct gcbench_share *share);

/* Returns how many of `count` equal pieces of work belong to this share. Pieces are dealt out in
 * turn. */
static inline uint64_t gcbench_part(const struct gcbench_share *share, uint64_t count) {
  return count / share->mutators + (share->number < count % share->mutators);
}

/* xorshift64 (Marsaglia, Xorshift RNGs, 2003). */
static inline uint64_t gcbench_random(uint64_t *state) {
  uint64_t x = *state;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  return *state = x;
}

/* Returns a random number in [0, bound), from the upper half of the state, by multiplication. */
static inline uint32_t gcbench_below(uint64_t *state, uint32_t bound) {
  return (uint32_t)((gcbench_random(state) >> 32) * bound >> 32);
}

static inline uint64_t gcbench_seed(const struct gcbench_share *share) {
  return UINT64_C(0x9e3779b97f4a7c15) * (share->number + 1);
}

#endif
