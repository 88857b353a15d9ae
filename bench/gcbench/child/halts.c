/* SPDX-License-Identifier: MIT */
#include "bench/gcbench/child/halts.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "bench/cli/clock.h"

/* Asking takes some 2 µs: only after long operations, and so often that what came before a long one
 * does not count for much. */
#define LONG_NS UINT64_C(500000)
#define APART_NS UINT64_C(250000)

/* The second number of the file (Documentation/scheduler/sched-stats.rst of Linux). */
static uint64_t queued_ns(const struct gcbench_halts *halts) {
  char text[96], *second = NULL;
  ssize_t got = pread(halts->schedstat, text, sizeof text - 1, 0);
  if (got <= 0) return 0;
  text[got] = '\0';
  (void)strtoull(text, &second, 10);
  return strtoull(second, NULL, 10);
}

static struct gcbench_usage usage(const struct gcbench_halts *halts) {
  struct timespec cpu;
  struct rusage switches;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
  getrusage(RUSAGE_THREAD, &switches);
  return (struct gcbench_usage){.cpu_ns = (uint64_t)cpu.tv_sec * UINT64_C(1000000000) +
                                          (uint64_t)cpu.tv_nsec,
                                .queued_ns = queued_ns(halts),
                                .sleeps = switches.ru_nvcsw};
}

void gcbench_halts_begin(struct gcbench_halts *halts) {
  *halts = (struct gcbench_halts){.schedstat = open("/proc/thread-self/schedstat", O_RDONLY)};
  halts->last = usage(halts);
  halts->last_ns = td_now_ns();
}

void gcbench_halts_end(struct gcbench_halts *halts) {
  if (halts->schedstat >= 0) close(halts->schedstat);
}

uint64_t gcbench_halts_own_ns(struct gcbench_halts *halts, uint64_t began_ns, uint64_t *now_ns) {
  uint64_t own_ns = *now_ns - began_ns;
  if (halts->schedstat < 0) return own_ns;
  if (own_ns < LONG_NS && *now_ns - halts->last_ns < APART_NS) return own_ns;
  const struct gcbench_usage last = halts->last, now = usage(halts);
  uint64_t here_ns = now.cpu_ns - last.cpu_ns + now.queued_ns - last.queued_ns;
  if (now.sleeps == last.sleeps && here_ns < own_ns) own_ns = here_ns;
  halts->last = now;
  *now_ns = halts->last_ns = td_now_ns();
  return own_ns;
}
