// SPDX-License-Identifier: MIT
// tide::bwos_lifo and tide::bwos_fifo: results, bulk calls, bad input, and two threads.
#include "tide/bwos.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>

#define CHECK(condition)                                                                           \
  ((condition)                                                                                     \
       ? (void)0                                                                                   \
       : (std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), std::exit(1)))

namespace {

struct point { // without a default constructor
  point(double x, double y, double z) : x(x), y(y), z(z) {}
  double x, y, z;
};

template <class Queue> void check_results(bool newest_first) {
  Queue q(4, 4);
  CHECK(!q.get() && !q.steal());
  CHECK(q.put(point(1, 2, 3)));
  auto stolen = q.steal(); // wished for above
  CHECK(stolen && stolen->z == 3);
  for (int i = 0; i < 3; i++)
    CHECK(q.put(point(i, i, i)));
  auto first = q.get();
  CHECK(first && first->x == (newest_first ? 2 : 0));
  while (q.get()) {
  }
  int stored = 0;
  while (q.put(point(0, 0, stored)))
    stored++;
  CHECK(stored >= 12 && stored <= 16);
  CHECK(q.size() > 0);
}

void check_bulk() {
  tide::bwos_lifo<int> q(2, 8);
  int items[20], out[8];
  for (int i = 0; i < 20; i++)
    items[i] = i;
  CHECK(q.put(items, 20) == 16);
  CHECK(q.steal(out, 8) == 8 && out[0] == 0 && out[7] == 7);
  CHECK(q.steal(out, 0) == TIDE_BWOS_NOTHING);
  CHECK(q.get().value() == 15);
}

void check_bad_input() {
  const std::uint32_t bad[][2] = {{0, 4}, {4, 0}, {3, 4}, {4, 8192}};
  for (auto &sizes : bad) {
    bool refused = false;
    try {
      tide::bwos_fifo<char> q(sizes[0], sizes[1]);
    } catch (const std::invalid_argument &) {
      refused = true;
    }
    CHECK(refused);
  }
}

// What may only be moved goes as a pointer.
template <class Queue> void check_threads(long count) {
  Queue q(4, 16);
  std::atomic<bool> over{false};
  long long stolen = 0, got = 0;
  std::thread thief([&] {
    while (!over.load(std::memory_order_acquire))
      if (auto item = q.steal()) stolen += *std::unique_ptr<long>(*item);
  });
  for (long i = 1; i <= count; i++) {
    auto item = std::make_unique<long>(i);
    if (q.put(item.get()))
      item.release();
    else
      got += *item;
    if (i % 3 == 0)
      if (auto mine = q.get()) got += *std::unique_ptr<long>(*mine);
  }
  while (auto mine = q.get())
    got += *std::unique_ptr<long>(*mine);
  over.store(true, std::memory_order_release);
  thief.join();
  CHECK(stolen + got == (long long)count * (count + 1) / 2);
}

} // namespace

int main() {
  check_results<tide::bwos_lifo<point>>(true);
  check_results<tide::bwos_fifo<point>>(false);
  check_bulk();
  check_bad_input();
  check_threads<tide::bwos_lifo<long *>>(200000);
  check_threads<tide::bwos_fifo<long *>>(200000);
}
