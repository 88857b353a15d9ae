/* SPDX-License-Identifier: MIT */
/* Threads that a signal stops: what attaching refuses, which signal it is, and what is said when a
 * program is in the way. Deterministic; the storm is tests/stress/signals.c. */
#include "tests/unit/gc/common.h"
#include "gc/state/mutator.h"
#include "tide/foreign.h"

static struct tide_heap *heap;
static void make_heap(void) {
  heap = tide_heap_create(NULL, NULL);
}
static void destroy_heap(void) {
  cr_assert_eq(tide_heap_destroy(heap), TIDE_OK);
}
TestSuite(signals, .init = make_heap, .fini = destroy_heap);

static struct tide_mutator *attach(struct tide_heap *to) {
  return mutator_of(to, TIDE_STACK_CONSERVATIVE, TIDE_STOP_SIGNAL);
}

static void attach_refused(struct tide_heap *to, enum tide_stack stack, enum tide_stop stop,
                           enum tide_status status, const char *why) {
  struct tide_attach_options options;
  struct tide_error error;
  tide_attach_options_init(&options);
  options.stack = stack;
  options.stop = stop;
  cr_assert_null(tide_attach(to, &options, &error));
  cr_assert_eq(error.status, status);
  cr_assert(strstr(error.text, why), "%s", error.text);
}

static void signal_refused(struct tide_heap *to, enum tide_status status, const char *why) {
  attach_refused(to, TIDE_STACK_CONSERVATIVE, TIDE_STOP_SIGNAL, status, why);
}

Test(signals, need_a_conservative_stack) {
  attach_refused(heap, TIDE_STACK_PRECISE, TIDE_STOP_SIGNAL, TIDE_ERROR_ARGUMENT, "precise stack");
  attach_refused(heap, TIDE_STACK_CONSERVATIVE, (enum tide_stop)7, TIDE_ERROR_ARGUMENT, "");
}

Test(signals, stop_a_thread_in_all_heaps_or_none) {
  struct tide_heap *two = tide_heap_create(NULL, NULL);
  struct tide_mutator *m = tide_attach(heap, NULL, NULL);
  signal_refused(two, TIDE_ERROR_STATE, "");
  cr_assert_eq(tide_detach(m), TIDE_OK);
  m = attach(two);
  attach_refused(heap, TIDE_STACK_CONSERVATIVE, TIDE_STOP_POLL, TIDE_ERROR_STATE, "");
  struct tide_mutator *other = attach(heap);
  cr_assert_eq(tide_detach(m), TIDE_OK);
  cr_assert_eq(tide_detach(other), TIDE_OK);
  cr_assert_eq(tide_heap_destroy(two), TIDE_OK);
}

Test(signals, can_be_chosen) {
  struct tide_error error;
  cr_assert_eq(tide_stop_signal(), 0);
  cr_assert_eq(tide_stop_signal_set(SIGKILL, &error), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_stop_signal_set(SIGSEGV, &error), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_stop_signal_set(4000, &error), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_stop_signal_set(SIGXCPU, &error), TIDE_OK);
  struct tide_mutator *m = attach(heap);
  cr_assert_eq(tide_stop_signal(), SIGXCPU);
  cr_assert_eq(tide_stop_signal_set(SIGPWR, &error), TIDE_ERROR_STATE);
  cr_assert_eq(tide_detach(m), TIDE_OK);
  cr_assert_eq(tide_stop_signal_set(SIGPWR, &error), TIDE_OK);
  struct sigaction now;
  cr_assert_eq(sigaction(SIGXCPU, NULL, &now), 0);
  cr_assert_eq(now.sa_handler, SIG_DFL, "the signal was not given back");
}

Test(signals, come_from_the_environment) {
  setenv("TIDE_STOP_SIGNAL", "PWR", 1);
  signal_refused(heap, TIDE_ERROR_ENVIRONMENT, "PWR");
  setenv("TIDE_STOP_SIGNAL", "9", 1);
  signal_refused(heap, TIDE_ERROR_ENVIRONMENT, "9");
  setenv("TIDE_STOP_SIGNAL", "24", 1);
  SCOPED_MUTATOR m = attach(heap);
  cr_assert_eq(tide_stop_signal(), 24);
}

static void handle(UNUSED int number) {}

Test(signals, that_the_program_handles_are_left_to_it) {
  signal(SIGPWR, handle);
  signal_refused(heap, TIDE_ERROR_STATE, "TIDE_STOP_SIGNAL=");
}

static _Atomic(int) turn;

/* Runs without safepoints; the object is in a register or on the stack only. */
static void *spin(void *unused) {
  struct tide_mutator *m = attach(heap);
  sigset_t set;
  void **object = tide_alloc(m, TIDE_LAYOUT_REFS, 64);
  object[3] = tide_alloc(m, TIDE_LAYOUT_LEAF, 64);
  *(uint64_t *)object[3] = 12345;
  if (turn == 10) { /* as a child of a thread that blocks all signals, or by itself */
    sigfillset(&set);
    pthread_sigmask(SIG_SETMASK, &set, NULL);
  }
  turn++;
  while (turn % 10 == 1)
    continue;
  if (turn < 10) cr_assert_eq(*(uint64_t *)object[3], 12345);
  tide_safepoint(m);
  cr_assert_eq(*(uint64_t *)object[3], 12345);
  tide_detach(m);
  return unused;
}

