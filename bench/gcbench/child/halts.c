/* SPDX-License-Identifier: MIT */
#include "bench/gcbench/child/halts.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench/cli/clock.h"

/* Asking takes some 2 µs: only after long operations, and so often that what came before a long one
 * does not count for much. */
#define LONG_NS UINT64_C(500000)
#define APART_NS UINT64_C(250000)

/* Reads how long the thread has run, and how long it was ready to run and had no CPU
 * (Documentation/scheduler/sched-stats.rst of Linux). Returns false if the kernel does not tell. */
static bool read_queued_ns(int schedstat, uint64_t *queued_ns) {
  char text[96], *second = NULL;
  ssize_t got = pread(schedstat, text, sizeof text - 1, 0);
  if (got <= 0) return false;
  text[got] = '\0';
  uint64_t ran_ns = strtoull(text, &second, 10);
  *queued_ns = strtoull(second, NULL, 10);
  return ran_ns > 0; /* without CONFIG_SCHED_INFO all are 0 */
}

static bool read_usage(int schedstat, struct gcbench_usage *usage) {
  struct rusage switches;
  if (getrusage(RUSAGE_THREAD, &switches) != 0) return false;
  usage->sleeps = switches.ru_nvcsw;
  usage->cpu_ns = td_thread_cpu_ns();
  return read_queued_ns(schedstat, &usage->queued_ns);
}

void gcbench_halts_begin(struct gcbench_halts *halts) {
  halts->schedstat = open("/proc/thread-self/schedstat", O_RDONLY);
  halts->knows = read_usage(halts->schedstat, &halts->last);
  halts->last_ns = td_now_ns();
}

void gcbench_halts_end(struct gcbench_halts *halts) {
  if (halts->schedstat >= 0) close(halts->schedstat);
}

uint64_t gcbench_halts_own_ns(struct gcbench_halts *halts, uint64_t began_ns, uint64_t *now_ns) {
  uint64_t own_ns = *now_ns - began_ns;
  if (own_ns < LONG_NS && *now_ns - halts->last_ns < APART_NS) return own_ns;
  const struct gcbench_usage last = halts->last;
  struct gcbench_usage now;
  if (!halts->knows || !read_usage(halts->schedstat, &now)) return own_ns;
  uint64_t here_ns = now.cpu_ns - last.cpu_ns + now.queued_ns - last.queued_ns;
  if (now.sleeps == last.sleeps && here_ns < own_ns) own_ns = here_ns;
  halts->last = now;
  *now_ns = halts->last_ns = td_now_ns();
  return own_ns;
}
