// SPDX-License-Identifier: MIT
// The protocol of regions under the Relacy race detector: marker/region/region.h and
// marker/base/termination.h, as shipped, with three markers around them that mark a small graph.
//
// Markers 0 and 1 visit regions as marker/region/visit.c does, marker 1 one region at a time: it
// gives up after each visit. Marker 2 takes single chunks and leaves the others waiting. What a
// marker finds it throws into chunks of its own, and nobody leaves the phase before it has looked
// at all regions. Marks are plain variables. A marker that takes a single chunk tests its
// references as the owner here, so that marks need no atomics. It looks in the region of its node
// first; the others prefer the region of their number.
//
// Checked when marker 0 has seen the end: every reference was sifted exactly once, every object is
// marked, nothing waits and no region is owned; nobody touches marks or chunks in a data race. Then
// every mutant must fail in one of these ways.
#include "relacy/stdatomic.h"
#include "relacy/mutants.h"
#include "relacy/watched.h"

#include <cstdint>
#include <cstring>

namespace {

enum { MARKERS = 3, OBJECTS = 4, REGIONS = 2, SHIFT = 1, ROOTS = 2, REFERENCES = 6, CHUNKS = 7 };
enum { SINGLE = 2 /* the marker that takes single chunks */ };

// What a run uses; a mutant changes one of them.
struct settings {
  rl::memory_order push, take, claim, leave;
  bool look;         // at all regions before leaving the phase
  bool look_again;   // after a claimed region had nothing
  bool close;        // push open chunks before leaving the phase
  bool ask_owner;    // claim asks whether there is an owner
  bool pop_claimed;  // single chunks are taken by an owner
  bool take_owned;   // taking keeps the owner's bit
  bool push_owned;   // so does pushing
  bool keep_older;   // a chunk that is pushed knows the one before it
  bool announce;     // `used` is set before a push,
  bool announce_run; // and before visits
};
constexpr settings shipped = {
    rl::mo_release, rl::mo_acquire, rl::mo_acquire, rl::mo_release, true, true, true,
    true,           true,           true,           true,           true, true, true};
settings use = shipped;

} // namespace

#define TD_CHUNK_REFERENCES 2u
#define TD_CHUNK_WORD watched
#define TD_REGION_ORDER_PUSH use.push
#define TD_REGION_ORDER_TAKE use.take
#define TD_REGION_ORDER_CLAIM use.claim
#define TD_REGION_ORDER_LEAVE use.leave
#include "marker/base/termination.h"
#include "marker/region/region.h"

namespace {

// Reference r leads to object target[r]. The first two are roots; the others are those of an
// object, from first[object] on.
int const target[REFERENCES] = {0, 2, 1, 2, 3, 0};
int const first[OBJECTS + 1] = {2, 4, 4, 6, 6};

struct test : rl::test_suite<test, MARKERS> {
  td_termination term;
  td_region region[REGIONS];
  td_chunk chunk[1 + MARKERS * CHUNKS]; // a marker's own, each used once
  rl::atomic<uint32_t> used;            // as td_regions.used
  rl::atomic<int> root_next;
  rl::var<int> mark[OBJECTS]; // of the region's owner
  // A marker's own: the open chunk of each region, 0 if there is none, and what is in it.
  unsigned open[MARKERS][REGIONS], filled[MARKERS][REGIONS], chunks_used[MARKERS];
  unsigned fresh[MARKERS]; // a bit for each object that is to be scanned
  // The checker's own.
  unsigned thrown[REFERENCES], sifted[REFERENCES];

  void before() {
    term.active.store(0, rl::mo_relaxed, RL_INFO);
    for (td_region &r : region) {
      r.word.store(0, rl::mo_relaxed, RL_INFO);
      // A hint left by an earlier collection: region 0 is claimed while nothing waits there.
      r.deferred.store(&r == region, rl::mo_relaxed, RL_INFO);
    }
    used.store(0, rl::mo_relaxed, RL_INFO);
    root_next.store(0, rl::mo_relaxed, RL_INFO);
    for (auto &m : mark)
      m(RL_INFO).store(0);
    std::memset(open, 0, sizeof open);
    std::memset(filled, 0, sizeof filled);
    std::memset(chunks_used, 0, sizeof chunks_used);
    std::memset(fresh, 0, sizeof fresh);
    std::memset(thrown, 0, sizeof thrown);
    std::memset(sifted, 0, sizeof sifted);
  }

