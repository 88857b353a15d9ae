// SPDX-License-Identifier: MIT
// Termination and the deferred flags under the Relacy race detector: marker/base/termination.h and
// the flags of heap/space/marks.h, as shipped. Three markers around them mark a small graph.
//
//   termination [--full]
//
// Marker 0 starts the phase and waits for its end; the others come and go. A marker takes root
// slices, its own queue, flagged pages, others' queues; marker 0 marks by queue, the others by
// deferred bytes, so markers of both modes race for the same objects. Queues hold one item, and are
// right by construction: they have models of their own.
//
// Checked when marker 0 has seen the end: every object is marked and was scanned, none is deferred,
// no flag and no queue holds anything, and whatever markers wrote for themselves may be read and
// written by marker 0 (a data race otherwise). Then every mutant must fail in one of these ways.
//
// Exit status: 0 as it must be, 1 not, 2 usage.
#include "relacy/stdatomic.h"
#include "relacy/mutants.h"

#include <cstdint>
#include <cstring>

namespace {

enum { MARKERS = 3, OBJECTS = 4, PAGES = 2, ROOTS = 2, EPOCH = 2, NOTHING = OBJECTS };

// What a run uses; a mutant changes one of them.
struct settings {
  rl::memory_order start, join, leave, over, flag_store, flag_take;
  bool flag_always; // store the flag without looking whether it is there
  bool flag_last;   // after the deferred byte
  bool empty_queue; // look at the own queue before leaving
  bool see_flags;   // look at the flags before leaving
  bool keep_byte;   // a taken object becomes marked, not unmarked
  bool exchanged;   // the flag is not stored
};
constexpr settings shipped = {rl::mo_release, rl::mo_acq_rel, rl::mo_acq_rel, rl::mo_acquire,
                              rl::mo_release, rl::mo_acquire, true,           true,
                              true,           true,           true,           true};
settings use = shipped;

} // namespace

// The headers name their orders; here each name leads to this run's.
#define TD_TERM_ORDER_LEAVE use.leave
#define TD_TERM_ORDER_JOIN use.join
#define TD_TERM_ORDER_DONE use.over
#undef memory_order_release
#define memory_order_release use.start
#include "marker/base/termination.h"

// Of the heap, the flags only.
#define TD_HEAP_SPACE_SPACE_H
#define TD_DEFERRED 0x80u
struct td_space {
  rl::atomic<uint8_t> *flags;
};
#undef memory_order_release
#define memory_order_release use.flag_store
#undef memory_order_acquire
#define memory_order_acquire use.flag_take
#include "heap/space/marks.h"

namespace {

// Each object's references. Objects 0 and 1 share a page, so do 2 and 3.
int const child[OBJECTS][2] = {{1, 2}, {3, NOTHING}, {3, 0}, {0, NOTHING}};
int const root[ROOTS][2] = {{0, NOTHING}, {2, 0}};

struct test : rl::test_suite<test, MARKERS> {
  td_termination term;
  rl::atomic<uint8_t> mark[OBJECTS];
  rl::atomic<uint8_t> flags[PAGES];
  rl::atomic<int> queue[MARKERS]; // an object + 1, or 0
  rl::atomic<int> root_next;
  rl::var<int> description;    // of the phase: written before the start, read after joining
  rl::var<int> stats[MARKERS]; // a marker's while it is active, marker 0's after the end
  unsigned scans[OBJECTS];     // the checker's own
  td_space heap;

  void before() {
    term.active.store(0, rl::mo_relaxed, RL_INFO);
    for (auto &m : mark)
      m.store(0, rl::mo_relaxed, RL_INFO);
    for (auto &f : flags)
      f.store(0, rl::mo_relaxed, RL_INFO);
    for (auto &q : queue)
      q.store(0, rl::mo_relaxed, RL_INFO);
    root_next.store(0, rl::mo_relaxed, RL_INFO);
    description(RL_INFO).store(0);
    for (auto &s : stats)
      s(RL_INFO).store(0);
    std::memset(scans, 0, sizeof scans);
    heap = {flags};
  }

  void thread(unsigned id) {
    if (id != 0) {
      help(id);
      return;
    }
    description(RL_INFO).store(1);
    td_term_start(&term);
    work(0);
    while (!td_term_over(&term)) {
      if (promising(0) && td_term_join(&term))
        work(0);
      else
        rl::yield(1, RL_INFO);
    }
    check();
  }

  // A helper looks a few times, then sleeps, as one may. It does not ask for the end first, so that
  // joining alone must show it the description of the phase.
  void help(unsigned id) {
    for (int look = 0; look < 4; look++) {
      if (promising(id) && td_term_join(&term)) {
        RL_ASSERT(description(RL_INFO).load() == 1);
        work(id);
      }
      rl::yield(1, RL_INFO);
    }
  }

  bool promising(unsigned id) {
    if (root_next.load(rl::mo_relaxed, RL_INFO) < ROOTS) return true;
    for (size_t page = 0; page < PAGES; page++)
      if (td_flag_peek(&heap, page)) return true;
    for (unsigned other = 0; other < MARKERS; other++)
      if (other != id && queue[other].load(rl::mo_relaxed, RL_INFO) != 0) return true;
    return false;
  }