Test(signals, stop_a_thread_that_never_polls) {
  SCOPED_MUTATOR m = attach(heap);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before); /* attaching lets the signal through */
  pthread_t thread = thread_new(spin, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  while (turn == 0)
    continue;
  for (int i = 0; i < 50; i++) {
    void *volatile garbage = NULL;
    for (int j = 0; j < 1000; j++)
      garbage = tide_alloc(m, TIDE_LAYOUT_LEAF, 64);
    (void)garbage;
    cr_assert_eq(tide_collect(m), TIDE_OK);
  }
  turn++;
  pthread_join(thread, NULL);
}

/* Takes the signal for itself when threads are attached already. */
Test(signals, taken_later_end_the_process, .signal = SIGABRT) {
  struct tide_mutator *m = attach(heap);
  thread_new(spin, NULL);
  while (turn == 0)
    continue;
  signal(SIGPWR, handle);
  tide_collect(m);
}

static void *read_lines(void *file) {
  static char said[4096];
  size_t used = 0;
  ssize_t bytes;
  while ((bytes = read(*(int *)file, said + used, sizeof said - 1 - used)) > 0) {
    used += (size_t)bytes;
    if (memchr(said, '\n', used)) turn++; /* the thread may go on */
  }
  return said;
}

Test(signals, that_a_thread_blocks_are_named) {
  int pipes[2], kept = dup(STDERR_FILENO);
  void *said;
  SCOPED_MUTATOR m = attach(heap);
  turn = 10;
  pthread_t thread = thread_new(spin, NULL);
  while (turn == 10)
    continue;
  cr_assert_eq(pipe(pipes), 0);
  pthread_t reader = thread_new(read_lines, &pipes[0]);
  dup2(pipes[1], STDERR_FILENO);
  close(pipes[1]);
  cr_assert_eq(tide_collect(m), TIDE_OK);
  dup2(kept, STDERR_FILENO);
  pthread_join(reader, &said);
  pthread_join(thread, NULL);
  cr_assert(strstr(said, "signal 30"), "%s", (char *)said);
}

/* A collection that wants to be told on the standard error, while a thread stands in a loop with
 * that stream's lock: nothing is written before the thread goes on. */
static void *hold_stderr(void *unused) {
  struct tide_mutator *m = attach(heap);
  flockfile(stderr);
  turn++;
  while (turn == 1)
    continue;
  funlockfile(stderr);
  tide_detach(m);
  return unused;
}

static void *let_go(void *unused) {
  usleep(300000);
  turn++;
  return unused;
}

Test(signals, log_lines_wait_for_the_world) {
  destroy_heap();
  setenv("TIDE_LOG", "1", 1);
  make_heap();
  SCOPED_MUTATOR m = attach(heap);
  pthread_t thread = thread_new(hold_stderr, NULL);
  while (turn == 0)
    continue;
  pthread_t other = thread_new(let_go, NULL);
  cr_assert_eq(tide_collect(m), TIDE_OK);
  pthread_join(other, NULL);
  pthread_join(thread, NULL);
}

static _Atomic(bool) holds, is_through;

static void *hold_for_a_while(void *unused) {
  struct tide_mutator *m = attach(heap);
  tide_stop_hold(m);
  tide_stop_hold(m);
  holds = true;
  usleep(30000);
  tide_stop_release(m);
  usleep(30000); /* the outer hold is still open */
  is_through = true;
  tide_stop_release(m);
  return tide_detach(m) == TIDE_OK ? heap : unused;
}

Test(signals, do_not_stop_a_thread_that_holds_them_off) {
  SCOPED_MUTATOR m = attach(heap);
  pthread_t thread;
  thread = thread_new(hold_for_a_while, NULL);
  while (!holds)
    usleep(100);
  cr_assert_eq(tide_collect(m), TIDE_OK);
  cr_assert(is_through, "the thread was stopped in between");
  cr_assert_eq(thread_end(m, thread), heap);
}

/* A callback of a collection that an allocation has begun may write, and is refused if it wants to
 * allocate. Either way the allocation goes on as one that no signal may stop. */
ROOTS_OF(act_in_callback) {
  struct tide_mutator *m = *(struct tide_mutator **)context;
  uint32_t before = m->fast.inside;
  void *word = NULL;
  cr_assert_gt(before, 0);
  cr_assert_null(tide_alloc(m, TIDE_LAYOUT_LEAF, 16));
  tide_write_begin(m, &word, &word, 1);
  cr_assert_eq(m->fast.inside, before);
}
Test(signals, an_allocation_in_a_callback_ends_no_other, .signal = TOLD) {
  struct tide_options options = small_options();
  options.heap_max_bytes = (size_t)4 << 20;
  options.write_barrier = true;
  struct tide_heap *small = tide_heap_create(&options, NULL);
  struct tide_mutator *m = attach(small);
  cr_assert_eq(tide_root_add_callback(small, act_in_callback, &m), TIDE_OK);
  struct tide_heap_stats stats = stats_of(small);
  for (int i = 0; i < 10000 && stats.collections == 0; i++, stats = stats_of(small))
    cr_assert_not_null(tide_alloc(m, TIDE_LAYOUT_LEAF, 4000));
  cr_assert_gt(stats.collections, 0);
  cr_assert_eq(m->fast.inside, 0);
  cr_assert_eq(tide_detach(m), TIDE_OK);
  cr_assert_eq(tide_heap_destroy(small), TIDE_OK);
}
