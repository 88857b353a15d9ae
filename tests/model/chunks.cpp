// SPDX-License-Identifier: MIT
// The common list of chunks under the Relacy race detector: marker/region/chunks.c, as shipped but
// for its sizes. Three markers get chunks, write into them and put them back; a stock keeps two.
//
// Checked: no chunk is used by two markers at once, none is lost, no more are used than the limit
// allows, and what one marker did to a chunk is over before another one uses it (a data race
// otherwise). Then every mutant must fail in one of these ways.
#include "relacy/stdatomic.h"
#include "relacy/mutants.h"
#include "relacy/watched.h"

#include <cstdint>
#include <cstring>

namespace {

enum { MARKERS = 3, LIMIT = 7, KEPT = 2 };

// What a run uses; a mutant changes one of them.
struct settings {
  rl::memory_order give, rest, take;
  bool take_all; // of the common list, by exchange
};
constexpr settings shipped = {rl::mo_release, rl::mo_release, rl::mo_acquire, true};
settings use = shipped;

uint32_t take_spare(rl::atomic<uint32_t> *spare);

} // namespace

#define TD_CHUNK_REFERENCES 1u
#define TD_CHUNK_WORD watched
#define TD_CHUNKS_STEP 1u
#define TD_CHUNKS_KEPT KEPT
#include "marker/region/chunks.h"
// One place each in chunks.c, but for the exchange: there are two.
#undef atomic_exchange_explicit
#define atomic_exchange_explicit(p, value, order) take_spare(p)
#undef atomic_compare_exchange_weak_explicit
#define atomic_compare_exchange_weak_explicit(p, expected, value, order, failure)                  \
  ((p)->compare_exchange_weak(*(expected), (value), use.give, RL_INFO, (failure), RL_INFO))
#undef atomic_compare_exchange_strong_explicit
#define atomic_compare_exchange_strong_explicit(p, expected, value, order, failure)                \
  ((p)->compare_exchange_strong(*(expected), (value), use.rest, RL_INFO, (failure), RL_INFO))

// Memory is the test's.
#define TD_PLATFORM_PLATFORM_H
static void *td_plat_reserve(size_t, size_t) {
  return nullptr;
}
static bool td_plat_commit(void *, size_t) {
  return false;
}
static void td_plat_release(void *, size_t) {}
static void td_plat_advise_huge(void *, size_t) {}
#include "marker/region/chunks.c"

namespace {

td_chunk *chunks_now; // of this execution

uint32_t take_spare(rl::atomic<uint32_t> *spare) {
  if (use.take_all) return spare->exchange(0, use.take, RL_INFO);
  // A mutant takes one: the chunk after it is read before it is sure who has the first.
  uint32_t seen = spare->load(rl::mo_acquire, RL_INFO), next;
  do {
    if (seen == 0) return 0;
    next = chunks_now[seen].next;
  } while (
      !spare->compare_exchange_weak(seen, next, rl::mo_acq_rel, RL_INFO, rl::mo_acquire, RL_INFO));
  chunks_now[seen].next = 0;
  return seen;
}

struct test : rl::test_suite<test, MARKERS> {
  td_chunks pool;
  td_chunk chunk[LIMIT];
  td_stock stock[MARKERS];
  bool held[LIMIT]; // the checker's own

  void before() {
    chunks_now = chunk;
    pool.at = chunk;
    pool.count = pool.committed = LIMIT;
    td_chunks_begin(&pool, LIMIT * sizeof *pool.at);
    for (td_stock &s : stock) {
      s.first = s.last = s.count = s.fresh = s.fresh_end = 0;
      s.balance.store(0, rl::mo_relaxed, RL_INFO);
    }
    std::memset(held, 0, sizeof held);
  }

  // Marker 0 has many and puts them all, the others get and put by turns.
  void thread(unsigned id) {
    unsigned mine[3];
    for (int round = 0; round < 2; round++) {
      int most = id == 0 ? 3 : 2, count = 0;
      for (int i = 0; i < most; i++)
        if (unsigned number = get(id)) mine[count++] = number;
      while (count > 0)
        put(id, mine[--count]);
    }
    RL_ASSERT(stock[id].balance.load(rl::mo_relaxed, RL_INFO) == 0);
  }

  unsigned get(unsigned id) {
    unsigned number = td_chunks_get(&pool, &stock[id]);
    if (number == 0) return 0;
    RL_ASSERT(number < LIMIT && !held[number]);
    held[number] = true;
    chunk[number].at[0] = id;
    return number;
  }

  void put(unsigned id, unsigned number) {
    RL_ASSERT((uint32_t)chunk[number].at[0] == id);
    held[number] = false;
    td_chunks_put(&pool, &stock[id], number);
  }

  // Every chunk is in one place, and none is in use.
  void after() {
    unsigned found = 0;
    for (td_stock &s : stock) {
      found += length(s.first);
      found += s.fresh_end - s.fresh;
    }
    found += length(pool.spare.load(rl::mo_relaxed, RL_INFO));
    uint32_t fresh = pool.fresh.load(rl::mo_relaxed, RL_INFO);
    RL_ASSERT(found == (fresh < LIMIT ? fresh : LIMIT) - 1);
  }

  unsigned length(unsigned number) {
    unsigned count = 0;
    for (; number != 0 && count <= LIMIT; number = chunk[number].next)
      count++;
    return count;
  }
};

mutant<settings> const mutants[] = {
    {"giving away does not release", [](settings *s) { s->give = rl::mo_relaxed; }},
    {"giving the rest back does not release", [](settings *s) { s->rest = rl::mo_relaxed; }},
    {"taking does not acquire", [](settings *s) { s->take = rl::mo_relaxed; }},
    {"one chunk is taken, not all", [](settings *s) { s->take_all = false; }},
};

} // namespace

int main(int argc, char **argv) {
  return run_client<test>(argc, argv, "chunks", {2000000, 2000000, 5000}, {30000, 300000, 5000},
                          mutants, &use);
}
