/* SPDX-License-Identifier: MIT */
#include "bench/limit/memory.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "bench/cli/clock.h"
#include "bench/cli/complain.h"
#include "bench/cli/progress.h"
#include "bench/threads/crew.h"

#define LINE_WORDS 8u
#define LINE_BYTES (LINE_WORDS * sizeof(uint64_t))
#define HUGE_BYTES ((size_t)2 << 20)
#define BATCH 4096u
#define PAIRS_MOST 6u
#define AHEAD 32u

/* ---- The loads ------------------------------------------------------------------------- */

struct arena {
  uint64_t
      *word; /* [lines * LINE_WORDS]; the first word of a line names the next line of a cycle */
  uint32_t lines;
};

/* Does BATCH accesses. *state is the thread's own. */
typedef void batch_fn(const struct arena *arena, uint64_t *state);

static uint64_t step(uint64_t x) {
  x ^= x << 13;
  x ^= x >> 7;
  return x ^ x << 17;
}

/* Returns a line, all equally likely, from the upper 32 bits, by one multiplication. */
static uint32_t line_of(uint64_t random, uint32_t lines) {
  return (uint32_t)((random >> 32) * lines >> 32);
}

static void chase(const struct arena *arena, uint64_t *state) {
  uint64_t at = *state;
  for (unsigned i = 0; i < BATCH; i++)
    at = arena->word[at * LINE_WORDS];
  *state = at;
}

static void load_random(const struct arena *arena, uint64_t *state) {
  uint64_t x = *state, sum = 0;
  for (unsigned i = 0; i < BATCH; i++) {
    x = step(x);
    sum += arena->word[(uint64_t)line_of(x, arena->lines) * LINE_WORDS];
  }
  /* The compiler must believe that the sum is used. The random numbers must not depend on it. */
  __asm__ volatile("" : : "r"(sum));
  *state = x;
}

/* Lines are asked for AHEAD accesses before they are loaded, as marking does. */
static void load_fetched(const struct arena *arena, uint64_t *state) {
  const uint64_t *later[AHEAD];
  uint64_t x = *state, sum = 0;
  for (unsigned i = 0; i < BATCH + AHEAD; i++) {
    if (i >= AHEAD) sum += *later[i % AHEAD];
    if (i >= BATCH) continue;
    x = step(x);
    later[i % AHEAD] = &arena->word[(uint64_t)line_of(x, arena->lines) * LINE_WORDS];
    __builtin_prefetch(later[i % AHEAD]);
  }
  __asm__ volatile("" : : "r"(sum));
  *state = x;
}

static void store_random(const struct arena *arena, uint64_t *state) {
  uint64_t x = *state;
  for (unsigned i = 0; i < BATCH; i++) {
    x = step(x);
    /* The first word stays as it is: it belongs to the cycle. */
    *(volatile uint8_t *)&arena->word[(uint64_t)line_of(x, arena->lines) * LINE_WORDS + 1] = 1;
  }
  *state = x;
}

static void load_sequential(const struct arena *arena, uint64_t *state) {
  uint64_t at = *state, sum = 0;
  for (unsigned i = 0; i < BATCH; i++) {
    sum += arena->word[at * LINE_WORDS];
    at = at + 1 == arena->lines ? 0 : at + 1;
  }
  __asm__ volatile("" : : "r"(sum));
  *state = at;
}

/* ---- Runs ------------------------------------------------------------------------------ */

struct member {
  _Alignas(64) uint64_t state;
  double ns_per_access;
};

struct run {
  const struct arena *arena;
  batch_fn *batch;
  uint64_t run_ns;
  struct member members[2];
};

/* Time for which others had the CPU must not count as slowness of memory. */
static void body(void *context, unsigned thread) {
  struct run *run = context;
  struct member *member = &run->members[thread];
  uint64_t begin = td_now_ns(), count = 0;
  uint64_t used = td_thread_cpu_ns();
  do {
    run->batch(run->arena, &member->state);
    count += BATCH;
  } while (td_now_ns() - begin < run->run_ns);
  member->ns_per_access = (double)(td_thread_cpu_ns() - used) / (double)count;
}

static const struct kind {
  const char *name;
  batch_fn *batch;
  bool each; /* the figure is that of each core; else what all cores do together */
} kinds[] = {
    {"dependent random load", chase, true},
    {"independent random load", load_random, false},
    {"random line asked for ahead", load_fetched, false},
    {"random byte store", store_random, false},
    {"sequential line", load_sequential, false},
};
#define KINDS (sizeof kinds / sizeof kinds[0])

static int run_kind(const struct td_limit_memory *limit, const struct arena *arena,
                    const struct kind *kind, unsigned threads, double *ns) {
  static uint64_t seed = UINT64_C(0x9E3779B97F4A7C15);
  struct run run = {
      .arena = arena, .batch = kind->batch, .run_ns = (uint64_t)(limit->run_ms * 1e6)};
  for (unsigned i = 0; i < threads; i++) {
    seed = step(seed);
    bool random = kind->batch != chase && kind->batch != load_sequential;
    run.members[i].state = random ? seed : line_of(seed, arena->lines);
  }
  bool disturbed; /* not used: the median of the rounds bears one disturbed run */
  if (!td_crew_run(limit->cpus, threads, body, &run, &disturbed))
    return td_complain(TD_EXIT_RESOURCES, "limit: cannot start %u threads", threads);
  double rate = 0;
  for (unsigned i = 0; i < threads; i++)
    rate += 1 / run.members[i].ns_per_access;
  *ns = kind->each ? threads / rate : 1 / rate;
  return TD_EXIT_OK;
}

