// The common list of chunks under the Relacy race detector: marker/region/chunks.c, as shipped but
// for its sizes. Three markers get chunks, write into them and put them back; a stock keeps two.
//
//   chunks [--full]
//
// Checked: no chunk is used by two markers at once, none is lost, no more are used than the limit
// allows, and what one marker did to a chunk is over before another one uses it (a data race
// otherwise). What the markers tell of chunks in use, as many of them do, adds up to what they use.
// Then every mutant must fail in one of these ways.
//
// Exit status: 0 as it must be, 1 not, 2 usage.
#include "relacy/stdatomic.h"
#include "relacy/mutants.h"
#include "relacy/watched.h"

#include <cstdint>
#include <cstring>

namespace {

enum { MARKERS = 3, LIMIT = 7, KEPT = 2, TELL = 2 };

// What a run uses; a mutant changes one of them.
struct settings {
  rl::memory_order give, rest, take;
  bool take_all;     // of the common list, by exchange
  bool tell_at_once; // how many are in use, by one addition
};
constexpr settings shipped = {rl::mo_release, rl::mo_release, rl::mo_acquire, true, true};
settings use = shipped;

uint32_t take_spare(rl::atomic<uint32_t> *spare);
uint32_t count(rl::atomic<uint32_t> *counter, uint32_t more);

} // namespace

#define TD_CHUNK_REFERENCES 1u
#define TD_CHUNK_WORD watched
#define TD_CHUNKS_STEP 1u
#define TD_CHUNKS_KEPT KEPT
#define TD_CHUNKS_TELL TELL
#include "marker/region/chunks.h"
// One place each in chunks.c, but for the exchange: there are two.
#undef atomic_exchange_explicit
#define atomic_exchange_explicit(p, value, order) take_spare(p)
#undef atomic_fetch_add_explicit
#define atomic_fetch_add_explicit(p, value, order) count(p, value)
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
td_chunks *pool_now;

// Relaxed, both that there are.
uint32_t count(rl::atomic<uint32_t> *counter, uint32_t more) {
  if (counter != &pool_now->told || use.tell_at_once)
    return counter->fetch_add(more, rl::mo_relaxed, RL_INFO);
  uint32_t before = counter->load(rl::mo_relaxed, RL_INFO);
  counter->store(before + more, rl::mo_relaxed, RL_INFO);
  return before;
}

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
    pool_now = &pool;
    pool.at = chunk;
    pool.count = LIMIT;
    td_chunks_begin(&pool, LIMIT * sizeof *pool.at, true);
    for (td_stock &s : stock) {
      s.first = s.last = s.count = s.fresh = s.fresh_end = s.told = 0;
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

  // Every chunk is in one place, and none is in use. What is told is what each marker has told.
  void after() {
    unsigned found = 0;
    int32_t told = 0;
    for (td_stock &s : stock) {
      RL_ASSERT((int32_t)s.told < TELL && (int32_t)s.told > -TELL);
      told += (int32_t)s.told;
      found += length(s.first);
      found += s.fresh_end - s.fresh;
    }
    found += length(pool.spare.load(rl::mo_relaxed, RL_INFO));
    uint32_t fresh = pool.fresh.load(rl::mo_relaxed, RL_INFO);
    RL_ASSERT(found == (fresh < LIMIT ? fresh : LIMIT) - 1);
    RL_ASSERT(td_chunks_told(&pool) == told);
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
    {"two tell at once, and one is not heard", [](settings *s) { s->tell_at_once = false; }},
};

} // namespace

int main(int argc, char **argv) {
  bool full = wants_full(argc, argv, "chunks");
  effort most = full ? effort{2000000, 2000000, 5000} : effort{30000, 300000, 5000};
  bool good = is_clean<test>("", most);
  good &= all_fail<test>(mutants, &use, most);
  return good ? 0 : 1;
}
