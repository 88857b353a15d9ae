/* SPDX-License-Identifier: MIT */
/* tidemark-gcbench-COLLECTOR: one run of one workload on one allocator. The tidemark program starts
 * it, one process per run, and reads one line from its standard output:
 *   ran TOTAL_NS COLLECT_NS PEAK_BYTES COLLECTIONS FULL SUM PAUSES YOUNG COUNTS LATENCY
 *   error STATUS TEXT
 * PAUSES has three lengths: the 50th and the 99th percentile, and the longest; YOUNG the same of
 * young collections alone; COUNTS has all of struct td_pauses. LATENCY, zeroes but for the
 * workload of that name, is OPERATIONS RUN_NS CPU_NS DEGENERATE LONGEST_NS OWN_NS, the number of
 * buckets that are not empty, and for each its number and its count (bench/gcbench/latency.h).
 * Arguments: WORKLOAD MUTATORS DEPTH OPERATIONS HEAP_MAX MARKERS YOUNG CONCURRENT LIVE RUN_NS RATE
 * PARENT. The time is that of the whole work, setting up the allocator included; the peak is the
 * process's, as the kernel tells it.
 */
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "bench/cli/clock.h"
#include "bench/gcbench/child/account.h"
#include "bench/gcbench/child/measured.h"
#include "bench/gcbench/child/work.h"

struct thread {
  pthread_t id;
  gcbench_work work;
  struct gcbench_share share;
  uint64_t sum;
};

/* ---- Work ------------------------------------------------------------------------------ */

static gcbench_work find_work(const char *name) {
  static const struct {
    const char *name;
    gcbench_work work;
  } all[] = {{"gcbench", gcbench_work_gcbench}, {"binary-trees", gcbench_work_binary_trees},
             {"lru", gcbench_work_lru},         {"strings", gcbench_work_strings},
             {"mutate", gcbench_work_mutate},   {"service", gcbench_work_service},
             {"interp", gcbench_work_interp},   {"latency", gcbench_work_latency}};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    if (strcmp(all[i].name, name) == 0) return all[i].work;
  return NULL;
}

static struct memory *attach(void) {
  struct memory *memory = memory_attach();
  if (!memory) gcbench_fail(4, "cannot attach a thread to the collector");
  return memory;
}

static void *run_share(void *argument) {
  struct thread *thread = argument;
  struct memory *memory = attach();
  thread->sum = thread->work(memory, &thread->share);
  memory_detach(memory);
  return NULL;
}

/* Share 0 runs on the main thread. */
static uint64_t run_all(struct thread *threads, unsigned mutators) {
  struct memory *memory = attach();
  for (unsigned i = 1; i < mutators; i++)
    if (pthread_create(&threads[i].id, NULL, run_share, &threads[i]) != 0)
      gcbench_fail(4, "cannot start a thread");
  uint64_t sum = threads[0].work(memory, &threads[0].share);
  memory_wait_begin(memory);
  for (unsigned i = 1; i < mutators; i++)
    pthread_join(threads[i].id, NULL);
  memory_wait_end(memory);
  for (unsigned i = 1; i < mutators; i++)
    sum += threads[i].sum;
  memory_detach(memory);
  return sum;
}

/* ---- Figures --------------------------------------------------------------------------- */

/* Reads VmHWM. ru_maxrss would begin with the size of the process that forked this one. */
static uint64_t peak_bytes(void) {
  FILE *status = fopen("/proc/self/status", "r");
  char line[256];
  uint64_t kib = 0;
  while (status && fgets(line, sizeof line, status))
    if (sscanf(line, "VmHWM: %" SCNu64, &kib) == 1) break;
  if (status) fclose(status);
  if (kib == 0) gcbench_fail(4, "/proc/self/status does not tell the peak of memory");
  return kib * 1024;
}

