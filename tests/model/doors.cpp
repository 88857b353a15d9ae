// SPDX-License-Identifier: MIT
// Threads that a signal stops, with a mutator in each of two heaps, while both heaps are collected
// and the process forks: gc/threads/stop/world.c, gc/threads/stop/signal.c, gc/threads/inside.h and
// the blocking sections of gc/threads/mutator/safepoint.c as shipped, under Relacy.
//
//   relacy_doors --thread SCRIPT [--thread SCRIPT] [--stopper SCRIPT]...
//
// Two or three threads in all. Scripts, one letter a step. Threads: p the program uses its runs, i
// a scope inside Tidemark, a a way to allocate, b or B a blocking section of the first or second
// heap, in which the program uses the other one, d leave the second heap and attach to it again.
// They and stoppers, who have no mutators: c or C a collection of the first or second heap, f a
// fork. Stoppers: s and S suspend the first thread and let it go on. A signal may come at every
// fence for the compiler and before every atomic access. Threads end in blocking sections.
//
// Checked: every stop ends, and everybody goes on after it. In a collection no thread uses the runs
// of that heap or what is inside Tidemark; in a fork none uses those of any heap, but a thread that
// the signal has stopped outside goes on, without runs, until it comes in.
#include <pthread.h>

#include "relacy/stdatomic.h"

static bool signal_point();
#define MODEL_BEFORE signal_point()
#define atomic_signal_fence(order) signal_point()
#include "relacy/sites.h"
#include "relacy/watched.h"

#include <cstdlib>
#include <cstring>

#include "tests/model/doors.h"

namespace {

char const *scripts[THREADS_MOST];

// ---- The checker ----

void init_heap(unsigned number) {
  struct tide_heap *heap = &now->heap[number];
  heap->world = &now->world[number];
  atomic_init(&heap->world->count, mutating);
  atomic_init(&heap->world->awaited, 0u);
  atomic_init(&heap->world->gate, 0u);
  atomic_init(&heap->world->holder, (void const *)NULL);
  atomic_init(&now->passed_on[number], 0u);
  heap->world->lock = {false, &now->passed_on[number]};
  heap->world->mutators = NULL;
  heap->world->stands_still = false;
}

void init_mutator(unsigned id, unsigned number) {
  struct tide_mutator *m = &now->mutator[id][number];
  m->heap = &now->heap[number];
  m->next = m->heap->world->mutators;
  m->heap->world->mutators = m;
  m->thread_next = number > 0 ? &now->mutator[id][number - 1] : NULL;
  m->thread_id = (long)id;
  m->stop_signal = 1;
  m->signalled = &now->self[id];
  m->section_safe = m->interrupted = m->released = false;
  atomic_init(&m->suspended, false);
  m->door = m->blocking_depth = 0;
  m->fast.inside = 0;
  m->fast.bump = &shown;
  atomic_init(&m->fast.stop, 0u);
  atomic_init(&m->state, 0u);
  now->runs[id][number] = 0;
  now->inside[id][number] = 0;
}

void init_thread(unsigned id) {
  struct td_self *self = &now->self[id];
  bool mutates = id < mutating;
  self->mutators = mutates ? &now->mutator[id][HEAPS - 1] : NULL;
  self->worlds = 0;
  self->at_doors = self->waits_at_door = self->put_off = false;
  self->answer = mutates ? answer : NULL;
  atomic_init(&self->inside, 0u);
  atomic_init(&now->sent[id], 0u);
  atomic_init(&now->asleep[id], 0u);
  now->handling[id] = false;
  for (unsigned heap = 0; mutates && heap < HEAPS; heap++)
    init_mutator(id, heap);
}

template <int THREADS> struct test : rl::test_suite<test<THREADS>, THREADS> {
  doors state;

  void before() {
    now = &state;
    state.time_ns = 1;
    state.hurries = 4;
    for (unsigned id = 0; id < THREADS; id++)
      state.handling[id] = true; // nobody is sent anything yet
    for (unsigned heap = 0; heap < HEAPS; heap++)
      init_heap(heap);
    for (unsigned id = 0; id < THREADS; id++)
      init_thread(id);
  }

  void thread(unsigned id) {
    for (char const *letter = scripts[id]; *letter; letter++)
      step(id, *letter);
    if (id >= mutating) return;
    (void)td_inside_begin();
    td_thread_enter_safe(NULL);
  }
};

} // namespace

#include "relacy/checker.h"

static bool own_option(std::string const &option, char const *value) {
  bool mutates = option == "--thread";
  if (!mutates && option != "--stopper") return false;
  char const *letters = mutates ? "piabBdcCf" : "cCfsS";
  if (std::strspn(value, letters) != std::strlen(value)) usage("bad script");
  if (threads == THREADS_MOST || (mutates && mutating < threads))
    usage("at most three, and stoppers behind the others");
  scripts[threads++] = value;
  mutating += mutates;
  return true;
}

int main(int argc, char **argv) {
  rl::test_params params;
  settings given = read_options(argc, argv, own_option, params, 5000);
  if (threads < 2) usage("two or three threads");
  int status = threads == 2 ? check<test<2>>(params) : check<test<3>>(params);
  return conclude(given, status, event_names, met, EVENTS);
}
