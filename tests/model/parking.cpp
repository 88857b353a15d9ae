// SPDX-License-Identifier: MIT
// Parking and waking (parking.h: marker/base/idle.c and termination.h as shipped) under Relacy.
//
//   relacy_parking --script SCRIPT [--helpers 1|2|3] [--items N] [--idle 1] [--many 1]
//
// SCRIPT, what the collecting thread does, one letter a step: o open the configuration, r a phase,
// 1..4 configure that number of markers; at last it ends the helpers. With --idle, marker/helpers.c
// as shipped starts, buries and ends the helpers, and they retire when they have slept in vain: c
// is the beginning of a collection then, e its end. With --many an item is done only when all
// take part. A SITE is an access, as "load(&set->closed)", or a step of the model. Whoever sleeps
// for ever makes the execution endless.
#include "relacy/stdatomic.h"
#include "relacy/watched.h"

#include <cstdint>
#include <cstring>

// Every access is a site of its own: idle.c spells its orders out.
#define MODEL_ORDER_OF(site, order) static_cast<rl::memory_order>(MODEL_SITE(site, false, order))
#undef atomic_load_explicit
#undef atomic_store_explicit
#undef atomic_fetch_add_explicit
#undef atomic_fetch_sub_explicit
#define atomic_load_explicit(p, order) ((p)->load(MODEL_ORDER_OF("load(" #p ")", order), RL_INFO))
#define atomic_store_explicit(p, value, order)                                                     \
  (says(__func__, #p) ? (p)->store((value), MODEL_ORDER_OF("store(" #p ")", order), RL_INFO)       \
                      : (void)0)
#define atomic_fetch_add_explicit(p, value, order)                                                 \
  ((p)->fetch_add((value), MODEL_ORDER_OF("fetch_add(" #p ")", order), RL_INFO))
#define atomic_fetch_sub_explicit(p, value, order)                                                 \
  ((p)->fetch_sub((value), MODEL_ORDER_OF("fetch_sub(" #p ")", order), RL_INFO))

namespace {

unsigned helpers = 1, items = 1, idle, many;
uint64_t now;
unsigned long met[8];
char const *script = "or";

// Mutants that do not say whether a helper is awake: one that retires, or one that starts.
bool says(char const *function, char const *what) {
  if (std::strcmp(what, "&marker->awake") != 0) return true;
  if (std::strcmp(function, "retire") == 0) return MODEL_SITE("retire_says", true, 1);
  if (std::strcmp(function, "set_awake") == 0) return MODEL_SITE("start_says", true, 1);
  return true;
}

} // namespace

#define MODEL_ASSERT(condition) RL_ASSERT(condition)
#define MODEL_MET(event) (void)(met[event]++)
#define MODEL_STEP(name) MODEL_SITE(#name, true, 1)
#define MODEL_WATCHED watched
#define MODEL_HELPERS helpers
#define MODEL_ITEMS items
#define MODEL_STARTED !idle
#define MODEL_CLOSED !idle
#define IDLE_NS (idle ? 1u : 0u)
#define MODEL_TIMEOUT() (rl::rand(3) == 0)
#define MODEL_MANY (many != 0)
#define MODEL_WAIT(condition)                                                                      \
  while (!(condition))                                                                             \
  rl::yield(1, RL_INFO)
#define MODEL_SELF rl::thread_index()
#define MODEL_NOW() (now += 1000000)
extern struct parking *current;
#define MODEL_STATE (*current)
#include "tests/model/parking.h"
struct parking *current;

// ---- Threads of helpers: the checker has them from the start, and they wait to be begun ----

namespace {

struct body {
  _Atomic(uint32_t) state; // 0 none, 1 begun, 2 ended, 3 never again
  void *(*run)(void *);
  void *argument;
} * bodies;

} // namespace

static bool td_plat_thread_start(struct td_thread *thread, void *(*run)(void *), void *argument) {
  thread->id = ((struct td_marker *)argument)->id;
  struct body *body = &bodies[thread->id];
  RL_ASSERT(atomic_load_explicit(&body->state, memory_order_relaxed) == 0);
  body->run = run;
  body->argument = argument;
  atomic_store_explicit(&body->state, 1u, memory_order_release);
  return true;
}

static void td_plat_thread_join(struct td_thread *thread) {
  struct body *body = &bodies[thread->id];
  MODEL_WAIT(atomic_load_explicit(&body->state, memory_order_acquire) == 2);
  atomic_store_explicit(&body->state, 0u, memory_order_relaxed);
  MODEL_MET(RESTARTED);
}

#define TD_MARKER_MARKER_H
#define _Thread_local
bool td_markers_has_thread(struct td_markers const *markers);
bool td_markers_is_helper(void);
void td_markers_ready(struct td_markers *set);
#include "marker/helpers.c"
#undef _Thread_local

#include "relacy/checker.h"

namespace {

char const *const event_names[EVENTS] = {"helped",  "recruited", "slept",
                                         "changed", "retired",   "restarted"};

template <int THREADS> struct test : rl::test_suite<test<THREADS>, THREADS> {
  parking state;
  body body_of[THREADS];

  void before() {
    current = &state;
    bodies = body_of;
    for (body &b : body_of)
      atomic_init(&b.state, 0u);
    parking_init();
  }

  void live(unsigned id) {
    for (;;) {
      uint32_t now;
      MODEL_WAIT((now = atomic_load_explicit(&body_of[id].state, memory_order_acquire)) % 2 == 1);
      if (now == 3) return;
      body_of[id].run(body_of[id].argument);
      if (atomic_load_explicit(&state.marker[id].life, memory_order_relaxed) == TD_HELPER_RETIRED)
        MODEL_MET(RETIRED);
      atomic_store_explicit(&body_of[id].state, 2u, memory_order_release);
    }
  }

  void end_all() {
    td_helpers_end(&state.set);
    for (int id = 1; id < THREADS; id++)
      atomic_store_explicit(&body_of[id].state, 3u, memory_order_relaxed);
  }

  void thread(unsigned id) {
    if (id != 0 && idle) return live(id);
    if (id != 0) {
      td_helper(&state.marker[id]);
      return;
    }
    for (char const *step = script; *step; step++)
      if (*step == 'o')
        parking_open();
      else if (*step == 'r')
        parking_phase();
      else if (*step == 'c')
        td_markers_ready(&state.set);
      else if (*step == 'e')
        atomic_fetch_add_explicit(&state.set.collecting, 1u, memory_order_relaxed); // td_mark_end
      else
        parking_configure((unsigned)(*step - '0'));
    if (idle)
      end_all();
    else
      parking_quit();
  }
};

bool own_option(std::string const &option, char const *value) {
  if (option == "--script") script = value;
  return option == "--script" ||
         take_number(
             {{"--helpers", &helpers}, {"--items", &items}, {"--many", &many}, {"--idle", &idle}},
             option, value);
}

} // namespace

int main(int argc, char **argv) {
  rl::test_params params;
  settings given = read_options(argc, argv, own_option, params, 3000);
  if (std::strspn(script, "orce1234") != std::strlen(script)) usage("bad script");
  int status = 2;
  if (helpers == 1)
    status = check<test<2>>(params);
  else if (helpers == 2)
    status = check<test<3>>(params);
  else if (helpers == 3)
    status = check<test<4>>(params);
  else
    usage("one to three helpers");
  return conclude(given, status, event_names, met, EVENTS);
}
