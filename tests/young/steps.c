/* SPDX-License-Identifier: MIT */
/* A thread that a signal stops may be stopped at any instruction of the write barrier. Here it is
 * stopped at each: the thread goes through a store step by step, and at one of the steps, another
 * one each time, another thread collects. Afterwards what was stored must be found, and the heap
 * must be in order. For processors and systems with single steps that a program can ask for. */
#include <sched.h>
#include <signal.h>
#include <ucontext.h>

#include "gc/threads/inside.h"
#include "tests/young/heap.h"

#if !defined(__x86_64__) || !defined(__linux__)
int main(void) {
  puts("no single steps here");
  return 77;
}
#else
#define TRAP_FLAG 0x100

enum { PAIRS = 3, LONG = 1000 };

static struct tide_heap *heap;
static struct tide_mutator *self;
static volatile uint64_t step, stop_at; /* of the thread that stores, and its handler */
static volatile sig_atomic_t stored;
static _Atomic(uint64_t) wanted, done; /* collections */
static _Atomic(bool) full, finished;

static void *collect(void *unused) {
  SCOPED_MUTATOR m = ATTACH(heap);
  while (!atomic_load(&finished)) {
    tide_safepoint(m);
    if (atomic_load(&wanted) == atomic_load(&done)) {
      sched_yield();
      continue;
    }
    CHECK((atomic_load(&full) ? tide_collect : tide_collect_young)(m) == TIDE_OK);
    atomic_store(&done, atomic_load(&wanted));
  }
  return unused;
}

/* Has a collection take place here, or as soon as Tidemark lets the thread be stopped. */
static void on_step(int number, siginfo_t *info, void *context) {
  greg_t *flags = &((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL];
  *flags |= TRAP_FLAG;
  if (stored) *flags &= ~(greg_t)TRAP_FLAG;
  if (step++ != stop_at) return;
  atomic_fetch_add(&wanted, 1);
  const struct tide_mutator_fast *fast = (const struct tide_mutator_fast *)self;
  bool inside = fast->inside || td_inside_depth(td_self());
  while (!inside && atomic_load(&done) != atomic_load(&wanted))
    sched_yield();
}

static __attribute__((noinline)) void store(void *object, void **slot, void *value) {
  stored = 0;
  step = 0;
  __asm__ volatile("int3" ::: "memory");
  tide_write(self, object, slot, value);
  stored = 1;
  while (atomic_load(&done) != atomic_load(&wanted))
    sched_yield();
}

static void expect_order(void **object, const void *value, size_t at) {
  struct tide_check check;
  CHECK(tide_collect_young(self) == TIDE_OK);
  enum tide_status status = tide_check_marks(self, &check);
  if (status != TIDE_OK) fprintf(stderr, "step %" PRIu64 ": %s\n", stop_at, check.difference);
  CHECK(status == TIDE_OK);
  bool sound = is_sound(self);
  if (!sound) fprintf(stderr, "at step %" PRIu64 "\n", stop_at);
  CHECK(sound);
  CHECK(object[at] == value && tide_object_find(heap, object) == object);
  CHECK(tide_object_find(heap, value) == value && **(uint64_t *const *)&value == stop_at);
}

/* Returns how many stores it took to be stopped at each step. */
static uint64_t stop_everywhere(size_t words, bool with_full) {
  void **handle = tide_handle(self, NULL);
  atomic_store(&full, with_full);
  for (stop_at = 0; stop_at <= step; stop_at++) { /* 0: at the first of all */
    *handle = tide_alloc_array(self, TIDE_LAYOUT_REFS, words, sizeof(void *));
    CHECK(*handle && tide_collect(self) == TIDE_OK);
    void **object = *handle;
    uint64_t *value = new_object(self, TIDE_LAYOUT_LEAF, 16);
    *value = stop_at;
    store(object, &object[words / 2], value);
    expect_order(object, value, words / 2);
  }
  *handle = NULL;
  return stop_at;
}

int main(void) {
  heap = young_heap(1);
  self = ATTACH(heap, .stop = TIDE_STOP_SIGNAL);
  struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO | SA_RESTART};
  CHECK(sigaction(SIGTRAP, &action, NULL) == 0);
  pthread_t collector = thread_new(collect, NULL);
  for (unsigned turn = 0; turn < 4; turn++) {
    step = 1;
    uint64_t steps = stop_everywhere(turn / 2 ? LONG : PAIRS, turn % 2);
    printf("stopped at %" PRIu64 " steps\n", steps);
    CHECK(steps > 10);
  }
  atomic_store(&finished, true);
  thread_end(self, collector);
  young_heap_end(heap, self, 1);
  return 0;
}
#endif
