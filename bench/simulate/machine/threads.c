/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE 1
#include "bench/simulate/machine/threads.h"

#include <link.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "bench/simulate/machine/account.h"
#include "bench/simulate/topology.h"

#define THREADS_MAX 1024u
#define STACK_BYTES (512u << 10)
#define EVENTS_MAX (1u << 20) /* with those of sleepers that were woken before their time */
#define OWN_VARIABLES_MAX 4096u
#define NOBODY UINT32_MAX

enum state { NONE, WAITS, EXECUTES, SLEEPS, WAKES, ENDED };

struct td_sim_thread {
  enum state state;
  uint32_t number;
  uint32_t home;    /* the core that it would like to have */
  uint32_t core;    /* that it has */
  uint64_t started; /* when it got that core */
  const void *key;
  uint64_t sleep; /* number of the sleep: an event for an earlier one is void */
  void *(*body)(void *);
  void *argument;
  sigjmp_buf context;
  ucontext_t first;
  bool entered;
  char variables[OWN_VARIABLES_MAX]; /* thread-local variables, while another thread executes */
};

/* At `time`, thread `thread` goes on, or wakes. */
struct event {
  uint64_t time, order, sleep;
  uint32_t thread;
};

struct core {
  uint64_t now;
  uint32_t thread; /* NOBODY: it is idle */
};

static struct {
  struct td_sim_thread *thread[THREADS_MAX];
  uint32_t count, current;
  struct core core[TD_SIM_CORES_MAX];
  unsigned cores;
  struct event heap[EVENTS_MAX];
  uint32_t events;
  uint64_t order, sleeps;
  uint32_t waiting[THREADS_MAX]; /* for a core, the first one first */
  uint32_t waits;
  uint32_t sleeping[THREADS_MAX]; /* in the order in which they went to sleep */
  uint32_t sleepers;
  struct td_costs costs;
  uint32_t random;
  void *variables; /* thread-local variables of the program */
  size_t variable_bytes;
} machine;

struct td_sim_now td_sim_now;
struct td_sim_account td_sim_account;
_Thread_local bool td_sim_idle;

static uint64_t cost(enum td_cost which) {
  return (uint64_t)(machine.costs.at[which] * 1000);
}

static void fatal(const char *what) {
  fprintf(stderr, "tidemark-simulated: %s\n", what);
  abort();
}

/* ---- Events: a binary heap --------------------------------------------------------------- */

static bool is_before(const struct event *a, const struct event *b) {
  return a->time != b->time ? a->time < b->time : a->order < b->order;
}

static void push(uint64_t time, uint32_t thread, uint64_t sleep) {
  if (machine.events == EVENTS_MAX) fatal("too many events");
  struct event event = {.time = time, .order = machine.order++, .sleep = sleep, .thread = thread};
  uint32_t at = machine.events++;
  for (; at > 0 && is_before(&event, &machine.heap[(at - 1) / 2]); at = (at - 1) / 2)
    machine.heap[at] = machine.heap[(at - 1) / 2];
  machine.heap[at] = event;
}

static struct event pop(void) {
  struct event first = machine.heap[0], last = machine.heap[--machine.events];
  uint32_t at = 0;
  for (uint32_t child; (child = 2 * at + 1) < machine.events; at = child) {
    if (child + 1 < machine.events && is_before(&machine.heap[child + 1], &machine.heap[child]))
      child++;
    if (!is_before(&machine.heap[child], &last)) break;
    machine.heap[at] = machine.heap[child];
  }
  machine.heap[at] = last;
  return first;
}

/* ---- Coroutines -------------------------------------------------------------------------- */

static struct td_sim_thread *current(void) {
  return machine.thread[machine.current];
}

static void exchange_variables(struct td_sim_thread *from, struct td_sim_thread *to) {
  memcpy(from->variables, machine.variables, machine.variable_bytes);
  memcpy(machine.variables, to->variables, machine.variable_bytes);
}

static void switch_to(uint32_t number) {
  struct td_sim_thread *from = current(), *to = machine.thread[number];
  if (from == to) return;
  exchange_variables(from, to);
  machine.current = number;
  if (_setjmp(from->context) != 0) return;
  if (to->entered) _longjmp(to->context, 1);
  to->entered = true;
  setcontext(&to->first);
}

/* ---- Cores ------------------------------------------------------------------------------- */

/* Returns an idle core, the thread's own if possible; NOBODY if there is none. */
static uint32_t find_idle(const struct td_sim_thread *thread) {
  for (uint32_t i = 0; i < machine.cores; i++) {
    uint32_t core = (thread->home + i) % machine.cores;
    if (machine.core[core].thread == NOBODY) return core;
  }
  return NOBODY;
}

