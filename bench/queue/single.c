/* SPDX-License-Identifier: MIT */
/* One thread, nobody steals: what a queue costs its owner. */
#include "bench/queue/single.h"

#include <math.h>
#include <string.h>

#include "bench/cli/complain.h"
#include "bench/queue/patterns.h"
#include "bench/threads/crew.h"

static const char fill_drain[] = "fill-drain", predictable[] = "gc-predictable",
                  at_random[] = "gc-random";

const char *td_queue_single_pattern(size_t index) {
  static const char *const all[] = {fill_drain, predictable, at_random};
  return index < sizeof all / sizeof all[0] ? all[index] : NULL;
}

struct job {
  const struct td_queue_cell *cell;
  const struct td_queue_steps *steps; /* NULL: fill and drain */
  void *state;
  uint32_t fill;
  struct td_queue_tally out;
  uint64_t ns;
};

static void work(void *context, unsigned thread) {
  struct job *job = context;
  (void)thread;
  const struct td_queue_cell *cell = job->cell;
  uint64_t start = td_now_ns();
  if (job->steps)
    job->out = cell->kind->follow[cell->cursor](job->state, cell->work, job->steps);
  else
    job->out = cell->kind->fill_drain[cell->cursor](job->state, cell->work, job->fill);
  job->ns = td_now_ns() - start;
}

/* Returns what went in: 1 … n, once or `work` times. */
static struct td_queue_tally expected(const struct job *job) {
  uint64_t times = job->steps ? 1 : job->cell->work;
  uint64_t n = job->steps ? job->steps->depth + job->cell->work * job->steps->count : job->fill;
  uint64_t sum = n % 2 ? (n + 1) / 2 * n : n / 2 * (n + 1);
  return (struct td_queue_tally){.count = times * n, .sum = times * sum};
}

static int run(struct td_queue_bench *bench, const struct td_queue_cell *cell,
               struct td_queue_result *result) {
  struct job job = {
      .cell = cell, .state = td_queue_bench_init(bench, cell->kind, 0), .fill = bench->fill};
  if (cell->pattern == predictable) job.steps = td_queue_steps_predictable();
  if (cell->pattern == at_random) job.steps = td_queue_steps_random();
  *result = (struct td_queue_result){.stolen = NAN, .events = NAN};
  td_crew_run(&bench->cpus, 1, work, &job, &result->disturbed);
  result->ns = (double)job.ns;
  result->operations = 2.0 * (double)job.out.count;
  return td_queue_check(cell, expected(&job), job.out);
}

static bool add(struct td_queue_bench *bench, const char *pattern, const struct td_queue_kind *kind,
                enum td_queue_cursor cursor, size_t first) {
  struct td_queue_cell *cell = td_queue_cell_add(bench);
  if (!cell) return false;
  cell->pattern = pattern;
  cell->kind = kind;
  cell->has_cursor = true;
  cell->cursor = cursor;
  cell->run = run;
  cell->base = first + TD_CURSOR_IN_MEMORY;
  cell->base_same = first + cursor;
  return true;
}

bool td_queue_single_cells(struct td_queue_bench *bench) {
  const struct td_queue_kind *ceiling = td_queue_kind_ceiling();
  for (size_t p = 0; p < bench->pattern_count; p++) {
    const char *pattern = bench->patterns[p];
    size_t first = bench->cell_count;
    bool fine = add(bench, pattern, ceiling, TD_CURSOR_IN_MEMORY, first) &&
                add(bench, pattern, ceiling, TD_CURSOR_LOCAL, first);
    for (size_t k = 0; fine && k < bench->kind_count; k++)
      if (bench->kinds[k] != ceiling)
        fine = add(bench, pattern, bench->kinds[k], TD_CURSOR_IN_MEMORY, first) &&
               add(bench, pattern, bench->kinds[k], TD_CURSOR_LOCAL, first);
    if (!fine) return false;
  }
  return true;
}