  void thread(unsigned id) {
    if (id != 0) {
      help(id);
      return;
    }
    td_term_start(&term);
    work(0);
    while (!td_term_over(&term)) {
      if (promising() && td_term_join(&term))
        work(0);
      else
        rl::yield(1, RL_INFO);
    }
    check();
  }

  // A helper looks a few times, then sleeps, as one may.
  void help(unsigned id) {
    for (int look = 0; look < 4; look++) {
      if (promising() && td_term_join(&term)) work(id);
      rl::yield(1, RL_INFO);
    }
  }

  bool promising() {
    if (root_next.load(rl::mo_relaxed, RL_INFO) < ROOTS) return true;
    for (td_region &r : region)
      if (waits(&r)) return true;
    return false;
  }

  static bool waits(td_region *r) {
    uint64_t word = td_region_look(r);
    return !td_region_is_owned(word) && td_region_waiting(word) > 0;
  }

  // Active: marks until nothing is found, then leaves.
  void work(unsigned id) {
    do {
      if (id == SINGLE)
        close(id);
      else
        run(id);
    } while (roots(id) || unload(id));
    td_term_leave(&term);
  }

  bool roots(unsigned id) {
    if (root_next.load(rl::mo_relaxed, RL_INFO) >= ROOTS) return false;
    int root = root_next.fetch_add(1, rl::mo_relaxed, RL_INFO);
    if (root < ROOTS) throw_reference(id, root);
    return true;
  }

  // ---- Throwing ----

  void throw_reference(unsigned id, int reference) {
    unsigned r = target[reference] >> SHIFT;
    thrown[reference]++;
    if (open[id][r] != 0 && filled[id][r] == TD_CHUNK_REFERENCES) push(id, r);
    if (open[id][r] == 0) {
      RL_ASSERT(chunks_used[id] < CHUNKS);
      open[id][r] = 1 + id * CHUNKS + chunks_used[id]++;
      filled[id][r] = 0;
    }
    chunk[open[id][r]].at[filled[id][r]++] = (uint32_t)reference;
  }

  void push(unsigned id, unsigned r) {
    unsigned number = open[id][r];
    chunk[number].count = filled[id][r];
    open[id][r] = 0;
    if (use.announce) announce();
    if (use.keep_older && use.push_owned)
      td_region_push(&region[r], &chunk[number], number);
    else
      push_badly(&region[r], number);
  }

  void announce() {
    if (!used.load(rl::mo_relaxed, RL_INFO)) used.store(1, rl::mo_relaxed, RL_INFO);
  }

  void push_badly(td_region *r, unsigned number) {
    uint64_t seen = td_region_look(r), word;
    do {
      chunk[number].next = use.keep_older ? (uint32_t)seen : 0;
      word = ((seen >> 32) << 32) + TD_REGION_CHUNK + number;
      if (!use.push_owned) word &= ~TD_REGION_OWNED;
    } while (!r->word.compare_exchange_weak(seen, word, rl::mo_release, RL_INFO, rl::mo_relaxed,
                                            RL_INFO));
  }

  void close(unsigned id) {
    if (!use.close) return;
    for (unsigned r = 0; r < REGIONS; r++) {
      if (open[id][r] != 0 && filled[id][r] > 0) push(id, r);
      open[id][r] = 0;
    }
  }

  // ---- Visiting ----

  void run(unsigned id) {
    if (use.announce_run) announce();
    unsigned r;
    do {
      if (!claim_any(id, &r)) break;
      visit(id, r);
    } while (id != 1);
    close(id);
  }

  bool claim_any(unsigned id, unsigned *claimed) {
    if (claim_one(id, true, claimed)) return true;
    close(id);
    return claim_one(id, false, claimed);
  }

  bool claim_one(unsigned id, bool deferred, unsigned *claimed) {
    for (unsigned i = 0; i < REGIONS; i++) {
      unsigned r = (id + i) % REGIONS;
      uint64_t word = td_region_look(&region[r]);
      bool found = td_region_waiting(word) > 0 || (deferred && td_region_has_deferred(&region[r]));
      if (!found || (use.ask_owner && td_region_is_owned(word)) || !claim(&region[r])) continue;
      *claimed = r;
      return true;
    }
    return false;
  }

