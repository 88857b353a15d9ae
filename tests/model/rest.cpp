// SPDX-License-Identifier: MIT
// A stack that nobody runs on, which the collector searches, or the mutator that goes on on it,
// under the Relacy race detector: gc/threads/mutator/rest.h, as shipped.
//
// The stack is a plain word. The mutator leaves it, the world stands still, and then the mutator
// goes on on it and changes it: twice. The collector begins a collection each time.
//
// Checked: what the stack held in each stop is found, and nobody reads it while the mutator changes
// it. Then every mutant must fail.
#include "relacy/stdatomic.h"
#include "relacy/mutants.h"

namespace {

enum { COLLECTOR, MUTATOR, THREADS, TURNS = 2 };

struct settings {
  rl::memory_order done, look;
  bool claims;   // nobody searches what another one searches
  bool waits;    // for the collector, if that searches the stack
  bool searches; // the mutator, if nobody does
  bool skips;    // the collector passes by what was searched
};
constexpr settings shipped = {rl::mo_release, rl::mo_acquire, true, true, true, true};
settings use = shipped;

} // namespace

#define TD_REST_ORDER_DONE use.done
#define TD_REST_ORDER_LOOK use.look
#include "gc/threads/mutator/rest.h"

namespace {

struct test : rl::test_suite<test, THREADS> {
  rl::atomic<uint32_t> rest;
  rl::var<int> word, number;
  rl::var<int> found[TURNS + 1];
  rl::atomic<int> turn; // odd: the mutator stands still

  void before() {
    rest.store(0, rl::mo_relaxed, RL_INFO);
    turn.store(0, rl::mo_relaxed, RL_INFO);
    word(RL_INFO).store(0);
    number(RL_INFO).store(0);
    for (auto &f : found)
      f(RL_INFO).store(0);
  }

  // Returns whether it has searched the stack.
  bool search(uint32_t searched) {
    if (use.claims ? !td_rest_claim(&rest, searched)
                   : rest.load(rl::mo_acquire, RL_INFO) == searched)
      return false;
    found[searched / 2](RL_INFO).store(word(RL_INFO).load());
    td_rest_end(&rest, searched);
    return true;
  }

  void await(int which) {
    for (rl::linear_backoff wait; turn.load(rl::mo_acquire, RL_INFO) != which;)
      wait.yield(RL_INFO);
  }

  void collect(int t) {
    await(2 * t + 1);
    number(RL_INFO).store(2 * (t + 1));
    turn.store(2 * t + 2, rl::mo_release, RL_INFO);
    if (!search(2 * (t + 1)) && !use.skips) found[t + 1](RL_INFO).store(word(RL_INFO).load());
  }

  void go_on(int t) {
    word(RL_INFO).store(100 + t);
    turn.store(2 * t + 1, rl::mo_release, RL_INFO);
    await(2 * t + 2);
    uint32_t searched = number(RL_INFO).load();
    if (use.searches) search(searched);
    for (rl::linear_backoff wait; use.waits && !td_rest_is_over(&rest, searched);)
      wait.yield(RL_INFO);
    word(RL_INFO).store(-1);
  }

  void thread(unsigned id) {
    for (int t = 0; t < TURNS; t++) {
      if (id == COLLECTOR)
        collect(t);
      else
        go_on(t);
    }
  }

  void after() {
    for (int t = 0; t < TURNS; t++)
      RL_ASSERT(found[t + 1](RL_INFO).load() == 100 + t);
  }
};

mutant<settings> const mutants[] = {
    {"the end of a search is no release", [](settings *s) { s->done = rl::mo_relaxed; }},
    {"looking is no acquire", [](settings *s) { s->look = rl::mo_relaxed; }},
    {"a stack is searched by two", [](settings *s) { s->claims = false; }},
    {"the mutator does not wait for a search", [](settings *s) { s->waits = false; }},
    {"nor does it search", [](settings *s) { s->searches = s->waits = false; }},
    {"the collector reads what was searched", [](settings *s) { s->skips = false; }},
};

} // namespace

int main(int argc, char **argv) {
  return run_client<test>(argc, argv, "rest", {1000000, 100000, 1000}, {30000, 100000, 1000},
                          mutants, &use);
}