  // Active: marks until nothing is found, then leaves.
  void work(unsigned id) {
    stats[id](RL_INFO).store(stats[id](RL_INFO).load() + 1);
    while (own(id) || roots(id) || flagged(id) || steal(id)) {
    }
    td_term_leave(&term);
  }

  bool own(unsigned id) {
    if (!use.empty_queue) return false;
    return scan_item(id, queue[id].exchange(0, rl::mo_acquire, RL_INFO));
  }

  bool steal(unsigned id) {
    for (unsigned other = 0; other < MARKERS; other++)
      if (other != id && scan_item(id, queue[other].exchange(0, rl::mo_acquire, RL_INFO)))
        return true;
    return false;
  }

  bool scan_item(unsigned id, int item) {
    if (item == 0) return false;
    scan(id, item - 1);
    return true;
  }

  bool roots(unsigned id) {
    if (root_next.load(rl::mo_relaxed, RL_INFO) >= ROOTS) return false;
    int slice = root_next.fetch_add(1, rl::mo_relaxed, RL_INFO);
    if (slice < ROOTS)
      for (int object : root[slice])
        meet(id, object);
    return true;
  }

  bool flagged(unsigned id) {
    if (!use.see_flags) return false;
    for (size_t page = 0; page < PAGES; page++)
      if (td_flag_peek(&heap, page)) {
        if (td_flag_take(&heap, page)) take(id, page);
        return true;
      }
    return false;
  }

  void take(unsigned id, size_t page) {
    for (int object = (int)page * 2; object < (int)page * 2 + 2; object++) {
      if ((mark[object].load(rl::mo_relaxed, RL_INFO) & TD_DEFERRED) == 0) continue;
      mark[object].store(use.keep_byte ? EPOCH : 0, rl::mo_relaxed, RL_INFO);
      scan(id, object);
    }
  }

  void scan(unsigned id, int object) {
    scans[object]++;
    RL_ASSERT(scans[object] < 20);
    for (int c : child[object])
      meet(id, c);
  }

  void meet(unsigned id, int object) {
    if (object == NOTHING) return;
    if ((mark[object].load(rl::mo_relaxed, RL_INFO) & (TD_DEFERRED - 1)) == EPOCH) return;
    if (id == 0 && queue[id].load(rl::mo_relaxed, RL_INFO) == 0) {
      mark[object].store(EPOCH, rl::mo_relaxed, RL_INFO);
      queue[id].store(object + 1, rl::mo_release, RL_INFO);
      return;
    }
    // no room in the queue
    if (use.flag_last) mark[object].store(EPOCH | TD_DEFERRED, rl::mo_relaxed, RL_INFO);
    size_t page = object / 2;
    if (!use.exchanged)
      flags[page].store(1, use.flag_store, RL_INFO);
    else if (use.flag_always || !td_flag_peek(&heap, page))
      td_flag_set(&heap, page);
    if (!use.flag_last) mark[object].store(EPOCH | TD_DEFERRED, rl::mo_relaxed, RL_INFO);
  }

  void check() {
    RL_ASSERT(root_next.load(rl::mo_relaxed, RL_INFO) >= ROOTS);
    for (int object = 0; object < OBJECTS; object++) {
      RL_ASSERT(mark[object].load(rl::mo_relaxed, RL_INFO) == EPOCH);
      RL_ASSERT(scans[object] >= 1);
    }
    for (auto &f : flags)
      RL_ASSERT(f.load(rl::mo_relaxed, RL_INFO) == 0);
    for (auto &q : queue)
      RL_ASSERT(q.load(rl::mo_relaxed, RL_INFO) == 0);
    description(RL_INFO).store(2);
    for (auto &s : stats)
      s(RL_INFO).store(0);
  }
};

mutant<settings> const mutants[] = {
    {"start is relaxed", [](settings *s) { s->start = rl::mo_relaxed; }},
    {"join does not acquire", [](settings *s) { s->join = rl::mo_release; }},
    {"join is relaxed", [](settings *s) { s->join = rl::mo_relaxed; }},
    {"leave does not release", [](settings *s) { s->leave = rl::mo_acquire; }},
    {"leave is relaxed", [](settings *s) { s->leave = rl::mo_relaxed; }},
    {"the end is seen without acquiring", [](settings *s) { s->over = rl::mo_relaxed; }},
    {"the flag does not release", [](settings *s) { s->flag_store = rl::mo_relaxed; }},
    {"taking the flag does not acquire", [](settings *s) { s->flag_take = rl::mo_relaxed; }},
    {"the flag is tested first", [](settings *s) { s->flag_always = false; }},
    {"the flag is stored before the byte", [](settings *s) { s->flag_last = false; }},
    {"leaving with items in the queue", [](settings *s) { s->empty_queue = false; }},
    {"leaving without a look at flags", [](settings *s) { s->see_flags = false; }},
    // The later of two stores hides from the taker what the earlier released.
    {"the flag is stored", [](settings *s) { s->exchanged = false; }},
    {"an object taken is unmarked", [](settings *s) { s->keep_byte = false; }},
};

} // namespace

int main(int argc, char **argv) {
  bool full = wants_full(argc, argv, "termination");
  effort most = full ? effort{2000000, 2000000, 5000} : effort{30000, 300000, 5000};
  bool good = is_clean<test>("", most);
  good &= all_fail<test>(mutants, &use, most);
  return good ? 0 : 1;
}