  bool claim(td_region *r) {
    if (use.ask_owner) return td_region_claim(r);
    atomic_fetch_or_explicit(&r->word, TD_REGION_OWNED, memory_order_acquire);
    return true;
  }

  void visit(unsigned id, unsigned r) {
    td_region_set_deferred(&region[r], false);
    for (bool found = true; found;) {
      if (open[id][r] != 0) sift(id, open[id][r], filled[id][r]);
      filled[id][r] = 0;
      for (unsigned number = take(&region[r]); number != 0; number = chunk[number].next)
        sift(id, number, chunk[number].count);
      found = scan(id);
    }
    if (id == 1 && rl::rand(2)) dawdle();
    td_region_leave(&region[r]);
  }

  // An owner that is held up for as long as others are at work, or nearly. Sees nothing by that.
  void dawdle() {
    for (int i = 0; i < 40 && !td_term_alone(&term); i++)
      rl::yield(1, RL_INFO);
  }

  unsigned take(td_region *r) {
    if (use.take_owned) return td_region_take(r);
    return (uint32_t)atomic_exchange_explicit(&r->word, UINT64_C(0), memory_order_acquire);
  }

  void sift(unsigned id, unsigned number, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
      unsigned reference = chunk[number].at[i];
      sifted[reference]++;
      RL_ASSERT(sifted[reference] == 1);
      int object = target[reference];
      if (mark[object](RL_INFO).load()) continue;
      mark[object](RL_INFO).store(1);
      fresh[id] |= 1u << object;
    }
  }

  bool scan(unsigned id) {
    unsigned some = fresh[id];
    fresh[id] = 0;
    for (int object = 0; object < OBJECTS; object++)
      for (int r = first[object]; some >> object & 1 && r < first[object + 1]; r++)
        throw_reference(id, r);
    return some != 0;
  }

  // ---- Single chunks ----

  bool unload(unsigned id) {
    unsigned r;
    if (!use.look || !used.load(rl::mo_relaxed, RL_INFO)) return false;
    while (claim_next(&r)) {
      unsigned number = td_region_pop(&region[r], chunk);
      if (number != 0) sift(id, number, chunk[number].count);
      if (use.pop_claimed) td_region_leave(&region[r]);
      scan(id);
      if (number != 0) return true;
      if (!use.look_again) break;
    }
    return false;
  }

  bool claim_next(unsigned *claimed) {
    for (unsigned r = 0; r < REGIONS; r++) {
      if (!waits(&region[r]) || (use.pop_claimed && !claim(&region[r]))) continue;
      *claimed = r;
      return true;
    }
    return false;
  }

  void check() {
    for (td_region &r : region)
      RL_ASSERT(td_region_look(&r) == 0);
    for (int r = 0; r < REFERENCES; r++)
      RL_ASSERT(thrown[r] == 1 && sifted[r] == 1);
    for (auto &m : mark)
      RL_ASSERT(m(RL_INFO).load() == 1);
  }
};

mutant<settings> const mutants[] = {
    {"push does not release", [](settings *s) { s->push = rl::mo_relaxed; }},
    {"take and pop do not acquire", [](settings *s) { s->take = rl::mo_relaxed; }},
    {"claim does not acquire", [](settings *s) { s->claim = rl::mo_relaxed; }},
    {"leave does not release", [](settings *s) { s->leave = rl::mo_relaxed; }},
    {"leaving the phase without a look at regions", [](settings *s) { s->look = false; }},
    {"a claimed region without chunks ends the look", [](settings *s) { s->look_again = false; }},
    {"leaving the phase with open chunks", [](settings *s) { s->close = false; }},
    {"claim does not ask for the owner", [](settings *s) { s->ask_owner = false; }},
    {"a chunk is taken without a claim", [](settings *s) { s->pop_claimed = false; }},
    {"take clears the owner's bit", [](settings *s) { s->take_owned = false; }},
    {"push clears the owner's bit", [](settings *s) { s->push_owned = false; }},
    {"push drops the older chunks", [](settings *s) { s->keep_older = false; }},
    {"a push is not announced", [](settings *s) { s->announce = false; }},
    {"a visit is not announced", [](settings *s) { s->announce_run = false; }},
};

} // namespace

int main(int argc, char **argv) {
  return run_client<test>(argc, argv, "region", {2000000, 2000000, 5000}, {30000, 300000, 5000},
                          mutants, &use);
}
