// SPDX-License-Identifier: MIT
/* oneTBB's side of bench/queue/forkjoin/tbb.h, compiled where the build finds oneTBB. */
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <chrono>
#include <cstdint>

#include "bench/queue/forkjoin/tree.h"

namespace {

uint64_t do_task(unsigned depth, uint64_t steps) {
  td_tree_work(steps);
  if (depth == 0) return 1;
  uint64_t counts[TD_TREE_DEPTH_MAX], sum = 1;
  tbb::task_group group;
  for (unsigned d = depth; d-- > 0;)
    group.run([&counts, d, steps] { counts[d] = do_task(d, steps); });
  group.wait();
  for (unsigned d = 0; d < depth; d++)
    sum += counts[d];
  return sum;
}

} // namespace

extern "C" uint64_t td_forkjoin_tbb_run(unsigned threads, unsigned depth, uint64_t steps,
                                        uint64_t trees, uint64_t *ns) {
  tbb::global_control most(tbb::global_control::max_allowed_parallelism, threads);
  tbb::task_arena arena((int)threads);
  uint64_t done = 0;
  arena.execute([&] {
    if (threads > 1) do_task(depth, 0); // its threads come with the first tasks
    auto start = std::chrono::steady_clock::now();
    for (uint64_t i = 0; i < trees; i++)
      done += do_task(depth, steps);
    auto took = std::chrono::steady_clock::now() - start;
    *ns = (uint64_t)std::chrono::duration_cast<std::chrono::nanoseconds>(took).count();
  });
  return done;
}
