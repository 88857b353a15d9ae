// SPDX-License-Identifier: MIT
// A fork-join scheduler over tide::bwos_lifo. Each worker has a queue. Who waits for a task that
// was stolen does whatever else there is to do.
#include <tide/bwos.hpp>

#include <atomic>
#include <cstdio>
#include <deque>
#include <thread>
#include <vector>

struct task {
  int n;
  long result = 0;
  std::atomic<bool> done{false};
};

struct worker {
  tide::bwos_lifo<task *> tasks;
  unsigned number;
};

static std::deque<worker> workers; // worker has no move constructor
static std::atomic<bool> over{false};

static long fib(worker &me, int n);

static void run(worker &me, task &t) {
  t.result = fib(me, t.n);
  t.done.store(true, std::memory_order_release);
}

static bool help(worker &me) {
  for (std::size_t i = 1; i < workers.size(); i++) {
    if (auto stolen = workers[(me.number + i) % workers.size()].tasks.steal()) {
      run(me, **stolen);
      return true;
    }
  }
  std::this_thread::yield();
  return false;
}

static long fib(worker &me, int n) {
  if (n < 2) return n;
  task child{n - 1};
  if (!me.tasks.put(&child)) run(me, child); // full: at once
  long other = fib(me, n - 2);
  while (!child.done.load(std::memory_order_acquire)) {
    if (auto mine = me.tasks.get())
      run(me, **mine);
    else
      help(me);
  }
  return child.result + other;
}

int main() {
  for (unsigned i = 0; i < 4; i++)
    workers.emplace_back().number = i;
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < workers.size(); i++)
    threads.emplace_back([i] {
      while (!over.load(std::memory_order_relaxed))
        help(workers[i]);
    });
  std::printf("%ld\n", fib(workers[0], 25));
  over.store(true, std::memory_order_relaxed);
  for (auto &thread : threads)
    thread.join();
}
