/* The inside of `tidemark queue`: what is asked for, and the cells that are measured.
 *
 * A cell is one row of the result: an experiment, a queue, and their parameters. Cells are measured
 * in rounds, in each of which every cell runs once, beginning one cell later than in the last. A
 * cell's ratio is taken round by round to its base cell. */
#ifndef TD_BENCH_QUEUE_BENCH_H
#define TD_BENCH_QUEUE_BENCH_H

#include <stddef.h>
#include <stdint.h>

#include "bench/cli/args.h"
#include "bench/cli/host.h"
#include "bench/cli/samples.h"
#include "bench/queue/kind.h"
#include "bench/threads/cpus.h"
#include "marker/queue/policy.h"

#define TD_QUEUE_NO_BASE SIZE_MAX

/* Most items that a thief takes at once. */
#define TD_QUEUE_BATCH_MAX 32u

struct td_queue_bench;
struct td_queue_cell;

/* What one run of a cell gave. */
struct td_queue_result {
  double ns, operations; /* operations: those of the threads that the cell is about */
  double stolen_percent; /* of the items put; NAN if nobody steals */
  double events;         /* what the second thread did to the first; NAN if there is none */
  bool disturbed;
};

/* Runs the cell's work once. 0, or an exit status after saying what went wrong. */
typedef int td_queue_cell_run(struct td_queue_bench *bench, const struct td_queue_cell *cell,
                              struct td_queue_result *result);

struct td_queue_cell {
  /* What it is; absent numbers are NAN, absent texts NULL. */
  const char *pattern;
  const struct td_queue_kind *kind; /* NULL: no queue */
  unsigned threads;
  bool has_cursor;
  enum td_queue_cursor cursor;
  double stolen_wanted, balance;
  bool has_policy;
  enum td_policy_kind policy, policy_in_force;
  double frequency; /* events wanted per second; 0: none, infinite: as many as possible */
  td_queue_cell_run *run;
  size_t base;      /* its mops are 1 */
  size_t base_same; /* the ceiling with the cursor in the same place */

  /* How it went. */
  uint64_t work;                          /* rounds of the loop per run, see calibration */
  double best_ns;                         /* the shortest run */
  unsigned discarded;                     /* runs */
  struct td_samples mops, stolen, events; /* one per round; NAN: no undisturbed run */
};

enum td_queue_experiment {
  TD_QUEUE_SINGLE,
  TD_QUEUE_STOLEN,
  TD_QUEUE_POOL,
  TD_QUEUE_INTERFERENCE,
};

struct td_queue_bench {
  /* Asked for. */
  enum td_queue_experiment experiment;
  const char *experiment_name;
  const struct td_queue_kind *kinds[TD_LIST_MAX];
  size_t kind_count;
  const char *patterns[TD_LIST_MAX];
  size_t pattern_count;
  double stolen[TD_LIST_MAX];
  size_t stolen_count;
  double balance[TD_LIST_MAX];
  size_t balance_count;
  enum td_policy_kind policies[TD_LIST_MAX];
  size_t policy_count;
  double frequencies[TD_LIST_MAX];
  size_t frequency_count;
  unsigned threads, rounds;
  uint32_t blocks, entries, fill, batch;
  double run_ns;

  /* Found and made. */
  struct td_host host;
  struct td_cpus cpus;
  void **states, **storages; /* [threads] */
  size_t state_bytes, storage_bytes;
  struct td_queue_cell *cells;
  size_t cell_count, cell_capacity;
};

/* Appends a cell with everything absent but its base, which is none. NULL: no memory. */
struct td_queue_cell *td_queue_cell_add(struct td_queue_bench *bench);

/* Memory for `threads` queues of any of the kinds. 0 or an exit status after saying why. */
int td_queue_bench_allocate(struct td_queue_bench *bench);
/* Measures all cells. 0 or an exit status after saying why. */
int td_queue_bench_measure(struct td_queue_bench *bench);
void td_queue_bench_free(struct td_queue_bench *bench);

/* A new, empty queue of the kind in place `thread`. */
void *td_queue_bench_init(struct td_queue_bench *bench, const struct td_queue_kind *kind,
                          unsigned thread);

/* What came out must be what went in. 0, or TD_EXIT_CHECK after saying so. */
int td_queue_check(const struct td_queue_cell *cell, struct td_queue_tally in,
                   struct td_queue_tally out);

/* Of the rounds in which both the cell and the base have a sample. */
struct td_summary td_queue_ratio(const struct td_queue_bench *bench,
                                 const struct td_queue_cell *cell, size_t base);

#endif
