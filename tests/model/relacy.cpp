// SPDX-License-Identifier: MIT
// Runs scenarios of one queue under the Relacy race detector.
//
//   relacy_QUEUE --owner SCRIPT [--thief SCRIPT]... [--left N] [--blocks N] [--entries N]
//                [--growths N] [--version-bits N] and the options of relacy/checker.h
//
// Scripts, one letter a step.  Owner: p put, y put that must succeed, n put that must not, g get,
// d get until empty, e early grant, w the same if wanted.  Thief: 1..4 steal at most that number, w
// want.  Both: ! begin the next phase, A..J wait for phase 1..10 (phases order steps in time, but
// synchronise no memory: a step may still see what is old).
#include "relacy/stdatomic.h"
#define MODEL_ASSERT(condition) RL_ASSERT(condition)
static unsigned blocks = 2;
static unsigned entries = 2;
static unsigned growths = 1; // how often there is memory for a queue that grows
static unsigned version_bits = 38;
#define TIDE_BWOS_VERSION_BITS version_bits
#define MODEL_BLOCKS blocks
#define MODEL_ENTRIES entries
// What the items stand for: written before they are put. Relacy reports who reads it unordered.
static rl::var<unsigned> *meaning;
#define MODEL_GIVE(item) meaning[item](RL_INFO).store((unsigned)(item))
#define MODEL_TAKE(item) MODEL_ASSERT(meaning[item](RL_INFO).load() == (unsigned)(item))
#include MODEL_HEADER
#include "scenario.h"

#include "relacy/checker.h"

namespace {

std::string owner_script;
std::string thief_script[2];
int thieves;
unsigned left_max = SCENARIO_ITEMS;

// Memory for larger storage, as often as the scenario says.
struct memory {
  unsigned given;
  scenario *state;
};
alignas(64) unsigned char more_storage[2][16384];

// A mutant reuses the memory of a queue's first storage, which it has left: zero stands for
// whatever would be written there.
template <typename Queue> auto overwrite(Queue *q) -> decltype(q->first->mask, void()) {
  for (uint64_t i = 0; i <= q->first->mask; i++)
    atomic_store_explicit(td_chase_lev_slots(q->first) + i, UINT64_C(0), memory_order_relaxed);
}
void overwrite(void *) {}

void *more(void *context, size_t bytes) {
  auto m = static_cast<memory *>(context);
  if (m->given == growths || m->given == 2 || bytes > sizeof more_storage[0]) return nullptr;
  if (m->given == 1 && !TD_STEP(memory, kept)) overwrite(&m->state->queue);
  return more_storage[m->given++];
}

// Aligned storage that outlives the executions; atomics in it are made anew for each.
alignas(64) unsigned char storage[65536];

struct test : rl::test_suite<test, 3> {
  scenario state;
  memory larger;
  unsigned phase;
  rl::var<unsigned> meanings[SCENARIO_ITEMS + 2];

  void before() {
    phase = 0;
    meaning = meanings;
    object_count = 0;
    scenario_init(&state, storage);
    larger = {0, &state};
    SCENARIO_Q(_grow_from)(&state.queue, more, &larger);
  }

  void thread(unsigned index) {
    for (char step : index == 0 ? owner_script : thief_script[index - 1]) {
      if (step == '!')
        phase++;
      else if (step >= 'A' && step <= 'J')
        wait(unsigned(step - 'A') + 1);
      else if (index == 0)
        own(step);
      else
        thieve((int)index - 1, step);
    }
  }

  void after() {
    scenario_finish(&state, left_max);
    forget_objects();
  }

  void wait(unsigned wanted) {
    while (phase < wanted)
      rl::yield(1, RL_INFO);
  }

  void own(char step) {
    switch (step) {
    case 'p':
      scenario_owner_put(&state);
      break;
    case 'y':
      RL_ASSERT(scenario_owner_put(&state));
      break;
    case 'n':
      RL_ASSERT(!scenario_owner_put(&state));
      break;
    case 'g':
      scenario_owner_get(&state);
      break;
    case 'd':
      scenario_owner_drain(&state);
      break;
    case 'e':
      scenario_owner_grant(&state);
      break;
    case 'w':
      scenario_owner_grant_if_wanted(&state);
      break;
    }
  }

  void thieve(int thief, char step) {
    if (step == 'w')
      scenario_thief_want(&state);
    else
      scenario_thief_steal(&state, thief, (uint32_t)(step - '0'));
  }
};

bool own_option(std::string const &option, char const *value) {
  if (option == "--owner")
    owner_script = value;
  else if (option == "--thief" && thieves < 2)
    thief_script[thieves++] = value;
  else
    return take_number({{"--left", &left_max},
                        {"--blocks", &blocks},
                        {"--entries", &entries},
                        {"--growths", &growths},
                        {"--version-bits", &version_bits}},
                       option, value);
  return true;
}

void check_script(std::string const &script, char const *letters) {
  if (script.find_first_not_of(letters) != std::string::npos) usage("bad script '" + script + "'");
}

} // namespace

int main(int argc, char **argv) {
  rl::test_params params;
  settings given;
  given.search = "bound:2";
  given = read_options(argc, argv, own_option, params, 20000, given);
  check_script(owner_script, "pyngdew!ABCDEFGHIJ");
  for (auto const &script : thief_script)
    check_script(script, "1234w!ABCDEFGHIJ");
  size_t bytes = SCENARIO_Q(_storage_bytes)(blocks, entries);
  if (version_bits < 1 || version_bits > 38) usage("bad number of version bits");
  if (bytes == 0 || bytes > sizeof storage) usage("bad number of blocks or entries");
  return conclude(given, check<test>(params), nullptr, nullptr, 0);
}