static void occupy(struct td_sim_thread *thread, uint32_t number, uint64_t time) {
  struct core *core = &machine.core[number];
  if (core->now < time) core->now = time;
  core->thread = thread->number;
  thread->core = number;
  thread->state = EXECUTES;
  thread->started = core->now;
  push(core->now, thread->number, 0);
}

/* A thread that wakes where all cores are taken gets the one that somebody has had for longest,
 * after as long as this system makes it wait. */
static void take_from_longest(struct td_sim_thread *thread, uint64_t time) {
  struct td_sim_thread *victim = NULL;
  for (uint32_t i = 0; i < machine.cores; i++) {
    struct td_sim_thread *at = machine.thread[machine.core[i].thread];
    if (!victim || at->started < victim->started) victim = at;
  }
  uint64_t more = cost(TD_COST_wake_busy_ns), delay = cost(TD_COST_wake_delay_ns);
  uint64_t end = time + (more > delay ? more - delay : 0), slice = cost(TD_COST_slice_ns);
  if (victim->started + slice > end) victim->started = end > slice ? end - slice : 0;
  memmove(machine.waiting + 1, machine.waiting, machine.waits++ * sizeof machine.waiting[0]);
  machine.waiting[0] = thread->number;
}

static void make_ready(struct td_sim_thread *thread, uint64_t time) {
  uint32_t core = find_idle(thread);
  thread->state = WAITS;
  if (core != NOBODY)
    occupy(thread, core, time);
  else
    take_from_longest(thread, time);
}

/* The core has become free. */
static void hand_over(uint32_t number) {
  if (machine.waits == 0) return;
  struct td_sim_thread *next = machine.thread[machine.waiting[0]];
  memmove(machine.waiting, machine.waiting + 1, --machine.waits * sizeof machine.waiting[0]);
  occupy(next, number, machine.core[number].now + cost(TD_COST_switch_ns));
}

/* The thread's turn is over, and others wait. */
static void take_turns(struct td_sim_thread *self) {
  machine.core[self->core].thread = NOBODY;
  machine.waiting[machine.waits++] = self->number;
  self->state = WAITS;
  hand_over(self->core);
}

static void wake_up(struct td_sim_thread *thread, uint64_t time) {
  for (uint32_t i = 0; i < machine.sleepers; i++)
    if (machine.sleeping[i] == thread->number) {
      memmove(machine.sleeping + i, machine.sleeping + i + 1,
              (--machine.sleepers - i) * sizeof machine.sleeping[0]);
      break;
    }
  make_ready(thread, time);
}

/* Takes the next event that means anything, and lets its thread go on. */
static void dispatch(void) {
  for (;;) {
    if (machine.events == 0) fatal("all threads sleep");
    struct event event = pop();
    struct td_sim_thread *thread = machine.thread[event.thread];
    if (event.sleep != 0) {
      bool holds = event.sleep == thread->sleep;
      if (holds && (thread->state == SLEEPS || thread->state == WAKES)) wake_up(thread, event.time);
      continue;
    }
    td_sim_now.core = thread->core;
    td_sim_now.now = machine.core[thread->core].now;
    uint64_t horizon =
        machine.events ? machine.heap[0].time + cost(TD_COST_lookahead_ns) : UINT64_MAX;
    uint64_t turn = thread->started + cost(TD_COST_slice_ns);
    /* If nobody waits, it is looked at again as late as that. */
    if (turn < td_sim_now.now) turn = machine.waits > 0 ? td_sim_now.now : UINT64_MAX;
    td_sim_now.horizon = horizon < turn ? horizon : turn;
    switch_to(event.thread);
    return;
  }
}

void td_sim_yield(void) {
  struct td_sim_thread *self = current();
  if (self->state == EXECUTES) {
    uint64_t now = td_sim_now.now;
    machine.core[self->core].now = now;
    if (now < self->started + cost(TD_COST_slice_ns)) {
      push(now, self->number, 0);
    } else if (machine.waits > 0) {
      take_turns(self);
    } else {
      self->started = now;
      push(now, self->number, 0);
    }
  }
  dispatch();
}

void td_sim_spend(double ns) {
  if (!td_sim_now.on) return;
  td_sim_book(TD_SPENT_WORK, (uint64_t)(ns * 1000));
  td_sim_now.now += (uint64_t)(ns * 1000);
  td_sim_step();
}

/* ---- Threads ----------------------------------------------------------------------------- */

