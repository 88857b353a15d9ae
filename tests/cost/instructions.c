/* How many instructions the inlined paths take, counted by running a child step by step: no clock,
 * so it comes out the same on a busy machine. The bounds are the aims: three for a poll (load,
 * test, branch), fifteen for an allocation with all that lies behind it.
 * Skipped (77) where a process may not trace its child. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/cost/loops.h"
#include "tests/stress/driver.h"

enum { SKIPPED = 77, WORDS = 4096, FEW = 500, MANY = 2500 };

static struct tide_mutator *m;
static uint64_t array[WORDS];
static void *volatile sink;

/* Objects in a ring, for the barrier. */
struct node {
  struct node *next;
  void *other;
};
static struct node *objects;

static void run_sum_plain(size_t turns) {
  sink = (void *)(uintptr_t)sum_plain(m, array, turns);
}
static void run_sum_polled(size_t turns) {
  sink = (void *)(uintptr_t)sum_polled(m, array, turns);
}
static void run_mix_plain(size_t turns) {
  sink = (void *)(uintptr_t)mix_plain(m, array, turns);
}
static void run_mix_polled(size_t turns) {
  sink = (void *)(uintptr_t)mix_polled(m, array, turns);
}
static ALONE void run_alloc(size_t turns) {
  for (size_t i = 0; i < turns; i++)
    *(void *volatile *)tide_alloc(m, TIDE_LAYOUT_REFS, 16) = NULL;
}

/* Stores into one object after the other, without and with the barrier. */
static ALONE void run_store_plain(size_t turns) {
  void *value = sink;
  for (struct node *at = objects; turns-- > 0; at = at->next) {
    *(tide_slot *)&at->other = value;
    FRESH;
  }
}
static ALONE void run_store_barrier(size_t turns) {
  struct tide_mutator *mutator = m;
  void *value = sink;
  for (struct node *at = objects; turns-- > 0; at = at->next) {
    tide_write(mutator, at, &at->other, value);
    FRESH;
  }
}

/* With the promise of a barrier: the objects are young, or old and logged in the first turns. */
enum age { NO_BARRIER, YOUNG, OLD };
static enum age age;

static void make_ring(void) {
  enum { NODES = 64 };
  struct node *first = NULL;
  for (unsigned i = 0; i < NODES; i++) {
    struct node *node = tide_alloc(m, TIDE_LAYOUT_REFS, sizeof *node);
    if (!first) first = node;
    node->next = objects;
    objects = node;
  }
  first->next = objects;
}

/* SIGUSR1 before and after what is to be counted. */
static void child(void (*run)(size_t), size_t turns) {
  struct tide_options options;
  tide_options_init(&options);
  options.write_barrier = age != NO_BARRIER;
  struct tide_heap *heap = tide_heap_create(&options, NULL);
  CHECK(heap && (m = tide_attach(heap, NULL, NULL)));
  make_ring();
  CHECK(tide_root_add(heap, &objects) == TIDE_OK);
  if (age == OLD) CHECK(tide_collect(m) == TIDE_OK);
  run(turns); /* what happens once only has happened */
  if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) _exit(SKIPPED);
  raise(SIGUSR1);
  run(turns);
  raise(SIGUSR1);
  _exit(0);
}

/* Steps from one SIGUSR1 to the next. */
static uint64_t count_steps(pid_t pid) {
  int status;
  CHECK(waitpid(pid, &status, 0) == pid);
  if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED) {
    fprintf(stderr, "tracing is not allowed here\n");
    exit(SKIPPED);
  }
  while (WIFSTOPPED(status) && WSTOPSIG(status) != SIGUSR1) { /* stopped and continued by others */
    CHECK(ptrace(PTRACE_CONT, pid, NULL, NULL) == 0);
    CHECK(waitpid(pid, &status, 0) == pid);
  }
  CHECK(WIFSTOPPED(status));
  uint64_t steps = 0;
  do {
    if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) != 0) {
      fprintf(stderr, "no single steps here: %s\n", strerror(errno));
      kill(pid, SIGKILL);
      exit(SKIPPED);
    }
    CHECK(waitpid(pid, &status, 0) == pid && WIFSTOPPED(status));
    steps += WSTOPSIG(status) == SIGTRAP; /* other signals are not passed on */
  } while (WSTOPSIG(status) != SIGUSR1);
  kill(pid, SIGKILL);
  CHECK(waitpid(pid, &status, 0) == pid);
  return steps;
}

static uint64_t steps_of(void (*run)(size_t), size_t turns) {
  pid_t pid = fork();
  CHECK(pid >= 0);
  if (pid == 0) child(run, turns);
  return count_steps(pid);
}

/* Of one turn: what is done once falls out of the difference. */
static double per_turn(const char *name, void (*run)(size_t)) {
  uint64_t few = steps_of(run, FEW), many = steps_of(run, MANY);
  double steps = (double)(many - few) / (MANY - FEW);
  printf("%-12s %.2f instructions a turn\n", name, steps);
  return steps;
}

/* Parent and child take turns all the time: faster on one processor. */
static void stay_here(void) {
  cpu_set_t here;
  int cpu = sched_getcpu();
  CPU_ZERO(&here);
  if (cpu >= 0 && cpu < CPU_SETSIZE) CPU_SET((size_t)cpu, &here);
  sched_setaffinity(0, sizeof here, &here);
}

int main(void) {
  stay_here();
  double sum = per_turn("sum", run_sum_plain), sum_poll = per_turn("sum, polled", run_sum_polled);
  double mix = per_turn("mix", run_mix_plain), mix_poll = per_turn("mix, polled", run_mix_polled);
  double alloc = per_turn("allocation", run_alloc);
  double store = per_turn("store", run_store_plain);
  double barrier = per_turn("barrier", run_store_barrier);
  age = YOUNG;
  double young = per_turn("young", run_store_barrier);
  age = OLD;
  double old = per_turn("old, logged", run_store_barrier);
#if defined(__OPTIMIZE__) && defined(__x86_64__)
  /* Of the polled loops: those without may be unrolled. Somebody else's signal may add a step. */
  CHECK(sum_poll <= 4 + 3.01 && mix_poll <= 5 + 3.01);
  CHECK(barrier <= store + 7.01);
  CHECK(alloc <= 15 + 4); /* the loop's own: a store, an addition, a comparison, a branch */
#else
  CHECK(sum_poll > 1 && mix_poll > 1 && alloc > 1 && store > 1 && barrier > 1);
#endif
  /* The same instructions, whether the heap makes something of it or not. */
  CHECK(young <= barrier + 0.01 && old <= barrier + 0.01);
  CHECK(sum_poll > sum && mix_poll > mix);
  return 0;
}
