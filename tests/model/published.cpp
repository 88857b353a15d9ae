// Blocks of cells for those who look without the lock, under the Relacy race detector:
// heap/published.h, as shipped.
//
//   published [--full]
//
// A mutator formats a block, takes a cell of it for an object, and tells another thread of it, by a
// message that releases. A third one looks at the block without having been told of anything. What
// the block holds is plain.
//
// Checked: who is told of the object finds the block SMALL; whoever finds it SMALL reads the entry
// of the format without a data race. Then every mutant must fail.
//
// Exit status: 0 as it must be, 1 not, 2 usage.
#include "relacy/stdatomic.h"

#include <cstdint>
#include <cstring>
#include <iostream>

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
#include "heap/published.h"

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

struct mutant {
  char const *name;
  void (*plant)(settings *);
};
mutant const mutants[] = {
    {"telling does not release", [](settings *s) { s->tell = rl::mo_relaxed; }},
    {"looking does not acquire", [](settings *s) { s->look = rl::mo_relaxed; }},
    {"the state is told before the rest", [](settings *s) { s->last = false; }},
};

// One run of the checker; true: no violation.
bool clean(unsigned long executions, unsigned long *done, char const **why) {
  rl::test_params params;
  params.search_type = rl::sched_random;
  params.iteration_count = executions;
  params.execution_depth_limit = 1000;
  std::ostream nowhere(nullptr);
  params.output_stream = std::getenv("MODEL_HISTORY") ? &std::cout : &nowhere;
  params.progress_stream = &nowhere;
  bool good = rl::simulate<test>(params);
  *done = params.stop_iteration;
  *why = rl::test_result_str(params.test_result);
  return good;
}

} // namespace

int main(int argc, char **argv) {
  bool full = argc == 2 && std::strcmp(argv[1], "--full") == 0;
  if (argc > 1 && !full) {
    std::cerr << "published: unknown argument; usage: published [--full]\n";
    return 2;
  }
  unsigned long done;
  char const *why;
  bool good = clean(full ? 1000000 : 30000, &done, &why);
  std::cout << (good ? "ok  as shipped: no violation" : "BAD as shipped: ") << (good ? "" : why)
            << ", " << done << " executions" << std::endl;
  for (mutant const &m : mutants) {
    use = shipped;
    m.plant(&use);
    bool found = !clean(100000, &done, &why);
    std::cout << (found ? "ok  " : "BAD ") << m.name << ": " << (found ? why : "not found") << ", "
              << done << " executions" << std::endl;
    good = good && found;
  }
  return good ? 0 : 1;
}
