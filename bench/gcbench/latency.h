/* SPDX-License-Identifier: MIT */
/* How long operations took, in nanoseconds, as a histogram: exact below 128, and 64 buckets for
 * each power of two above, so that no value is off by more than a 64th. The programs of the
 * collectors fill it, and tidemark reads percentiles off it. */
#ifndef TD_BENCH_GCBENCH_LATENCY_H
#define TD_BENCH_GCBENCH_LATENCY_H

#include <stdint.h>

#define TD_LATENCY_PARTS 64u                        /* of a power of two */
#define TD_LATENCY_BUCKETS (59u * TD_LATENCY_PARTS) /* that of UINT64_MAX is the last */

struct td_latency {
  uint64_t max_ns;
  uint64_t own_max_ns; /* without what a host took (child/halts.h); 0 if nobody asked */
  uint64_t count[TD_LATENCY_BUCKETS];
};

static inline unsigned td_latency_bucket(uint64_t ns) {
  unsigned shift = ns < 2 * TD_LATENCY_PARTS ? 0 : 57u - (unsigned)__builtin_clzll(ns);
  return shift * TD_LATENCY_PARTS + (unsigned)(ns >> shift);
}

/* Returns the longest time that a bucket counts. */
static inline uint64_t td_latency_longest(unsigned bucket) {
  if (bucket < 2 * TD_LATENCY_PARTS) return bucket;
  unsigned shift = bucket / TD_LATENCY_PARTS - 1;
  uint64_t next = bucket % TD_LATENCY_PARTS + TD_LATENCY_PARTS + 1;
  return (next << shift) - 1;
}

static inline void td_latency_add(struct td_latency *latency, uint64_t ns) {
  if (ns > latency->max_ns) latency->max_ns = ns;
  latency->count[td_latency_bucket(ns)]++;
}

static inline void td_latency_add_own(struct td_latency *latency, uint64_t ns) {
  if (ns > latency->own_max_ns) latency->own_max_ns = ns;
}

static inline void td_latency_merge(struct td_latency *into, const struct td_latency *from) {
  if (from->max_ns > into->max_ns) into->max_ns = from->max_ns;
  td_latency_add_own(into, from->own_max_ns);
  for (unsigned i = 0; i < TD_LATENCY_BUCKETS; i++)
    into->count[i] += from->count[i];
}

static inline uint64_t td_latency_count(const struct td_latency *latency) {
  uint64_t count = 0;
  for (unsigned i = 0; i < TD_LATENCY_BUCKETS; i++)
    count += latency->count[i];
  return count;
}

/* Returns a time that all operations but `beyond` did not exceed; 0 if there was none. */
static inline uint64_t td_latency_all_but(const struct td_latency *latency, uint64_t beyond) {
  uint64_t longer = 0;
  for (unsigned i = TD_LATENCY_BUCKETS; i-- > 0;) {
    longer += latency->count[i];
    if (longer <= beyond) continue;
    uint64_t ns = td_latency_longest(i);
    return ns < latency->max_ns ? ns : latency->max_ns;
  }
  return 0;
}

#endif
