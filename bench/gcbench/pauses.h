/* SPDX-License-Identifier: MIT */
/* How long the world stood still: pauses counted by powers of two. The programs of the collectors
 * fill such tables, and tidemark draws them. */
#ifndef TD_BENCH_GCBENCH_PAUSES_H
#define TD_BENCH_GCBENCH_PAUSES_H

#include <stdint.h>

/* Bucket i has the pauses of [2^i, 2^(i+1)) µs, the first one all shorter pauses, too, and the last
 * one all longer ones. */
#define TD_PAUSE_BUCKETS 24u
#define TD_STOPS 10u /* of a collection that marks beside the program, at most */
struct td_pauses {
  uint64_t young[TD_PAUSE_BUCKETS], full[TD_PAUSE_BUCKETS];
  uint64_t stop_ns[TD_STOPS]; /* the longest first stop of a collection, second one, … */
};

/* The 50th and the 99th percentile, and the longest; 0 if there was none. */
struct td_pause_lengths {
  uint64_t p50_ns, p99_ns, max_ns;
};

static inline unsigned td_pause_bucket(uint64_t pause_ns) {
  uint64_t us = pause_ns / 1000;
  unsigned bucket = us ? 63u - (unsigned)__builtin_clzll(us) : 0;
  return bucket < TD_PAUSE_BUCKETS ? bucket : TD_PAUSE_BUCKETS - 1;
}

#endif
