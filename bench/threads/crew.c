/* SPDX-License-Identifier: MIT */
#include "bench/threads/crew.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/resource.h>

#include "bench/cli/cleanup.h"

/* A thread that waits for the others spins this often before it yields its CPU. */
#define SPINS 2000u

enum signal { WAIT, GO, GIVE_UP };

struct crew {
  const struct td_cpus *cpus;
  td_crew_body *body;
  void *context;
  unsigned threads;
  /* All threads add, all read. */
  _Atomic(unsigned) ready, running;
  /* The caller writes, the others read: [crew.go]. */
  _Atomic(unsigned) signal;
  _Atomic(bool) disturbed;
};

struct member {
  struct crew *crew;
  unsigned number;
  pthread_t handle;
};

static void pin(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (cpu < 0 || cpu >= CPU_SETSIZE) return;
  CPU_SET((size_t)cpu, &set);
  /* If this fails, the thread is measured where the system puts it. */
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

static long lost_cpu(void) {
  struct rusage usage;
  return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nivcsw : 0;
}

static void spin(unsigned *spins) {
  td_pause();
  if (++*spins % SPINS == 0) sched_yield();
}

/* Nobody begins before all threads have a CPU, or a thread might miss the run altogether. */
static void take_part(struct crew *crew, unsigned number) {
  long before = lost_cpu();
  /* relaxed, both: the number orders nothing. */
  atomic_fetch_add_explicit(&crew->running, 1u, memory_order_relaxed);
  unsigned spins = 0;
  while (atomic_load_explicit(&crew->running, memory_order_relaxed) < crew->threads)
    spin(&spins);
  crew->body(crew->context, number);
  /* relaxed: read after all threads have been joined. */
  if (lost_cpu() != before) atomic_store_explicit(&crew->disturbed, true, memory_order_relaxed);
}

static void *run_member(void *argument) {
  struct member *member = argument;
  struct crew *crew = member->crew;
  pin(crew->cpus->number[member->number % crew->cpus->count]);
  /* relaxed: only counted. */
  atomic_fetch_add_explicit(&crew->ready, 1u, memory_order_relaxed);
  unsigned signal, spins = 0;
  /* acquire [crew.go]: pairs with td_crew_run; what the caller has prepared. */
  while ((signal = atomic_load_explicit(&crew->signal, memory_order_acquire)) == WAIT)
    spin(&spins);
  if (signal == GO) take_part(crew, member->number);
  return NULL;
}

bool td_crew_run(const struct td_cpus *cpus, unsigned threads, td_crew_body *body, void *context,
                 bool *disturbed) {
  struct crew crew = {.cpus = cpus, .body = body, .context = context, .threads = threads};
  struct member members[TD_CREW_MAX];
  unsigned started = 1;
  sigset_t before;
  td_cleanup_hold(&before);
  while (started < threads) {
    members[started] = (struct member){.crew = &crew, .number = started};
    if (pthread_create(&members[started].handle, NULL, run_member, &members[started]) != 0) break;
    started++;
  }
  td_cleanup_release(&before);
  bool complete = started == threads;
  cpu_set_t own;
  bool known = pthread_getaffinity_np(pthread_self(), sizeof own, &own) == 0;
  pin(cpus->number[0]);
  unsigned spins = 0;
  /* relaxed: only counted. */
  while (atomic_load_explicit(&crew.ready, memory_order_relaxed) + 1 < started)
    spin(&spins);
  /* release [crew.go]: pairs with run_member; all that the bodies read. */
  atomic_store_explicit(&crew.signal, complete ? GO : GIVE_UP, memory_order_release);
  if (complete) take_part(&crew, 0);
  for (unsigned i = 1; i < started; i++)
    pthread_join(members[i].handle, NULL);
  if (known) pthread_setaffinity_np(pthread_self(), sizeof own, &own);
  *disturbed = atomic_load_explicit(&crew.disturbed, memory_order_relaxed);
  return complete;
}
