/* SPDX-License-Identifier: MIT */
/* The oracle: marking for which somebody else has found out what to mark.
 *
 * A tape is replayed. Each touch sets a mark byte, of which there is one per granule as in the
 * heap, and what comes some touches later is prefetched; how many, was tried out before. Several
 * threads share a tape piece by piece. A marker must touch the same lines, but has to find them.
 * The oracle has to read its tape instead, so where memory is not the bottleneck a marker may be as
 * fast, or a little faster. */
#ifndef TD_BENCH_LIMIT_ORACLE_H
#define TD_BENCH_LIMIT_ORACLE_H

#include "bench/cli/samples.h"
#include "bench/limit/tape.h"
#include "bench/threads/cpus.h"

#define TD_ORACLE_COUNTS 64u

struct td_oracle_times {
  unsigned threads;
  struct td_samples ns[TD_TAPE_ORDERS]; /* of a whole replay, one per round */
};

struct td_oracle {
  struct td_tapes tapes;
  const struct td_cpus *cpus;
  uint8_t *marks; /* [tapes.granules] */
  uint8_t value;  /* the mark of the last replay */
  unsigned ahead[TD_TAPE_ORDERS];
  struct td_oracle_times times[TD_ORACLE_COUNTS];
  size_t times_count;
};

/* Prepares replays with each of these numbers of threads, as far as there are CPUs. `cpus` must
 * outlive the oracle. All functions return 0, or an exit status after saying why not. */
int td_oracle_init(struct td_oracle *oracle, const struct td_graph_spec *spec,
                   const struct td_places *places, const struct td_cpus *cpus,
                   const unsigned *threads, size_t count);
/* Does every replay once. */
int td_oracle_round(struct td_oracle *oracle);
/* Frees all but the times: there are no more rounds. */
void td_oracle_end(struct td_oracle *oracle);
/* An all-zero oracle is fine. */
void td_oracle_free(struct td_oracle *oracle);

/* Returns the times of the faster order with `markers` threads, or with one per CPU if there are
 * fewer CPUs. Returns NULL if the oracle has had no rounds. */
const struct td_samples *td_oracle_best(const struct td_oracle *oracle, unsigned markers,
                                        enum td_tape_order *order);
/* Returns those of the replay of a marker's own touches. */
const struct td_samples *td_oracle_replay(const struct td_oracle *oracle, unsigned markers);

#endif
