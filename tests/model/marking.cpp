// SPDX-License-Identifier: MIT
// Marking in the small (marking.h: queue, termination, marks and flags together, as shipped) under
// the Relacy race detector.
//
//   relacy_marking --modes MODES --graph CHILDREN --roots SLICES [--looks N]
//                  [--chunks N]
//
// MODES: a letter for each marker, see marking.h. CHILDREN: digits for each object, separated by
// commas: "12,3,3," is object 0 referring to 1 and 2, both of these to 3. SLICES: the same for root
// slices. --looks: how often a helper looks for work before it sleeps for good. --chunks: how many
// each marker has.
#include "relacy/stdatomic.h"
#include "relacy/watched.h"

#include <cstdint>
#include <cstring>

#define MODEL_ASSERT(condition) RL_ASSERT(condition)
#include "marker/queue/bwos.h"

// The other headers spell their orders out; here each spelling leads to a site.
#undef memory_order_release
#undef memory_order_acquire
constexpr rl::memory_order memory_order_release = rl::mo_release;
constexpr rl::memory_order memory_order_acquire = rl::mo_acquire;
#define TD_TERM_ORDER_LEAVE TD_ORDER(term, leave, acq_rel)
#define TD_TERM_ORDER_JOIN TD_ORDER(term, join, acq_rel)
#define TD_TERM_ORDER_DONE TD_ORDER(term, over, acquire)
#define memory_order_release TD_ORDER(term, start, release)
#include "marker/base/termination.h"

// Of the heap, marks and flags only. Mark bytes are addresses here, the atomics are beside them.
#define TD_HEAP_SPACE_SPACE_H
#define TD_DEFERRED 0x80u
struct td_space {
  rl::atomic<uint8_t> *flags;
};
namespace {
uint8_t load_mark(uint8_t const *mark);
uint64_t load_mark(uint64_t const *marks);
void store_mark(uint8_t *mark, uint8_t value);
void store_mark(uint64_t *marks, uint64_t value);
} // namespace
#define __atomic_load_n(mark, order) load_mark(mark)
#define __atomic_store_n(mark, value, order) store_mark(mark, value)
#undef memory_order_release
#define memory_order_release TD_ORDER(flag, store, release)
#define memory_order_acquire TD_ORDER(flag, take, acquire)
#include "heap/space/marks.h"
#undef memory_order_release
#undef memory_order_acquire

#define TD_CHUNK_REFERENCES 2u
#define TD_CHUNK_WORD watched
#define TD_REGION_ORDER_PUSH TD_ORDER(region, push, release)
#define TD_REGION_ORDER_TAKE TD_ORDER(region, take, acquire)
#define TD_REGION_ORDER_CLAIM TD_ORDER(region, claim, acquire)
#define TD_REGION_ORDER_LEAVE TD_ORDER(region, leave, release)
#include "marker/region/region.h"

namespace {
unsigned markers, slices, pages, looks = 3, chunks = 8;
char const *modes = "";
uint64_t graph, roots;
uint8_t marks[8];
unsigned long met[16];
} // namespace
#define MODEL_MET(event) (void)(met[event]++)
#define MODEL_MARKERS markers
#define MODEL_MODE(id) modes[id]
extern struct marking *current;
#define MODEL_STATE (*current)
#define MODEL_MARKS marks
#define MODEL_GRAPH graph
#define MODEL_ROOTS roots
#define MODEL_SLICES slices
#define MODEL_PAGES pages
#define MODEL_REGIONS (std::strpbrk(modes, "rs") != nullptr)
#define MODEL_CHUNKS chunks
#include "tests/model/marking.h"
struct marking *current;

#include "relacy/checker.h"

namespace {

char const *const event_names[EVENTS] = {"joined",   "stolen", "alone",   "granted",
                                         "deferred", "walked", "foreign", "visited",
                                         "unloaded", "short",  "taken"};

alignas(64) unsigned char storage[MARKING_MOST][8192];
rl::atomic<uint8_t> *mark_atoms;

uint8_t load_mark(uint8_t const *mark) {
  return mark_atoms[mark - marks].load(rl::mo_relaxed, RL_INFO);
}
uint64_t load_mark(uint64_t const *) {
  std::abort(); // marking.h takes bytes one at a time
}
void store_mark(uint8_t *mark, uint8_t value) {
  mark_atoms[mark - marks].store(value, rl::mo_relaxed, RL_INFO);
}

template <int MARKERS> struct test : rl::test_suite<test<MARKERS>, MARKERS> {
  marking state;
  rl::atomic<uint8_t> mark_bytes[MARKING_OBJECTS];
  rl::atomic<uint8_t> flags[MARKING_PAGES];

  void before() {
    object_count = 0;
    current = &state;
    mark_atoms = mark_bytes;
    for (auto &m : mark_bytes)
      m.store(0, rl::mo_relaxed, RL_INFO);
    marking_init(flags, storage, sizeof storage[0]);
  }

  void thread(unsigned id) {
    if (id != 0) {
      help(id);
      return;
    }
    marking_start();
    bool over = marking_collect();
    while (!over && !td_term_over(&state.term))
      if (marking_promising(0))
        over = marking_try(0);
      else
        rl::yield(1, RL_INFO);
    marking_check();
  }

  // Does not ask for the end first, so that joining alone must show it the description of the
  // phase.
  void help(unsigned id) {
    for (unsigned look = 0; look < looks; look++)
      if (marking_promising(id))
        marking_try(id);
      else
        rl::yield(1, RL_INFO);
  }

  void after() { forget_objects(); }
};

// "12,3": byte 0 has bits 1 and 2, byte 1 has bit 3; how many bytes
unsigned parse_sets(std::string const &text, uint64_t *sets) {
  unsigned count = 1;
  *sets = 0;
  for (char c : text) {
    if (c == ',')
      count++;
    else if (c >= '0' && c < '0' + MARKING_OBJECTS && count <= 8)
      *sets |= UINT64_C(1) << (8 * (count - 1) + unsigned(c - '0'));
    else
      usage("bad list '" + text + "'");
  }
  if (count > 8) usage("bad list '" + text + "'");
  return count;
}

bool own_option(std::string const &option, char const *value) {
  if (option == "--modes")
    modes = value;
  else if (option == "--graph")
    pages = (parse_sets(value, &graph) + 1) / 2;
  else if (option == "--roots")
    slices = parse_sets(value, &roots);
  else
    return take_number({{"--looks", &looks}, {"--chunks", &chunks}}, option, value);
  return true;
}

} // namespace

int main(int argc, char **argv) {
  rl::test_params params;
  settings given = read_options(argc, argv, own_option, params, 20000);
  markers = (unsigned)std::strlen(modes);
  if (std::strspn(modes, "uodrs") != markers) usage("bad modes");
  if (pages == 0 || slices == 0) usage("no graph or no roots");
  if (chunks > MARKING_CHUNKS) usage("bad number of chunks");
  if (td_bwos_storage_bytes(MARKING_BLOCKS, MARKING_ENTRIES) > sizeof storage[0]) return 2;
  int status = 2;
  if (markers == 2)
    status = check<test<2>>(params);
  else if (markers == 3)
    status = check<test<3>>(params);
  else
    usage("two or three markers");
  return conclude(given, status, event_names, met, EVENTS);
}
