/* SPDX-License-Identifier: MIT */
#include "bench/simulate/machine/row.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "bench/cli/complain.h"
#include "bench/simulate/machine/memory.h"
#include "bench/simulate/machine/report.h"
#include "bench/simulate/machine/threads.h"
#include "bench/simulate/machine/waits.h"

#define STACK_BYTES ((size_t)8 << 20)
/* Collections until caches and predictors are warm, or objects that these mark. */
#define WARMING_MOST 16u
#define WARMING_MARKS 200000u

/* Active time, parks, grants: what the markers' own figures add up to. */
static void print_row(const struct td_cycle_record *record, uint64_t objects,
                      struct td_sim_phases phases) {
  uint64_t active = 0, failed = 0, grants = 0, parks = 0;
  unsigned took_part = 0;
  for (unsigned i = 0; i < record->all.markers; i++) {
    const struct tide_marker_stats *m = &record->marker[i];
    active += m->trace_ns + m->roots_ns;
    failed += m->failed_steals;
    grants += m->grants;
    parks += m->parks;
    took_part += m->objects > 0;
  }
  printf("row %s %u %" PRIu64 " %.0f %.0f %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
         " %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64,
         record->all.engine, record->all.markers, objects, phases.ns, phases.end_ns, active,
         record->all.steals, failed, grants, parks, took_part, phases.memory.accesses,
         phases.memory.lines, phases.memory.transfers, phases.branches.instructions,
         phases.branches.surprises);
  for (unsigned i = 0; i < TD_SPENT_COUNT; i++)
    printf(" %.0f", phases.spent_ns[i]);
  putchar('\n');
}

struct marked {
  struct td_cycle_record record;
  uint64_t objects;
  struct td_sim_phases phases;
};

static int mark(const struct td_sim_row *row, bool told, struct marked *marked) {
  td_sim_take_phases();
  if (!row->warm) td_sim_memory_forget();
  if (row->waits) td_sim_waits_forget();
  td_sim_rest();
  td_sim_told = told;
  td_sim_now.counts = told && row->warm;
  int status =
      td_subject_mark(row->subject, row->engine, row->markers, &marked->record, &marked->objects);
  td_sim_now.counts = false;
  marked->phases = td_sim_take_phases();
  return status;
}

/* The first collection starts the helpers. Memory costs nothing in it. Others warm the caches and
 * teach the predictors if these are to be warm. The row is of the last one. */
static int mark_and_print(const struct td_sim_row *row) {
  static struct marked marked;
  int status = mark(row, false, &marked);
  uint64_t marks = 0;
  for (unsigned i = 0; row->warm && i < WARMING_MOST && marks < WARMING_MARKS; i++) {
    if (status == TD_EXIT_OK) status = mark(row, true, &marked);
    marks += marked.objects;
  }
  if (status == TD_EXIT_OK) status = mark(row, true, &marked);
  if (status == TD_EXIT_OK) td_sim_waits_print(row->waits);
  if (status == TD_EXIT_OK) print_row(&marked.record, marked.objects, marked.phases);
  return status;
}

/* ---- The process ------------------------------------------------------------------------- */

static const struct td_sim_row *simulated;

static void simulate(void) {
  int status = TD_EXIT_OK;
  if (td_sim_threads_begin(simulated->topology->cores, &td_sim_costs, simulated->seed))
    status = mark_and_print(simulated);
  else
    status = td_complain(TD_EXIT_RESOURCES, "simulate: not enough memory for the threads");
  fflush(NULL);
  _exit(status); /* the simulated machine is not taken down */
}

/* On a stack of its own: where the program's begins depends on its arguments. */
static void simulate_on_own_stack(void) {
  static ucontext_t context;
  void *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stack == MAP_FAILED || getcontext(&context) != 0) _exit(TD_EXIT_RESOURCES);
  context.uc_stack.ss_sp = stack;
  context.uc_stack.ss_size = STACK_BYTES;
  makecontext(&context, simulate, 0);
  setcontext(&context);
  _exit(TD_EXIT_RESOURCES);
}

int td_sim_row(const struct td_sim_row *row) {
  fflush(NULL);
  simulated = row;
  pid_t child = fork();
  if (child < 0)
    return td_complain(TD_EXIT_RESOURCES, "simulate: cannot start a process: %s", strerror(errno));
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    simulate_on_own_stack();
  }
  int ended;
  while (waitpid(child, &ended, 0) < 0)
    if (errno != EINTR) return td_complain(TD_EXIT_RESOURCES, "simulate: %s", strerror(errno));
  if (WIFEXITED(ended)) return WEXITSTATUS(ended);
  return td_complain(TD_EXIT_RESOURCES, "simulate: a row's process ended by signal %d",
                     WTERMSIG(ended));
}
