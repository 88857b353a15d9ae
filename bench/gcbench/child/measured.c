/* SPDX-License-Identifier: MIT */
#include "bench/gcbench/child/measured.h"

#include <pthread.h>
#include <sys/resource.h>

#include "bench/cli/clock.h"

struct gcbench_measured gcbench_measured;

static pthread_barrier_t all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t begin_ns, begin_cpu_ns, begin_degenerate; /* written between two barriers */

static uint64_t nanoseconds(struct timeval time) {
  return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_usec * 1000;
}

/* Returns the time that all threads of this process, the collector's too, have spent. */
static uint64_t cpu_ns(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime);
}

/* Returns true to one of the mutators. */
static bool meet(struct memory *memory) {
  memory_wait_begin(memory);
  int met = pthread_barrier_wait(&all);
  memory_wait_end(memory);
  return met == PTHREAD_BARRIER_SERIAL_THREAD;
}

void gcbench_measured_open(unsigned mutators) {
  if (pthread_barrier_init(&all, NULL, mutators) != 0)
    gcbench_fail(4, "cannot make a barrier for the mutators");
}

uint64_t gcbench_measured_begin(struct memory *memory) {
  if (meet(memory)) {
    begin_degenerate = memory_degenerate();
    memory_note_pauses();
    gcbench_pauses_forget();
    begin_cpu_ns = cpu_ns();
    begin_ns = td_now_ns();
  }
  meet(memory);
  return begin_ns;
}

void gcbench_measured_end(struct memory *memory, uint64_t operations,
                          const struct td_latency *latency) {
  pthread_mutex_lock(&lock);
  gcbench_measured.operations += operations;
  td_latency_merge(&gcbench_measured.latency, latency);
  pthread_mutex_unlock(&lock);
  if (meet(memory)) {
    gcbench_measured.run_ns = td_now_ns() - begin_ns;
    gcbench_measured.cpu_ns = cpu_ns() - begin_cpu_ns;
    gcbench_measured.degenerate = memory_degenerate() - begin_degenerate;
  }
  meet(memory);
}
