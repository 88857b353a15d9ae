/* SPDX-License-Identifier: MIT */
#include "bench/queue/bench.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli/complain.h"
#include "bench/cli/progress.h"

/* A disturbed run is repeated, at most TRIES times. After that the cell has no sample in this
 * round. */
#define TRIES 25u

/* A run that takes OUTLIER times as long as the cell's shortest was disturbed as well, by something
 * that no counter shows: an interrupt, or another virtual machine. */
#define OUTLIER 3.0

/* ---- Cells ----------------------------------------------------------------------------- */

struct td_queue_cell *td_queue_cell_add(struct td_queue_bench *bench) {
  if (bench->cell_count == bench->cell_capacity) {
    size_t capacity = bench->cell_capacity ? 2 * bench->cell_capacity : 64;
    struct td_queue_cell *grown = realloc(bench->cells, capacity * sizeof *grown);
    if (!grown) return NULL;
    bench->cells = grown;
    bench->cell_capacity = capacity;
  }
  struct td_queue_cell *cell = &bench->cells[bench->cell_count++];
  *cell = (struct td_queue_cell){.threads = 1,
                                 .stolen_wanted = NAN,
                                 .balance = NAN,
                                 .frequency = NAN,
                                 .task_ns = NAN,
                                 .base = TD_QUEUE_NO_BASE,
                                 .base_same = TD_QUEUE_NO_BASE,
                                 .work = 1,
                                 .best_ns = INFINITY};
  return cell;
}

void td_queue_bench_free(struct td_queue_bench *bench) {
  for (size_t i = 0; i < bench->cell_count; i++) {
    td_samples_free(&bench->cells[i].mops);
    td_samples_free(&bench->cells[i].stolen);
    td_samples_free(&bench->cells[i].events);
  }
  free(bench->cells);
  for (unsigned i = 0; i < bench->threads; i++) {
    if (bench->states) free(bench->states[i]);
    if (bench->storages) free(bench->storages[i]);
  }
  free(bench->states);
  free(bench->storages);
  td_cpus_free(&bench->cpus);
}

/* ---- Queues ---------------------------------------------------------------------------- */

static size_t round_up(size_t bytes) {
  return (bytes + 4095) & ~(size_t)4095;
}

static void need(struct td_queue_bench *bench, const struct td_queue_kind *kind) {
  size_t storage = round_up(kind->storage_bytes(bench->blocks, bench->entries));
  if (storage > bench->storage_bytes) bench->storage_bytes = storage;
  if (round_up(kind->state_bytes) > bench->state_bytes)
    bench->state_bytes = round_up(kind->state_bytes);
}

int td_queue_bench_allocate(struct td_queue_bench *bench) {
  for (size_t i = 0; i < bench->kind_count; i++)
    need(bench, bench->kinds[i]);
  need(bench, td_queue_kind_ceiling());
  bench->states = calloc(bench->threads, sizeof *bench->states);
  bench->storages = calloc(bench->threads, sizeof *bench->storages);
  bool fine = bench->states && bench->storages;
  for (unsigned i = 0; fine && i < bench->threads; i++) {
    bench->states[i] = aligned_alloc(4096, bench->state_bytes);
    bench->storages[i] = aligned_alloc(4096, bench->storage_bytes);
    fine = bench->states[i] && bench->storages[i];
  }
  if (fine) return TD_EXIT_OK;
  return td_complain(TD_EXIT_RESOURCES, "queue: not enough memory for %u queues of %zu bytes",
                     bench->threads, bench->storage_bytes);
}

void *td_queue_bench_init(struct td_queue_bench *bench, const struct td_queue_kind *kind,
                          unsigned thread) {
  memset(bench->states[thread], 0, kind->state_bytes);
  kind->init(bench->states[thread], bench->storages[thread], bench->blocks, bench->entries);
  kind->join(bench->states[thread], bench->states[0]);
  return bench->states[thread];
}

int td_queue_check(const struct td_queue_cell *cell, struct td_queue_tally in,
                   struct td_queue_tally out) {
  if (in.count == out.count && in.sum == out.sum) return TD_EXIT_OK;
  return td_complain(TD_EXIT_CHECK,
                     "queue: %s: %" PRIu64 " items of sum %" PRIu64 " went in, %" PRIu64
                     " of sum %" PRIu64 " came out",
                     cell->kind->name, in.count, in.sum, out.count, out.sum);
}

/* ---- Measuring ------------------------------------------------------------------------- */

/* Finds the amount of work for a run of about the wanted length. The first runs also warm up. */
static int calibrate(struct td_queue_bench *bench, struct td_queue_cell *cell) {
  for (;;) {
    struct td_queue_result result;
    int status = cell->run(bench, cell, &result);
    if (status != TD_EXIT_OK) return status;
    if (result.ns >= bench->run_ns / 4 || cell->work > UINT64_MAX / 8) {
      double work = (double)cell->work * bench->run_ns / result.ns;
      cell->work = work < 1 ? 1 : (uint64_t)work;
      return TD_EXIT_OK;
    }
    cell->work *= result.ns < bench->run_ns / 64 ? 8 : 2;
  }
}

static bool keep(struct td_queue_cell *cell, const struct td_queue_result *r) {
  return td_samples_add(&cell->mops, r->operations / r->ns * 1e3) &&
         td_samples_add(&cell->stolen, r->stolen) &&
         td_samples_add(&cell->events, r->events / r->ns * 1e9);
}

static int measure_cell(struct td_queue_bench *bench, struct td_queue_cell *cell) {
  struct td_queue_result result;
  bool good = false;
  for (unsigned try = 0; try < TRIES && !good; try++) {
    int status = cell->run(bench, cell, &result);
    if (status != TD_EXIT_OK) return status;
    if (!result.disturbed && result.ns < cell->best_ns) cell->best_ns = result.ns;
    good = !result.disturbed && result.ns <= OUTLIER * cell->best_ns;
    cell->discarded += !good;
  }
  if (!good)
    result = (struct td_queue_result){.ns = 1, .operations = NAN, .stolen = NAN, .events = NAN};
  if (!keep(cell, &result)) return td_complain(TD_EXIT_RESOURCES, "queue: not enough memory");
  return TD_EXIT_OK;
}

int td_queue_bench_measure(struct td_queue_bench *bench) {
  int status = TD_EXIT_OK;
  size_t cells = bench->cell_count;
  uint64_t done = 0, total = (uint64_t)cells * (bench->rounds + 1u);
  td_progress_begin();
  for (size_t i = 0; i < cells && status == TD_EXIT_OK; i++) {
    td_progress("calibrating", done++, total);
    status = calibrate(bench, &bench->cells[i]);
  }
  for (unsigned round = 0; round < bench->rounds; round++) {
    for (size_t i = 0; i < cells && status == TD_EXIT_OK; i++) {
      td_progress("measuring", done++, total);
      status = measure_cell(bench, &bench->cells[(i + round) % cells]);
    }
  }
  td_progress_end();
  return status;
}

/* ---- Summaries ------------------------------------------------------------------------- */

struct td_summary td_queue_ratio(const struct td_queue_bench *bench,
                                 const struct td_queue_cell *cell, size_t base) {
  static const struct td_samples none;
  return td_samples_ratio(&cell->mops, base == TD_QUEUE_NO_BASE ? &none : &bench->cells[base].mops);
}
