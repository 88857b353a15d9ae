/* SPDX-License-Identifier: MIT */
#include "bench/queue/forkjoin/forkjoin.h"

#include <math.h>
#include <sys/resource.h>

#include "bench/cli/complain.h"
#include "bench/queue/forkjoin/run.h"
#include "bench/queue/forkjoin/tbb.h"
#include "bench/queue/forkjoin/tree.h"
#include "bench/threads/crew.h"

#define CALIBRATION_STEPS UINT64_C(1000000)
#define CALIBRATION_RUNS 5u

/* Nanoseconds of a step of work. What disturbs a run makes it longer: the shortest counts. */
static double measure_step(void) {
  uint64_t least = UINT64_MAX;
  for (unsigned i = 0; i < CALIBRATION_RUNS; i++) {
    uint64_t start = td_now_ns();
    td_tree_work(CALIBRATION_STEPS);
    uint64_t took = td_now_ns() - start;
    if (took < least) least = took;
  }
  return (double)(least ? least : 1) / (double)CALIBRATION_STEPS;
}

static int check(const struct td_queue_cell *cell, const struct td_queue_result *result,
                 uint64_t done) {
  if ((double)done == result->operations) return TD_EXIT_OK;
  return td_complain(TD_EXIT_CHECK, "queue: %s: of %.0f tasks %llu came back", cell->kind->name,
                     result->operations, (unsigned long long)done);
}

static struct td_forkjoin job_of(const struct td_queue_bench *bench,
                                 const struct td_queue_cell *cell) {
  return (struct td_forkjoin){.states = bench->states,
                              .threads = cell->threads,
                              .depth = bench->depth,
                              .is_crowded = cell->threads > bench->cpus.count,
                              .steps = (uint64_t)(cell->task_ns / bench->step_ns),
                              .trees = cell->work};
}

struct crew_context {
  const struct td_queue_kind *kind;
  struct td_forkjoin *job;
};

static void take_part(void *context, unsigned thread) {
  struct crew_context *crew = context;
  crew->kind->fork_join(crew->job, thread);
}

static int run(struct td_queue_bench *bench, const struct td_queue_cell *cell,
               struct td_queue_result *result) {
  struct td_forkjoin job = job_of(bench, cell);
  *result = (struct td_queue_result){.operations = ldexp((double)job.trees, (int)job.depth),
                                     .events = NAN};
  for (unsigned i = 0; i < cell->threads; i++)
    td_queue_bench_init(bench, cell->kind, i);
  struct crew_context crew = {cell->kind, &job};
  if (!td_crew_run(&bench->cpus, cell->threads, take_part, &crew, &result->disturbed))
    return td_complain(TD_EXIT_RESOURCES, "queue: cannot start %u threads", cell->threads);
  if (job.is_crowded) result->disturbed = false; /* they are meant to lose their CPUs */
  result->ns = (double)job.ns;
  /* relaxed: all threads have been joined. */
  result->stolen =
      (double)atomic_load_explicit(&job.stolen, memory_order_relaxed) / (double)job.trees;
  return check(cell, result, job.done);
}

static int run_tbb(struct td_queue_bench *bench, const struct td_queue_cell *cell,
                   struct td_queue_result *result) {
  struct td_forkjoin job = job_of(bench, cell);
  *result = (struct td_queue_result){
      .operations = ldexp((double)job.trees, (int)job.depth), .stolen = NAN, .events = NAN};
  struct rusage before, after;
  bool known = getrusage(RUSAGE_SELF, &before) == 0;
  job.done = td_forkjoin_tbb_run(job.threads, job.depth, job.steps, job.trees, &job.ns);
  known = getrusage(RUSAGE_SELF, &after) == 0 && known;
  result->disturbed = known && !job.is_crowded && after.ru_nivcsw != before.ru_nivcsw;
  result->ns = (double)job.ns;
  return check(cell, result, job.done);
}

/* ---- Cells ----------------------------------------------------------------------------- */

static bool add_cells(struct td_queue_bench *bench, double task_ns, unsigned threads) {
  size_t first = bench->cell_count;
  for (size_t k = 0; k < bench->kind_count; k++) {
    const struct td_queue_kind *kind = bench->kinds[k];
    if (kind == td_queue_kind_ceiling() && threads > 1) continue;
    struct td_queue_cell *cell = td_queue_cell_add(bench);
    if (!cell) return false;
    cell->kind = kind;
    cell->threads = threads;
    cell->task_ns = task_ns;
    cell->run = kind == td_forkjoin_tbb() ? run_tbb : run;
    cell->base = first;
    /* The same with one thread. */
    for (size_t i = 0; i < bench->cell_count; i++)
      if (bench->cells[i].kind == kind && bench->cells[i].threads == 1 &&
          bench->cells[i].task_ns == task_ns)
        cell->base_same = i;
  }
  return true;
}

bool td_forkjoin_cells(struct td_queue_bench *bench) {
  bench->step_ns = measure_step();
  bool fine = true;
  for (size_t t = 0; fine && t < bench->task_count; t++) {
    for (unsigned threads = 1; fine && threads < bench->threads; threads *= 2)
      fine = add_cells(bench, bench->tasks[t], threads);
    if (fine) fine = add_cells(bench, bench->tasks[t], bench->threads);
  }
  return fine;
}