/* ---- From core to core ----------------------------------------------------------------- */

struct ball {
  /* Each thread writes when its turn ends, the other reads: [ball.turn]. */
  _Alignas(64) _Atomic(uint32_t) turn;
  uint32_t trips;
  _Alignas(64) uint64_t ns;
};

static void play(void *context, unsigned thread) {
  struct ball *ball = context;
  uint64_t begin = td_now_ns();
  for (uint32_t i = 0; i < ball->trips; i++) {
    uint32_t mine = 2 * i + thread;
    /* acquire [ball.turn]: pairs with the other thread's release. On a CPU that others share,
     * spinning must yield now and then. */
    for (unsigned spins = 1; atomic_load_explicit(&ball->turn, memory_order_acquire) != mine;
         spins++)
      if (spins % 65536 == 0) sched_yield();
    atomic_store_explicit(&ball->turn, mine + 1,
                          memory_order_release); /* release [ball.turn]: the other thread's turn */
  }
  if (thread == 0) ball->ns = td_now_ns() - begin;
}

static int run_pair(const struct td_limit_memory *limit, unsigned other, double *ns) {
  struct td_cpus pair = {.count = 2,
                         .number = {limit->cpus->number[0], limit->cpus->number[other]}};
  struct ball ball = {.trips = 2000};
  bool disturbed;
  if (!td_crew_run(&pair, 2, play, &ball, &disturbed))
    return td_complain(TD_EXIT_RESOURCES, "limit: cannot start 2 threads");
  *ns = (double)ball.ns / ball.trips / 2;
  return TD_EXIT_OK;
}

/* ---- All of it ------------------------------------------------------------------------- */

/* One cycle through all lines, in random order (Sattolo's shuffle). */
static void make_cycle(const struct arena *arena) {
  for (uint32_t i = 0; i < arena->lines; i++)
    arena->word[(size_t)i * LINE_WORDS] = i;
  uint64_t x = UINT64_C(2463534242);
  for (uint32_t i = arena->lines - 1; i > 0; i--) {
    x = step(x);
    uint64_t *a = &arena->word[(size_t)i * LINE_WORDS];
    uint64_t *b = &arena->word[(size_t)line_of(x, i) * LINE_WORDS];
    uint64_t kept = *a;
    *a = *b;
    *b = kept;
    if (i % 65536 == 0) td_progress("limit: preparing memory", arena->lines - i, arena->lines);
  }
}

static void name_figures(struct td_limit_memory *limit) {
  unsigned most = limit->cpus->count < 2 ? 1 : 2;
  for (size_t k = 0; k < KINDS; k++)
    for (unsigned threads = 1; threads <= most; threads++) {
      struct td_limit_figure *figure = &limit->figures[limit->figure_count++];
      snprintf(figure->name, sizeof figure->name, "%s, %u core%s", kinds[k].name, threads,
               threads == 1    ? ""
               : kinds[k].each ? "s, each"
                               : "s together");
      figure->unit = "ns";
    }
  for (unsigned i = 1; i < limit->cpus->count && i <= PAIRS_MOST; i++) {
    struct td_limit_figure *figure = &limit->figures[limit->figure_count++];
    snprintf(figure->name, sizeof figure->name, "core to core, one way, CPU %d to %d",
             limit->cpus->number[0], limit->cpus->number[i]);
    figure->unit = "ns";
  }
}

static int one_round(struct td_limit_memory *limit, const struct arena *arena) {
  unsigned most = limit->cpus->count < 2 ? 1 : 2;
  size_t loads = KINDS * most;
  for (size_t f = 0; f < limit->figure_count; f++) {
    double ns;
    int status = f < loads ? run_kind(limit, arena, &kinds[f / most], (unsigned)(f % most) + 1, &ns)
                           : run_pair(limit, (unsigned)(f - loads) + 1, &ns);
    if (status != TD_EXIT_OK) return status;
    if (!td_samples_add(&limit->figures[f].samples, ns))
      return td_complain(TD_EXIT_RESOURCES, "not enough memory for the results");
  }
  return TD_EXIT_OK;
}

int td_limit_memory_run(struct td_limit_memory *limit) {
  td_progress_begin();
  size_t bytes = (limit->bytes + HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES;
  struct arena arena = {.word = aligned_alloc(HUGE_BYTES, bytes),
                        .lines = (uint32_t)(bytes / LINE_BYTES)};
  if (!arena.word)
    return td_complain(TD_EXIT_RESOURCES, "limit: not enough memory: %zu MiB", bytes >> 20);
  limit->bytes = bytes;
  madvise(arena.word, bytes, MADV_HUGEPAGE); /* only a wish, as for the heap */
  memset(arena.word, 0, bytes);
  make_cycle(&arena);
  name_figures(limit);
  int status = TD_EXIT_OK;
  for (unsigned round = 0; round < limit->rounds && status == TD_EXIT_OK; round++) {
    td_progress("limit: memory", round, limit->rounds);
    status = one_round(limit, &arena);
  }
  free(arena.word);
  td_progress_end();
  return status;
}

void td_limit_memory_free(struct td_limit_memory *limit) {
  for (size_t i = 0; i < limit->figure_count; i++)
    td_samples_free(&limit->figures[i].samples);
  limit->figure_count = 0;
}
