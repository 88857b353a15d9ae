// SPDX-License-Identifier: MIT
// A program that wants no collection, and says so without the world's lock, under the Relacy race
// detector: gc/cycle/asked.h, as shipped.
//
// One thread collects twice, if it may. The other raises a count, the heap's own or the program's,
// and waits for a collection that runs. What a collection writes is plain, and so is the other's
// look at it.
//
// Checked: when that one looks, no collection runs, and none begins. Then every mutant must fail.
#include "relacy/stdatomic.h"
#include "relacy/mutants.h"

namespace {

enum { COLLECTS, WANTS_NONE, THREADS };

struct settings {
  rl::memory_order begin, paused, raise, look, end;
  bool own;        // count that is raised: the heap's own, or the program's
  bool says_first; // that it collects, before it reads the variable
  bool waits;      // for the collection that runs
};
constexpr settings shipped = {rl::mo_seq_cst, rl::mo_seq_cst, rl::mo_seq_cst, rl::mo_seq_cst,
                              rl::mo_release, true,           true,           true};
settings use = shipped;

} // namespace

#define TD_ASKED_ORDER_BEGIN use.begin
#define TD_ASKED_ORDER_PAUSED use.paused
#define TD_ASKED_ORDER_RAISE use.raise
#define TD_ASKED_ORDER_LOOK use.look
#define TD_ASKED_ORDER_END use.end
#include "gc/cycle/asked.h"

namespace {

struct test : rl::test_suite<test, THREADS> {
  struct td_asked asked;
  rl::atomic<int> variable;
  rl::mutex world;
  rl::var<int> heap;

  void before() {
    asked.collecting.store(false, rl::mo_relaxed, RL_INFO);
    asked.paused.store(0, rl::mo_relaxed, RL_INFO);
    asked.by = use.own ? nullptr : &variable;
    variable.store(0, rl::mo_relaxed, RL_INFO);
    heap(RL_INFO).store(0);
  }

  bool is_paused() {
    return asked.paused.load(use.paused, RL_INFO) || variable.load(use.paused, RL_INFO);
  }

  void collect() {
    world.lock(RL_INFO);
    bool before = !use.says_first && is_paused();
    bool may = td_asked_begin(&asked);
    if (!use.says_first) may = !before;
    if (may) heap(RL_INFO).store(heap(RL_INFO).load() + 1);
    td_asked_end(&asked);
    world.unlock(RL_INFO);
  }

  void thread(unsigned id) {
    if (id == COLLECTS) {
      collect();
      collect();
      return;
    }
    if (use.own)
      td_asked_count(&asked, 1);
    else
      variable.fetch_add(1, use.raise, RL_INFO);
    if (td_asked_runs(&asked) && use.waits) {
      world.lock(RL_INFO);
      world.unlock(RL_INFO);
    }
    int seen = heap(RL_INFO).load();
    RL_ASSERT(seen == heap(RL_INFO).load());
  }
};

mutant<settings> const mutants[] = {
    {"beginning is a release only", [](settings *s) { s->begin = rl::mo_release; }},
    {"the variable is read by an acquire only", [](settings *s) { s->paused = rl::mo_acquire; }},
    {"the variable is raised by a release and acquire only",
     [](settings *s) { s->raise = rl::mo_acq_rel; }},
    {"looking is an acquire only", [](settings *s) { s->look = rl::mo_acquire; }},
    {"ending does not release", [](settings *s) { s->end = rl::mo_relaxed; }},
    {"the variable is read before", [](settings *s) { s->says_first = false; }},
    {"nobody waits for the collection that runs", [](settings *s) { s->waits = false; }},
};

} // namespace

int main(int argc, char **argv) {
  bool full = wants_full(argc, argv, "asked");
  effort most = full ? effort{1000000, 100000, 1000} : effort{30000, 100000, 1000};
  bool good = true;
  for (bool own : {true, false}) {
    use.own = own;
    good &= is_clean<test>(own ? ", the heap's own count" : ", the program's variable", most);
    good &= all_fail<test>(mutants, &use, most);
    use = shipped;
  }
  return good ? 0 : 1;
}
