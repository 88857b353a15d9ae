/* SPDX-License-Identifier: MIT */
/* What `tidemark queue` was asked for, and the cells that it measures.
 *
 * A cell is one row of the result: an experiment, a queue and their parameters. Cells are measured
 * in rounds. In each round every cell runs once, and each round begins one cell later than the
 * last. A cell's ratio is taken round by round to its base cell. */
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

/* What one run of a cell found. */
struct td_queue_result {
  double ns, operations; /* operations are those of the threads that the cell is about */
  double stolen; /* percent of the items put, in forkjoin tasks a tree; NAN: nobody steals */
  double events; /* what the second thread did to the first; NAN if there is none */
  bool disturbed;
};

/* Runs the cell's work once. Returns 0, or an exit status after saying what went wrong. */
typedef int td_queue_cell_run(struct td_queue_bench *bench, const struct td_queue_cell *cell,
                              struct td_queue_result *result);

struct td_queue_cell {
  /* What is measured. Absent numbers are NAN, absent texts NULL. */
  const char *pattern;
  const struct td_queue_kind *kind; /* NULL: no queue */
  unsigned threads;
  bool has_cursor;
  enum td_queue_cursor cursor;
  double stolen_wanted, balance;
  const struct td_policy_kind *policy, *policy_in_force; /* NULL: it has none */
  uint32_t batch;   /* most items that a thief takes at once; 0: there is no thief with a choice */
  double frequency; /* events wanted per second; 0: none; infinite: as many as possible */
  double task_ns;   /* of forkjoin: work in each task */
  td_queue_cell_run *run;
  size_t base;      /* the cell that ratios are taken to */
  size_t base_same; /* the ceiling with its cursor in the same place */

  /* What was measured. */
  uint64_t work;                          /* rounds of the loop in a run, from calibrating */
  double best_ns;                         /* of the shortest run */
  unsigned discarded;                     /* runs */
  struct td_samples mops, stolen, events; /* one per round; NAN: no undisturbed run */
};

enum td_queue_experiment {
  TD_QUEUE_SINGLE,
  TD_QUEUE_STOLEN,
  TD_QUEUE_POOL,
  TD_QUEUE_INTERFERENCE,
  TD_QUEUE_FORKJOIN,
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
  const struct td_policy_kind *policies[TD_LIST_MAX];
  size_t policy_count;
  double frequencies[TD_LIST_MAX];
  size_t frequency_count;
  double tasks[TD_LIST_MAX]; /* nanoseconds */
  size_t task_count;
  unsigned threads, rounds, depth;
  uint32_t batches[TD_LIST_MAX];
  size_t batch_count;
  uint32_t blocks, entries, fill;
  double run_ns;

  /* Found and made. */
  struct td_host host;
  struct td_cpus cpus;
  void **states, **storages; /* [threads] */
  size_t state_bytes, storage_bytes;
  double step_ns; /* of work in forkjoin */
  struct td_queue_cell *cells;
  size_t cell_count, cell_capacity;
};

/* Appends a cell in which everything is absent, and which has no base. Returns NULL without memory.
 */
struct td_queue_cell *td_queue_cell_add(struct td_queue_bench *bench);

/* Allocates memory for `threads` queues of any of the kinds. Returns 0, or an exit status after
 * saying why not. */
int td_queue_bench_allocate(struct td_queue_bench *bench);
/* Measures all cells. Returns 0, or an exit status after saying why not. */
int td_queue_bench_measure(struct td_queue_bench *bench);
void td_queue_bench_free(struct td_queue_bench *bench);

/* Makes a new, empty queue of the kind, number `thread`, and returns its state. */
void *td_queue_bench_init(struct td_queue_bench *bench, const struct td_queue_kind *kind,
                          unsigned thread);

/* Checks that what came out of the queue is what went in. Returns 0, or TD_EXIT_CHECK after saying
 * that it is not. */
int td_queue_check(const struct td_queue_cell *cell, struct td_queue_tally in,
                   struct td_queue_tally out);

/* Summarises the ratio to the base over the rounds in which both have a sample. */
struct td_summary td_queue_ratio(const struct td_queue_bench *bench,
                                 const struct td_queue_cell *cell, size_t base);

#endif
