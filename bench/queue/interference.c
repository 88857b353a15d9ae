/* SPDX-License-Identifier: MIT */
/* What a second thread costs the first one: by stealing, by asking for sizes, by touching the same
 * cache lines. */
#include "bench/queue/interference.h"

#include <math.h>
#include <string.h>

#include "bench/cli/complain.h"
#include "bench/threads/crew.h"

#define LINES 64u
#define OPERATIONS 4096u /* of the patterns on cache lines, per round of work */

static const char *const names[] = {"steals",         "sizes",      "store-1-line",
                                    "store-64-lines", "add-1-line", "add-64-lines"};

const char *td_queue_interference_pattern(size_t index) {
  return index < sizeof names / sizeof names[0] ? names[index] : NULL;
}

enum pattern { STEALS, SIZES, STORE_1, STORE_64, ADD_1, ADD_64 };

struct line {
  _Alignas(64) _Atomic(uint64_t) word;
};

struct job {
  const struct td_queue_cell *cell;
  void *state;
  struct td_queue_share share;
  struct td_queue_tally stolen;
  uint64_t ns, events;
  struct line lines[LINES];
  /* The first thread writes, the second reads; relaxed: it says "stop" and orders nothing. */
  _Alignas(64) _Atomic(bool) ended;
};

static bool goes_on(const struct job *job) {
  return !atomic_load_explicit(&job->ended, memory_order_relaxed);
}

/* ---- Steals and sizes ------------------------------------------------------------------ */

/* Waits until the time of the next event. */
static void wait_until(const struct job *job, double due_ns) {
  while (goes_on(job) && (double)td_now_ns() < due_ns)
    td_pause();
}

/* Makes the compiler believe that the value is used. */
static void use(uint64_t value) {
  __asm__ volatile("" : : "r"(value));
}

static void disturb_queue(struct job *job) {
  const struct td_queue_kind *kind = job->cell->kind;
  bool steals = job->cell->pattern == names[STEALS];
  double step_ns = 1e9 / job->cell->frequency, due_ns = (double)td_now_ns();
  uint64_t item;
  while (goes_on(job) && job->cell->frequency > 0) {
    if (step_ns > 0) wait_until(job, due_ns += step_ns);
    if (!goes_on(job)) break;
    if (!steals) {
      use(kind->size(job->state));
    } else if (kind->steal(job->state, &item, 1) > 0) {
      job->stolen.count++;
      job->stolen.sum += item;
    }
    job->events++;
  }
}

static void work_queue(void *context, unsigned thread) {
  struct job *job = context;
  if (thread == 1) {
    disturb_queue(job);
    return;
  }
  uint64_t start = td_now_ns();
  job->cell->kind->own[job->cell->cursor](job->state, &job->share);
  job->ns = td_now_ns() - start;
  atomic_store_explicit(&job->ended, true, memory_order_relaxed);
}

static int run_queue(struct td_queue_bench *bench, const struct td_queue_cell *cell,
                     struct td_queue_result *result) {
  struct job job = {.cell = cell,
                    .state = td_queue_bench_init(bench, cell->kind, 0),
                    .share = {.rounds = cell->work, .fill = bench->fill, .first_item = 1}};
  *result = (struct td_queue_result){.stolen = NAN, .events = NAN};
  if (!td_crew_run(&bench->cpus, cell->threads, work_queue, &job, &result->disturbed))
    return td_complain(TD_EXIT_RESOURCES, "queue: cannot start %u threads", cell->threads);
  struct td_queue_tally in = td_queue_share_in(&job.share), out = job.share.out;
  result->ns = (double)job.ns;
  result->operations = (double)in.count + (double)out.count; /* the owner's */
  if (cell->threads > 1) result->events = (double)job.events;
  if (cell->pattern == names[STEALS] && cell->threads > 1)
    result->stolen = 100.0 * (double)job.stolen.count / (double)in.count;
  out.count += job.stolen.count;
  out.sum += job.stolen.sum;
  return td_queue_check(cell, in, out);
}

/* ---- Cache lines ----------------------------------------------------------------------- */

/* Adds one to a random line of the first `lines`, either by one atomic operation, or by a load and
 * a store between which another thread's addition may be lost. relaxed: nothing is ordered by them.
 */
static inline __attribute__((always_inline)) void touch(struct line *at, unsigned lines,
                                                        bool atomic, uint32_t *x) {
  *x ^= *x << 13;
  *x ^= *x >> 17;
  *x ^= *x << 5;
  _Atomic(uint64_t) *word = &at[*x & (lines - 1)].word;
  if (atomic) {
    atomic_fetch_add_explicit(word, 1u, memory_order_relaxed);
  } else {
    uint64_t value = atomic_load_explicit(word, memory_order_relaxed);
    atomic_store_explicit(word, value + 1, memory_order_relaxed);
  }
}