static int compare_counts(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Returns the smallest pause that at least `percent` of all pauses do not exceed. */
static uint64_t percentile(const uint64_t *sorted, uint64_t count, unsigned percent) {
  if (count == 0) return 0;
  uint64_t rank = (count * percent + 99) / 100;
  return sorted[rank > 0 ? rank - 1 : 0];
}

/* Says the 50th and the 99th percentile, and the longest. */
static void say_lengths(struct gcbench_lengths *lengths) {
  static const unsigned percents[] = {50, 99, 100};
  qsort(lengths->ns, lengths->count, sizeof *lengths->ns, compare_counts);
  for (size_t i = 0; i < sizeof percents / sizeof percents[0]; i++)
    printf(" %" PRIu64, percentile(lengths->ns, lengths->count, percents[i]));
}

static void say_numbers(const uint64_t *numbers, unsigned count) {
  for (unsigned i = 0; i < count; i++)
    printf(" %" PRIu64, numbers[i]);
}

static void say_latency(void) {
  const struct gcbench_measured *m = &gcbench_measured;
  unsigned filled = 0;
  for (unsigned i = 0; i < TD_LATENCY_BUCKETS; i++)
    filled += m->latency.count[i] > 0;
  printf(" %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %u",
         m->operations, m->run_ns, m->cpu_ns, m->degenerate, m->latency.max_ns,
         m->latency.own_max_ns, filled);
  for (unsigned i = 0; i < TD_LATENCY_BUCKETS; i++)
    if (m->latency.count[i]) printf(" %u %" PRIu64, i, m->latency.count[i]);
}

static int report(uint64_t total_ns, uint64_t sum) {
  struct gcbench_pauses *pauses = &gcbench_pauses;
  memory_note_pauses();
  if (pauses->all.count > GCBENCH_PAUSES_MAX)
    gcbench_fail(4, "more collections than can be kept account of");
  printf("ran %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, total_ns,
         pauses->collect_ns, peak_bytes(), pauses->collections, pauses->full, sum);
  say_lengths(&pauses->all);
  say_lengths(&pauses->young);
  say_numbers(pauses->counted.young, TD_PAUSE_BUCKETS);
  say_numbers(pauses->counted.full, TD_PAUSE_BUCKETS);
  say_numbers(pauses->counted.stop_ns, TD_STOPS);
  say_latency();
  putchar('\n');
  return fflush(stdout) == 0 ? 0 : 4;
}

#define ARGUMENTS 12

int main(int argc, char **argv) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  gcbench_work work = argc == ARGUMENTS + 1 ? find_work(argv[1]) : NULL;
  if (!work || (pid_t)atoll(argv[ARGUMENTS]) != getppid()) {
    fputs("tidemark-gcbench: a part of tidemark, which starts it; see tidemark gcbench --help\n",
          stderr);
    return 2;
  }
  unsigned mutators = (unsigned)atoi(argv[2]);
  struct thread *threads = calloc(mutators, sizeof *threads);
  if (!threads) gcbench_out_of_memory();
  for (unsigned i = 0; i < mutators; i++)
    threads[i] = (struct thread){.work = work,
                                 .share = {.number = i,
                                           .mutators = mutators,
                                           .depth = (unsigned)atoi(argv[3]),
                                           .operations = strtoull(argv[4], NULL, 10),
                                           .live_bytes = strtoull(argv[9], NULL, 10),
                                           .run_ns = strtoull(argv[10], NULL, 10),
                                           .rate = strtoull(argv[11], NULL, 10)}};
  uint64_t heap_max = strtoull(argv[5], NULL, 10);
  /* A limit that is not reached leaves it to the collector when to begin. */
  const struct memory_options options = {.heap_max = heap_max,
                                         .takes_all = heap_max && work != gcbench_work_latency,
                                         .markers = (unsigned)atoi(argv[6]),
                                         .young = atoi(argv[7]) != 0,
                                         .concurrent = atoi(argv[8]) != 0};
  gcbench_measured_open(mutators);
  uint64_t begin = td_now_ns();
  memory_begin(&options);
  uint64_t sum = run_all(threads, mutators);
  uint64_t total_ns = td_now_ns() - begin;
  free(threads);
  return report(total_ns, sum);
}