static void enter(void) {
  struct td_sim_thread *thread = current();
  thread->body(thread->argument);
  thread->state = ENDED;
  machine.core[thread->core].now = td_sim_now.now;
  machine.core[thread->core].thread = NOBODY;
  td_sim_wake(thread, UINT32_MAX);
  hand_over(thread->core);
  td_sim_yield();
  fatal("a thread that has ended goes on");
}

static struct td_sim_thread *new_thread(void) {
  if (machine.count == THREADS_MAX) return NULL;
  struct td_sim_thread *thread = calloc(1, sizeof *thread);
  if (!thread) return NULL;
  thread->number = machine.count;
  thread->home = machine.count % machine.cores;
  machine.thread[machine.count++] = thread;
  return thread;
}

static int find_variables(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size, (void)context;
  for (unsigned i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_TLS) {
      machine.variables = info->dlpi_tls_data;
      machine.variable_bytes = machine.variables ? info->dlpi_phdr[i].p_memsz : 0;
    }
  return 1; /* the program is the first, and no other is asked for */
}

bool td_sim_threads_begin(unsigned cores, const struct td_costs *costs, uint32_t seed) {
  machine.cores = cores;
  machine.costs = *costs;
  machine.random = seed * 2654435761u ^ 2463534242u;
  if (machine.random == 0) machine.random = 2463534242u;
  for (unsigned i = 0; i < cores; i++)
    machine.core[i].thread = NOBODY;
  dl_iterate_phdr(find_variables, NULL);
  if (machine.variable_bytes > OWN_VARIABLES_MAX) fatal("too many thread-local variables");
  struct td_sim_thread *first = new_thread();
  if (!first) return false;
  first->entered = true;
  first->state = EXECUTES;
  machine.core[0].thread = 0;
  td_sim_now = (struct td_sim_now){.on = true, .horizon = UINT64_MAX};
  return true;
}

struct td_sim_thread *td_sim_thread_start(void *(*body)(void *), void *argument) {
  struct td_sim_thread *thread = new_thread();
  if (!thread) return NULL;
  void *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stack == MAP_FAILED || getcontext(&thread->first) != 0) return NULL;
  thread->first.uc_stack.ss_sp = stack;
  thread->first.uc_stack.ss_size = STACK_BYTES;
  makecontext(&thread->first, enter, 0);
  thread->body = body;
  thread->argument = argument;
  thread->state = SLEEPS;
  thread->sleep = ++machine.sleeps;
  td_sim_spend(machine.costs.at[TD_COST_wake_call_ns]);
  push(td_sim_now.now + cost(TD_COST_wake_delay_ns), thread->number, thread->sleep);
  td_sim_now.horizon = 0;
  td_sim_step();
  return thread;
}

void td_sim_thread_join(struct td_sim_thread *thread) {
  while (thread->state != ENDED)
    td_sim_sleep(thread, 0);
}

void td_sim_sleep(const void *key, uint64_t timeout_ns) {
  struct td_sim_thread *self = current();
  self->state = SLEEPS;
  self->key = key;
  self->sleep = ++machine.sleeps;
  machine.sleeping[machine.sleepers++] = self->number;
  machine.core[self->core].now = td_sim_now.now;
  machine.core[self->core].thread = NOBODY;
  if (timeout_ns) push(td_sim_now.now + timeout_ns * 1000, self->number, self->sleep);
  hand_over(self->core);
  dispatch();
}

/* Returns a factor of [0.75, 1.25). */
static double chance(void) {
  machine.random ^= machine.random << 13;
  machine.random ^= machine.random >> 17;
  machine.random ^= machine.random << 5;
  return 0.75 + 0.5 * machine.random / 4294967296.0;
}

unsigned td_sim_wake(const void *key, unsigned count) {
  unsigned woken = 0;
  for (uint32_t i = 0; i < machine.sleepers && woken < count;) {
    struct td_sim_thread *thread = machine.thread[machine.sleeping[i]];
    if (thread->key != key || thread->state != SLEEPS) {
      i++;
      continue;
    }
    memmove(machine.sleeping + i, machine.sleeping + i + 1,
            (--machine.sleepers - i) * sizeof machine.sleeping[0]);
    thread->state = WAKES;
    thread->sleep = ++machine.sleeps; /* its timeout is void */
    td_sim_book(TD_SPENT_WAKING, cost(TD_COST_wake_call_ns));
    td_sim_now.now += cost(TD_COST_wake_call_ns);
    uint64_t delay = (uint64_t)((double)cost(TD_COST_wake_delay_ns) * chance());
    td_sim_book(TD_SPENT_ARISING, delay);
    push(td_sim_now.now + delay, thread->number, thread->sleep);
    woken++;
  }
  if (woken > 0) td_sim_now.horizon = 0; /* it has to be found anew */
  return woken;
}