static void touch_many(struct line *at, unsigned lines, bool atomic, uint32_t *x) {
  if (atomic)
    for (unsigned i = 0; i < OPERATIONS; i++)
      touch(at, lines, true, x);
  else
    for (unsigned i = 0; i < OPERATIONS; i++)
      touch(at, lines, false, x);
}

static void work_lines(void *context, unsigned thread) {
  struct job *job = context;
  const char *pattern = job->cell->pattern;
  unsigned lines = pattern == names[STORE_1] || pattern == names[ADD_1] ? 1 : LINES;
  bool atomic = pattern == names[ADD_1] || pattern == names[ADD_64];
  uint32_t x = 2463534242u + thread;
  uint64_t start = td_now_ns();
  if (thread == 1) {
    for (; goes_on(job); job->events += OPERATIONS)
      touch_many(job->lines, lines, atomic, &x);
    return;
  }
  for (uint64_t i = 0; i < job->cell->work; i++)
    touch_many(job->lines, lines, atomic, &x);
  job->ns = td_now_ns() - start;
  atomic_store_explicit(&job->ended, true, memory_order_relaxed);
}

static int run_lines(struct td_queue_bench *bench, const struct td_queue_cell *cell,
                     struct td_queue_result *result) {
  struct job job = {.cell = cell};
  *result = (struct td_queue_result){.stolen = NAN, .events = NAN};
  if (!td_crew_run(&bench->cpus, cell->threads, work_lines, &job, &result->disturbed))
    return td_complain(TD_EXIT_RESOURCES, "queue: cannot start %u threads", cell->threads);
  result->ns = (double)job.ns;
  result->operations = (double)cell->work * OPERATIONS;
  if (cell->threads > 1) result->events = (double)job.events;
  return TD_EXIT_OK;
}

/* ---- Cells ----------------------------------------------------------------------------- */

static struct td_queue_cell *cell_of(struct td_queue_bench *bench, enum pattern pattern,
                                     const struct td_queue_kind *kind, size_t base) {
  struct td_queue_cell *cell = td_queue_cell_add(bench);
  if (!cell) return NULL;
  cell->pattern = names[pattern];
  cell->kind = kind;
  cell->threads = 2;
  cell->base = base;
  cell->run = kind ? run_queue : run_lines;
  cell->has_cursor = kind != NULL;
  cell->cursor = TD_CURSOR_LOCAL;
  if (kind) cell->base_same = base + TD_CURSOR_LOCAL;
  return cell;
}

/* Adds the ceiling alone, the base of the cells that follow. */
static bool add_bases(struct td_queue_bench *bench, enum pattern pattern, size_t base) {
  for (enum td_queue_cursor c = TD_CURSOR_IN_MEMORY; c <= TD_CURSOR_LOCAL; c++) {
    struct td_queue_cell *cell = cell_of(bench, pattern, td_queue_kind_ceiling(), base);
    if (!cell) return false;
    cell->threads = 1;
    cell->cursor = c;
    cell->base_same = base + (size_t)c;
  }
  return true;
}

static bool add_queue_cells(struct td_queue_bench *bench, enum pattern pattern) {
  size_t base = bench->cell_count;
  if (!add_bases(bench, pattern, base)) return false;
  for (size_t k = 0; k < bench->kind_count; k++) {
    if (bench->kinds[k] == td_queue_kind_ceiling()) continue;
    for (size_t f = 0; f < bench->frequency_count; f++) {
      struct td_queue_cell *cell = cell_of(bench, pattern, bench->kinds[k], base);
      if (!cell) return false;
      cell->frequency = bench->frequencies[f];
    }
  }
  return true;
}

static bool add_line_cells(struct td_queue_bench *bench, enum pattern pattern) {
  size_t base = bench->cell_count;
  struct td_queue_cell *alone = cell_of(bench, pattern, NULL, base);
  if (!alone) return false;
  alone->threads = 1;
  return cell_of(bench, pattern, NULL, base) != NULL;
}

static bool is_wanted(const struct td_queue_bench *bench, enum pattern pattern) {
  for (size_t i = 0; i < bench->pattern_count; i++)
    if (strcmp(bench->patterns[i], names[pattern]) == 0) return true;
  return false;
}

bool td_queue_interference_cells(struct td_queue_bench *bench) {
  bool fine = true;
  for (enum pattern p = STEALS; fine && p <= SIZES; p++)
    if (is_wanted(bench, p)) fine = add_queue_cells(bench, p);
  for (enum pattern p = STORE_1; fine && p <= ADD_64; p++)
    if (is_wanted(bench, p)) fine = add_line_cells(bench, p);
  return fine;
}
