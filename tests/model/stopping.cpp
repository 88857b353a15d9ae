// SPDX-License-Identifier: MIT
// Stops and the log of young collections (stopping.h: include/tide/write.h,
// gc/threads/stop/world.c, gc/threads/stop/signal.c, gc/threads/inside.h as shipped) under Relacy.
//
//   relacy_stopping --mutator SCRIPT [--mutator SCRIPT] [--collections SCRIPT] [--signalled BITS]
//
// Scripts, one letter a step. Mutator: s safepoint, i where a signal may come, t tell of a write, w
// write, d let the own reference go, c look at what was written, b a blocking section; it ends in
// one. Collections: y young, f full. --signalled: a bit for each mutator that signals stop. A SITE
// is an access, as "fetch_or(&mutator->state)", or a step of the model. Whoever waits for ever
// makes the execution endless.
#include <pthread.h>

#include "relacy/stdatomic.h"

#define MODEL_BEFORE (void)0
#include "relacy/sites.h"
#include "relacy/watched.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>

#define atomic_signal_fence(order) ((void)0) // for the compiler only

namespace {

unsigned signalled;
unsigned long met[8];
char const *collections = "y";
char const *scripts[2];
unsigned mutators;

} // namespace

#define MODEL_ASSERT(condition) RL_ASSERT(condition)
#define MODEL_MET(event) (void)(met[event]++)
#define MODEL_STEP(name) MODEL_SITE(#name, true, 1)
#define MODEL_WATCHED watched
#define MODEL_SLOT watched
#define MODEL_SLOT_OF(id) ((const void *)(OLD * TD_GRANULE_BYTES)) // what is there is not read
#define MODEL_HINT rl::atomic<uint32_t>
#define MODEL_MARK rl::atomic<signed char>
#define MODEL_MUTATORS mutators
#define MODEL_SIGNALLED signalled
#define MODEL_WAIT(condition)                                                                      \
  while (!(condition))                                                                             \
  rl::yield(1, RL_INFO)
#define MODEL_SELF rl::thread_index()
extern struct stopping *current;
#define MODEL_STATE (*current)
#include "tests/model/stopping.h"
struct stopping *current;

#include "relacy/checker.h"

// ---- gc/threads/mutator/barrier.c, heap/young/log.c and heap/space/marks.h: their steps ----

namespace {

rl::atomic<signed char> *marks;
rl::atomic<uint8_t> *flag;

} // namespace

static bool is_old(signed char mark) {
  return (uint8_t)mark == MODEL_STATE.heap.space.epoch;
}

void tide_write_slow(struct tide_mutator *m, void *object, void const *slots, size_t count) {
  size_t granule = (uintptr_t)object / TD_GRANULE_BYTES;
  MODEL_MET(LOGGED);
  if (MODEL_STEP(inside)) td_allocation_begin(m);
  if (is_old(model_load(&marks[granule]))) {
    signal_point();
    model_store(&marks[granule], (signed char)(MODEL_STATE.heap.space.epoch | TD_DEFERRED));
    signal_point();
    if (MODEL_STEP(flag)) flag->store(1, rl::mo_relaxed, RL_INFO);
  } else {
    MODEL_MET(FOUND_LOGGED);
  }
  if (MODEL_STEP(inside)) td_allocation_end(m);
}

static unsigned mark_of(unsigned granule) {
  return (uint8_t)model_load(&marks[granule]);
}
static void set_mark(unsigned granule, unsigned mark) {
  model_store(&marks[granule], (signed char)mark);
}
static bool take_log() {
  if (flag->load(rl::mo_relaxed, RL_INFO) == 0) return false;
  flag->store(0, rl::mo_relaxed, RL_INFO);
  return mark_of(OLD) == (MODEL_STATE.heap.space.epoch | TD_DEFERRED);
}
static void clear_log() {
  take_log();
}

namespace {

char const *const event_names[EVENTS] = {"signalled", "putoff", "polled", "twice", "logged"};

template <int THREADS> struct test : rl::test_suite<test<THREADS>, THREADS> {
  stopping state;
  rl::atomic<signed char> mark[GRANULES];
  rl::atomic<uint8_t> page;
  rl::atomic<uint32_t> over; // mutators that have ended

  void before() {
    current = &state;
    marks = mark;
    flag = &page;
    stopping_init();
    page.store(0, rl::mo_relaxed, RL_INFO);
    over.store(0, rl::mo_relaxed, RL_INFO);
    set_mark(0, 0);
    set_mark(OLD, TD_EPOCH_FIRST_OLD);
    for (unsigned granule = OLD + 1; granule < GRANULES; granule++)
      set_mark(granule, TD_YOUNG);
    for (unsigned id = 0; id < mutators; id++)
      state.mutator[id].fast.marks = mark;
  }

  void thread(unsigned id) {
    if (id < mutators) {
      for (char const *step = scripts[id]; *step; step++)
        mutate(id, *step);
      step_end(id);
      over.fetch_add(1, rl::mo_release, RL_INFO);
      return;
    }
    for (char const *one = collections; *one; one++)
      stop_and_collect(*one == 'f');
    MODEL_WAIT(over.load(rl::mo_acquire, RL_INFO) == mutators);
    collect(false);
    for (unsigned i = 0; i < mutators; i++)
      RL_ASSERT(state.slot[i] == 0 || state.freed[state.slot[i]] == 0);
  }

  void mutate(unsigned id, char step) {
    switch (step) {
    case 's':
      return safepoint();
    case 'i':
      return signal_point();
    case 't':
      return step_tell(id);
    case 'w':
      return step_store(id);
    case 'd':
      return step_drop(id);
    case 'c':
      return step_check(id);
    default:
      return step_block(id);
    }
  }
};

bool own_option(std::string const &option, char const *value) {
  if (option == "--mutator") {
    if (mutators == 2) usage("one or two mutators");
    if (std::strspn(value, "sitwdcb") != std::strlen(value)) usage("bad script");
    scripts[mutators++] = value;
  } else if (option == "--collections") {
    if (std::strspn(value, "yf") != std::strlen(value)) usage("bad script");
    collections = value;
  } else {
    return take_number({{"--signalled", &signalled}}, option, value);
  }
  return true;
}

} // namespace

int main(int argc, char **argv) {
  rl::test_params params;
  settings given = read_options(argc, argv, own_option, params, 3000);
  if (mutators == 0) usage("no mutator");
  int status = mutators == 1 ? check<test<2>>(params) : check<test<3>>(params);
  return conclude(given, status, event_names, met, EVENTS);
}
