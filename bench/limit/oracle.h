/* The oracle: marking without having to find out what to mark.
 *
 * A tape is replayed with a mark byte per granule, as the heap has them, and everything fetched a
 * number of touches ahead that was tried out before. Several threads share a tape piece by piece.
 * A marker must touch the same lines and find them out; it does not have to read a tape, so where
 * memory is not what takes the time it may come out even, or a little below. */
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
  uint8_t value;  /* stored last */
  unsigned ahead[TD_TAPE_ORDERS];
  struct td_oracle_times times[TD_ORACLE_COUNTS];
  size_t times_count;
};

/* For replays with each of these numbers of threads, as far as there are CPUs. The cpus outlives
 * the oracle. Functions return 0 or an exit status after saying why. */
int td_oracle_init(struct td_oracle *oracle, const struct td_graph_spec *spec,
                   const struct td_places *places, const struct td_cpus *cpus,
                   const unsigned *threads, size_t count);
/* Every replay once. */
int td_oracle_round(struct td_oracle *oracle);
/* No more rounds: only the times stay. */
void td_oracle_end(struct td_oracle *oracle);
/* An all-zero oracle is fine. */
void td_oracle_free(struct td_oracle *oracle);

/* The faster order's times with as many threads as there are CPUs for, at most so many. NULL: an
 * oracle without rounds. */
const struct td_samples *td_oracle_best(const struct td_oracle *oracle, unsigned markers,
                                        enum td_tape_order *order);

#endif
