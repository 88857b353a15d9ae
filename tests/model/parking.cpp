// Parking and waking (parking.h: marker/base/idle.c and marker/base/termination.h as shipped) under
// Relacy.
//
//   relacy_parking --script SCRIPT [--helpers 1|2] [--items N] [--search bound:N|random:N]
//                  [--mutant SITE=ORDER|SITE=0]... [--meet EVENTS]
//   relacy_parking --list ...
//
// SCRIPT, what the collecting thread does, one letter a step: o open the configuration, r a phase,
// 1..3 configure so many markers; at last it ends the helpers. A SITE is an access, as
// "load(&set->closed)", or a step of the model. Whoever sleeps for ever makes the execution
// endless.
//
// --meet: events that some execution must have met, or the search has shown nothing.
//
// With MODEL_HISTORY set, the execution that went wrong is printed.
//
// Exit status: 0 no violation, 1 a violation (described on stdout), 2 usage, 3 the mutant's site
// was never reached.
#include "relacy/stdatomic.h"

#include <cstdint>

// Every access is a site of its own: idle.c spells its orders out.
#define MODEL_ORDER_OF(site, order) static_cast<rl::memory_order>(MODEL_SITE(site, false, order))
#undef atomic_load_explicit
#undef atomic_store_explicit
#undef atomic_fetch_add_explicit
#undef atomic_fetch_sub_explicit
#define atomic_load_explicit(p, order) ((p)->load(MODEL_ORDER_OF("load(" #p ")", order), RL_INFO))
#define atomic_store_explicit(p, value, order)                                                     \
  ((p)->store((value), MODEL_ORDER_OF("store(" #p ")", order), RL_INFO))
#define atomic_fetch_add_explicit(p, value, order)                                                 \
  ((p)->fetch_add((value), MODEL_ORDER_OF("fetch_add(" #p ")", order), RL_INFO))
#define atomic_fetch_sub_explicit(p, value, order)                                                 \
  ((p)->fetch_sub((value), MODEL_ORDER_OF("fetch_sub(" #p ")", order), RL_INFO))

namespace {

// A plain number, watched for data races.
struct watched {
  rl::var<unsigned> mutable v;
  operator unsigned() const { return v(RL_INFO).load(); }
  watched &operator=(unsigned value) {
    v(RL_INFO).store(value);
    return *this;
  }
  watched &operator=(watched const &other) { return *this = (unsigned)other; }
};

unsigned helpers = 1, items = 1;
uint64_t now;
unsigned long met[8];
char const *script = "or";

} // namespace

#define MODEL_ASSERT(condition) RL_ASSERT(condition)
#define MODEL_MET(event) (void)(met[event]++)
#define MODEL_STEP(name) MODEL_SITE(#name, true, 1)
#define MODEL_WATCHED watched
#define MODEL_HELPERS helpers
#define MODEL_ITEMS items
#define MODEL_CLOSED 1
#define MODEL_SPINNING 0
#define MODEL_WAIT(condition)                                                                      \
  while (!(condition))                                                                             \
  rl::yield(1, RL_INFO)
#define MODEL_SELF rl::thread_index()
#define MODEL_NOW() (now += 1000000)
extern struct parking *current;
#define MODEL_STATE (*current)
#include "tests/model/parking.h"
struct parking *current;

#include "relacy/checker.h"

namespace {

char const *const event_names[EVENTS] = {"helped", "recruited", "slept", "changed"};

[[noreturn]] void usage(std::string const &why) {
  std::cerr << why << "; see the head of tests/model/parking.cpp\n";
  std::exit(2);
}

template <int THREADS> struct test : rl::test_suite<test<THREADS>, THREADS> {
  parking state;

  void before() {
    current = &state;
    parking_init();
  }

  void thread(unsigned id) {
    if (id != 0) {
      td_helper(&state.marker[id]);
      return;
    }
    for (char const *step = script; *step; step++)
      if (*step == 'o')
        parking_open();
      else if (*step == 'r')
        parking_phase();
      else
        parking_configure((unsigned)(*step - '0'));
    parking_quit();
  }
};

bool own_option(std::string const &option, char const *value) {
  if (option == "--script")
    script = value;
  else if (option == "--helpers")
    helpers = (unsigned)std::strtoul(value, nullptr, 10);
  else if (option == "--items")
    items = (unsigned)std::strtoul(value, nullptr, 10);
  else
    return false;
  return true;
}

} // namespace

int main(int argc, char **argv) {
  rl::test_params params;
  settings given = read_options(argc, argv, own_option);
  if (std::strspn(script, "or123") != std::strlen(script)) usage("bad script");
  set_search(params, given.search);
  params.execution_depth_limit = 3000;
  int status = 2;
  if (helpers == 1)
    status = check<test<2>>(params);
  else if (helpers == 2)
    status = check<test<3>>(params);
  else
    usage("one or two helpers");
  return conclude(given, status, event_names, met, EVENTS);
}
