// SPDX-License-Identifier: MIT
// Blocks of cells for those who look without the lock, under the Relacy race detector:
// heap/space/published.h, as shipped.
//
// A mutator formats a block, takes a cell of it for an object, and tells another thread of it, by a
// message that releases. A third one looks at the block without having been told of anything. What
// the block holds is plain.
//
// Checked: who is told of the object finds the block SMALL; whoever finds it SMALL reads the entry
// of the format without a data race. Then every mutant must fail.
#include "relacy/stdatomic.h"
#include "relacy/mutants.h"

#include <cstdint>

namespace {

enum { FORMATS, TOLD, UNTOLD, THREADS };
enum { FREE, SMALL, CELL = 3 };

struct settings {
  rl::memory_order tell, look;
  bool last; // the state is told after the rest
};
constexpr settings shipped = {rl::mo_release, rl::mo_acquire, true};
settings use = shipped;

} // namespace

#define TD_SMALL_ORDER_TELL use.tell
#define TD_SMALL_ORDER_LOOK use.look
#include "heap/space/published.h"

namespace {

struct test : rl::test_suite<test, THREADS> {
  rl::atomic<uint8_t> state;
  rl::var<int> cell; // of the block's entry
  rl::atomic<int> message;

  void before() {
    state.store(FREE, rl::mo_relaxed, RL_INFO);
    cell(RL_INFO).store(0);
    message.store(0, rl::mo_relaxed, RL_INFO);
  }

  void thread(unsigned id) {
    if (id == FORMATS) {
      if (!use.last) td_published_tell(&state, SMALL);
      cell(RL_INFO).store(CELL);
      if (use.last) td_published_tell(&state, SMALL);
      message.store(1, rl::mo_release, RL_INFO);
      return;
    }
    bool told = id == TOLD && message.load(rl::mo_acquire, RL_INFO) != 0;
    uint8_t seen = td_published_look(&state);
    RL_ASSERT(!told || seen == SMALL);
    if (seen == SMALL) RL_ASSERT(cell(RL_INFO).load() == CELL);
  }
};

mutant<settings> const mutants[] = {
    {"telling does not release", [](settings *s) { s->tell = rl::mo_relaxed; }},
    {"looking does not acquire", [](settings *s) { s->look = rl::mo_relaxed; }},
    {"the state is told before the rest", [](settings *s) { s->last = false; }},
};

} // namespace

int main(int argc, char **argv) {
  return run_client<test>(argc, argv, "published", {1000000, 100000, 1000}, {30000, 100000, 1000},
                          mutants, &use);
}
