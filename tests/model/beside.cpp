// SPDX-License-Identifier: MIT
// Marking beside the program (gc/cycle/beside.h) under the Relacy race detector: the barrier
// (include/tide/write.h, gc/threads/mutator/barrier.c), what is marked from outside and what is
// deferred (marker/base/deferred.c), marks and flags (heap/space/marks.h), as shipped.
//
//   relacy_beside --graph CHILDREN --roots OBJECTS --mutator SCRIPT [--mutator SCRIPT]
//                 [--dying OBJECT] [--marker q|d] [--rounds N] [--young 0|1|2]
//
// Every object has one slot. CHILDREN: a digit for each object, the object that its slot refers to,
// "-" for none, "." for a free cell. Roots refer to objects for ever. The marker queues what it
// meets (q), or defers it (d). A mutator holds one reference. Its SCRIPT: lN take what is in
// object N's slot; f go on to what is in the slot of what is held; sN store what is held into N's
// slot; zN store NULL; n allocate an object whose slot gets what is held, and hold that; wN take
// object N out of a weak reference, if it is alive; d let go; y collect the young, if some are
// born. It may be stopped between two steps.
//
// One collection: stop 1 takes the epoch and the roots, what mutators hold included; the marker
// marks; stop 2 looks whether mutators have marked anything that was not scanned: then the program
// goes on, and the marker, at most --rounds times; then the rest is marked in the stop. What is
// white then is freed, and weak references to it are cleared.
//
// In a heap with --young, objects are born young and stores into old ones are logged before stop 1
// and after stop 3, which ends the collection. In between the barriers of all mutators go by one
// byte, that of granule 0, which is no object's. With --young 1 all objects are old from their
// first moment then. With --young 2 they are born young until stop 2: what is written into old ones
// is noted, and the only mutator may collect the young (gc/cycle/young_beside.h) while the marker
// goes on. A cell that it has freed so may be allocated again.
//
// The --dying object has a finalizer: if stop 2 finds it white, weak references to what is white
// are cleared, it is queued, which is a root, and marked from outside; then the program goes on
// once more, and what it reaches is marked meanwhile (gc/cycle/reclaim.h).
//
// Checked: in the end no root and no mutator reaches an object that was freed, and nobody ever
// holds one; nothing is deferred, flagged or told; the marker looks into no new object; and no
// store into an old object while objects are born young is left untold.
#include <pthread.h>

#include "relacy/stdatomic.h"

#define MODEL_BEFORE (void)0
#include "relacy/sites.h"
#include "relacy/watched.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>

#define MODEL_STEP(name) MODEL_SITE(#name, true, 1)

namespace {

enum { MUTATORS = 2, OBJECTS = 8, FIRST = 4 /* its granule: block 0 is none's */ };
enum { GRANULES = FIRST + OBJECTS, SLABS = 3, PAGES = 6, SCANS = 40, MARKS = 16 };
uintptr_t const BASE = 1 << 20;
enum event { KEPT, AGAIN, REST, FREED, BORN, REVIVED, LOGGED, YOUNG, REBORN, QUEUED, EVENTS };
char const *const event_names[EVENTS] = {"kept",    "again",  "rest",  "freed",  "born",
                                         "revived", "logged", "young", "reborn", "queued"};
unsigned long met[EVENTS];
#define MODEL_MET(event) (void)(met[event]++)

char const *graph = "", *roots = "", *scripts[MUTATORS];
unsigned cells, mutators;
char marker_mode = 'q';
unsigned rounds = 2;
bool has_young, young_beside;
int dying = -1;

// Mark bytes, slots and what slabs are told are addresses here, the atomics are beside them.
uint8_t marks[MARKS], slabs[SLABS];
uintptr_t slots[OBJECTS];
struct memory {
  rl::atomic<uint8_t> mark[MARKS], flag[PAGES], told[SLABS];
  rl::atomic<uintptr_t> slot[OBJECTS];
};
memory *at;

rl::atomic<uint8_t> &byte_of(uint8_t const *p) {
  return p >= marks && p < marks + MARKS ? at->mark[p - marks] : at->told[p - slabs];
}

// What a mutant does later than it should.
struct put_off {
  struct {
    uint8_t *at;
    uint8_t value;
  } mark;
  rl::atomic<uint8_t> *flag;
} late[MUTATORS + 1];

bool is_mutator() {
  return rl::thread_index() < mutators;
}

uint8_t any_load(uint8_t const *p, int order) {
  return byte_of(p).load((rl::memory_order)order, RL_INFO);
}
signed char any_load(signed char const *p, int order) {
  uint8_t const *mark = reinterpret_cast<uint8_t const *>(p);
  return mark >= marks && mark < marks + MARKS ? (signed char)any_load(mark, order) : *p;
}
uintptr_t any_load(uintptr_t const *p, int order) {
  if (p < slots || p >= slots + OBJECTS) std::abort(); // eight flags at once
  return at->slot[p - slots].load((rl::memory_order)order, RL_INFO);
}
void any_store(uintptr_t *p, uintptr_t value, int) {
  *p = value; // of a mutator that is being opened
}
void any_store(uint8_t *p, uint8_t value, int order) {
  if ((value & 0x80u) && is_mutator() && !MODEL_STEP(byte_first))
    late[rl::thread_index()].mark = {p, value};
  else
    byte_of(p).store(value, (rl::memory_order)order, RL_INFO);
}
uint64_t any_exchange(uint64_t *, uint64_t, int) {
  std::abort();
}
// Of what a slab is told.
uint8_t any_exchange(uint8_t *p, uint8_t value, int order) {
  put_off &mine = late[rl::thread_index()];
  if (value == 1 && !MODEL_STEP(slab_whole)) {
    byte_of(p).store(value, (rl::memory_order)order, RL_INFO);
    return 0;
  }
  uint8_t before = byte_of(p).exchange(value, (rl::memory_order)order, RL_INFO);
  if (mine.flag) mine.flag->exchange(1, rl::mo_release, RL_INFO);
  mine.flag = nullptr;
  return before;
}
uint8_t flag_exchange(rl::atomic<uint8_t> *p, int value, int order) {
  put_off &mine = late[rl::thread_index()];
  if (value == 1 && is_mutator() && !MODEL_STEP(flag_first)) {
    mine.flag = p;
    return 0;
  }
  if (value == 1 && !MODEL_STEP(flag_whole)) {
    p->store(1, (rl::memory_order)order, RL_INFO);
    return 0;
  }
  uint8_t before = p->exchange((uint8_t)value, (rl::memory_order)order, RL_INFO);
  if (mine.mark.at) byte_of(mine.mark.at).store(mine.mark.value, rl::mo_relaxed, RL_INFO);
  mine.mark.at = nullptr;
  return before;
}

} // namespace

#undef atomic_exchange_explicit
#undef __atomic_load_n
#undef __atomic_store_n
#define atomic_exchange_explicit(p, value, order)                                                  \
  flag_exchange((p), (value), MODEL_ORDER_OF("exchange(" #p ", " #value ")", order))
#define __atomic_load_n(p, order) any_load((p), (order))
#define __atomic_store_n(p, value, order)                                                          \
  any_store((p), (value), MODEL_ORDER_OF("store(" #p ")", order))
#define __atomic_exchange_n(p, value, order)                                                       \
  any_exchange((p), (value), MODEL_ORDER_OF("exchange(" #p ")", order))

#include "tests/model/beside_types.h"

// The log: heap/young/log.h has its own client, stopping.h. A byte is not put off here.
bool td_log_write(td_space *space, uintptr_t object, uintptr_t, size_t) {
  rl::atomic<uint8_t> &byte = at->mark[td_granule_of(space->base, object)];
  uint8_t epoch = space->epoch;
  if (byte.load(rl::mo_relaxed, RL_INFO) != epoch) return false;
  byte.store((uint8_t)(epoch | TD_DEFERRED), rl::mo_relaxed, RL_INFO);
  MODEL_MET(LOGGED);
  return true;
}

// The log of the only mutator, as gc/threads/mutator/written.c keeps it.
uintptr_t const *written[16];
unsigned written_count;
bool td_written_note(tide_mutator *mutator, uintptr_t object, uintptr_t slot, size_t) {
  uint64_t granule = td_granule_of(mutator->heap->space.base, object);
  if (at->mark[granule].load(rl::mo_relaxed, RL_INFO) == TD_YOUNG) return false;
  MODEL_MET(LOGGED);
  if (MODEL_STEP(noted)) written[written_count++] = reinterpret_cast<uintptr_t const *>(slot);
  return true;
}

#include "tide/write.h"
#include "gc/threads/mutator/barrier.c"
#include "marker/base/deferred.c"

#include "relacy/checker.h"

namespace {

uintptr_t address_of(unsigned object) {
  return BASE + ((FIRST + object) << TD_GRANULE_LOG2);
}
unsigned object_at(uintptr_t address) {
  return (unsigned)((address - BASE) >> TD_GRANULE_LOG2) - FIRST;
}

template <int THREADS> struct test : rl::test_suite<test<THREADS>, THREADS> {
  memory all;
  td_markers set;
  tide_heap heap;
  td_marker marker, *marker_list[1];
  td_block blocks[SLABS];
  tide_mutator mutator[MUTATORS];
  uintptr_t held[MUTATORS]; // stacks
  rl::atomic<uintptr_t> weak[OBJECTS];
  watched freed[OBJECTS], formed[OBJECTS];
  rl::atomic<uint32_t> wanted, stopped, let_go, over; // numbers of stops; of mutators
  uint32_t answered[MUTATORS], stops;
  uintptr_t queue[SCANS];
  unsigned queued, scans;
  bool is_queued; // the finalizer of the dying object

  void before() {
    at = &all;
    std::memset(late, 0, sizeof late);
    std::memset(blocks, 0, sizeof blocks);
    for (td_block &block : blocks)
      block.kind = TD_KIND_REFS;
    for (auto &flag : all.flag)
      flag.store(0, rl::mo_relaxed, RL_INFO);
    for (auto &told : all.told)
      told.store(0, rl::mo_relaxed, RL_INFO);
    begin_heap();
    for (unsigned granule = 0; granule < MARKS; granule++)
      all.mark[granule].store(0, rl::mo_relaxed, RL_INFO);
    for (unsigned o = 0; o < OBJECTS; o++)
      begin_object(o, o < cells ? graph[o] : '.');
    wanted.store(0, rl::mo_relaxed, RL_INFO);
    stopped.store(0, rl::mo_relaxed, RL_INFO);
    let_go.store(0, rl::mo_relaxed, RL_INFO);
    over.store(0, rl::mo_relaxed, RL_INFO);
    stops = queued = scans = written_count = 0;
    is_queued = false;
    for (unsigned id = 0; id < mutators; id++) {
      held[id] = 0;
      answered[id] = 0;
      mutator[id].heap = &heap;
      td_barrier_open(&mutator[id]);
    }
  }

  void begin_heap() {
    td_space *space = &heap.space;
    *space = {};
    space->base = BASE;
    space->marks = marks;
    space->logged_slabs = slabs;
    space->blocks = blocks;
    space->flags = all.flag;
    space->has_young = has_young;
    space->bears_old = false;
    space->mark_span = MARKS;
    space->epoch = space->epoch_before = space->born = has_young ? TIDE_MARK_OLD : 2;
    if (has_young) space->epoch_before = space->born = TD_YOUNG;
    space->view_frontier = SLABS;
    heap.markers = &set;
    heap.concurrent = &set;
    heap.marking = false;
    heap.gave.store(false, rl::mo_relaxed, RL_INFO);
    heap.beside = 0;
    set.space = space;
    set.marker = marker_list;
    set.limit = 1;
    set.beside = false;
    set.blocks.store(1, rl::mo_relaxed, RL_INFO);
    set.flagged.store(0, rl::mo_relaxed, RL_INFO);
    marker_list[0] = &marker;
    marker.set = &set;
    marker.id = 0;
    marker.stats.objects = 0;
  }

  void begin_object(unsigned o, char child) {
    uintptr_t refers = child >= '0' && child <= '9' ? address_of((unsigned)(child - '0')) : 0;
    all.slot[o].store(refers, rl::mo_relaxed, RL_INFO);
    weak[o].store(address_of(o), rl::mo_relaxed, RL_INFO);
    freed[o] = 0;
    formed[o] = child != '.';
    if (child != '.') all.mark[FIRST + o].store(heap.space.epoch, rl::mo_relaxed, RL_INFO);
  }

  void thread(unsigned id) {
    if (id == mutators) return collect();
    for (char const *step = scripts[id]; *step; step++) {
      safepoint(id);
      bool digit = step[1] >= '0' && step[1] <= '9';
      mutate(id, *step, digit ? (unsigned)(step[1] - '0') : 0);
      step += digit;
    }
    while (over.load(rl::mo_acquire, RL_INFO) == 0) {
      safepoint(id);
      rl::yield(1, RL_INFO);
    }
  }

  // ---- Stops: gc/threads/stop has clients of its own ----

  void safepoint(unsigned id) {
    uint32_t number = wanted.load(rl::mo_relaxed, RL_INFO);
    if (number == answered[id]) return;
    answered[id] = number;
    stopped.fetch_add(1, rl::mo_release, RL_INFO);
    while (let_go.load(rl::mo_acquire, RL_INFO) < number)
      rl::yield(1, RL_INFO);
  }
  void stop() {
    wanted.store(++stops, rl::mo_relaxed, RL_INFO);
    while (stopped.load(rl::mo_acquire, RL_INFO) < stops * mutators)
      rl::yield(1, RL_INFO);
  }
  void resume() { let_go.store(stops, rl::mo_release, RL_INFO); }

  // ---- Mutators ----

  void hold(unsigned id, uintptr_t reference) {
    held[id] = reference;
    if (reference) RL_ASSERT(freed[object_at(reference)] == 0);
  }

  // Into a slot of an object.
  void write(unsigned id, unsigned object, uintptr_t reference) {
    if (!MODEL_STEP(barrier_first)) all.slot[object].store(reference, rl::mo_relaxed, RL_INFO);
    bool is_marked = td_mark_load(&marks[FIRST + object]) != heap.space.epoch_before;
    if (MODEL_STEP(whoever_holds) || !is_marked)
      tide_write_begin(&mutator[id], (void *)address_of(object), &slots[object], 1);
    if (td_young_are_born(&heap.space) && !heap.beside)
      RL_ASSERT(td_mark_load(&marks[FIRST + object]) != heap.space.epoch);
    if (!MODEL_STEP(together)) safepoint(id);
    if (MODEL_STEP(barrier_first)) all.slot[object].store(reference, rl::mo_relaxed, RL_INFO);
  }

  // Each mutator has one free cell.
  void allocate(unsigned id) {
    char const *cell = std::strchr(graph, '.');
    unsigned o = (unsigned)(cell - graph) + id;
    td_space *space = &heap.space;
    MODEL_MET(BORN);
    if (formed[o] == 1) {
      if (freed[o] == 0) return;
      MODEL_MET(REBORN);
      freed[o] = 0;
    }
    formed[o] = 1;
    td_mark_store(&marks[FIRST + o], MODEL_STEP(born) ? space->born : space->epoch_before);
    all.slot[o].store(held[id], rl::mo_relaxed, RL_INFO);
    hold(id, address_of(o));
  }

  void revive(unsigned id, unsigned object) {
    uintptr_t reference = weak[object].load(rl::mo_relaxed, RL_INFO);
    if (!reference) return;
    MODEL_MET(REVIVED);
    RL_ASSERT(!is_queued || object != (unsigned)dying); // it was cleared first
    if (MODEL_STEP(kept)) td_barrier_keep(&mutator[id], (void *)reference);
    hold(id, reference);
  }

  void find_young(uintptr_t reference) {
    while (reference && td_mark_load(&marks[FIRST + object_at(reference)]) == TD_YOUNG) {
      td_mark_store(&marks[FIRST + object_at(reference)], heap.space.epoch);
      reference = slot_of(object_at(reference));
    }
  }

  // Sorting clears single bytes, because the marker may be storing the next ones.
  void free_young(unsigned o) {
    uint8_t byte = td_mark_load(&marks[FIRST + o]);
    bool white = byte == heap.space.epoch_before && !MODEL_STEP(whites_live);
    if (byte != TD_YOUNG && !white) return;
    uint8_t next = o + 1 < OBJECTS ? td_mark_load(&marks[FIRST + o + 1]) : 0;
    td_mark_store(&marks[FIRST + o], 0);
    if (o + 1 < OBJECTS && !MODEL_STEP(single)) td_mark_store(&marks[FIRST + o + 1], next);
    freed[o] = 1;
    weak[o].store(0, rl::mo_relaxed, RL_INFO);
  }

  // There is no other mutator to stop, and stops 1 and 2 wait for this one.
  void collect_young(unsigned id) {
    if (!heap.beside || !td_young_are_born(&heap.space)) return;
    MODEL_MET(YOUNG);
    find_young(held[id]);
    for (; written_count > 0; written_count--)
      find_young(slot_of((unsigned)(written[written_count - 1] - slots)));
    for (unsigned o = 0; o < OBJECTS; o++)
      free_young(o);
  }

  uintptr_t slot_of(unsigned object) { return all.slot[object].load(rl::mo_relaxed, RL_INFO); }

  void mutate(unsigned id, char step, unsigned n) {
    uint64_t before = mutator[id].overwritten;
    switch (step) {
    case 'l':
      hold(id, slot_of(n));
      break;
    case 'f':
      if (held[id]) hold(id, slot_of(object_at(held[id])));
      break;
    case 's':
      write(id, n, held[id]);
      break;
    case 'z':
      write(id, n, 0);
      break;
    case 'n':
      allocate(id);
      break;
    case 'w':
      revive(id, n);
      break;
    case 'y':
      collect_young(id);
      break;
    default:
      held[id] = 0;
    }
    if (mutator[id].overwritten != before) MODEL_MET(KEPT);
  }

  // ---- The marker: td_mark_phase ----

  void meet(uintptr_t reference) {
    if (!reference) return;
    if (marker_mode == 'd') {
      td_defer(&marker, reference);
      return;
    }
    td_view v = td_view_of(&heap.space);
    if (td_view_meet(&v, reference) != TD_MET_WHITE) return;
    td_mark_store(td_view_mark(&v, reference), v.epoch);
    RL_ASSERT(queued < SCANS);
    queue[queued++] = reference;
  }

  void scan(uintptr_t reference) {
    RL_ASSERT(formed[object_at(reference)] == 1 && ++scans < SCANS);
    meet(slot_of(object_at(reference)));
  }

  // Scans what is deferred in a page; td_deferred_find looks at eight flags at once.
  bool find_flagged() {
    if (set.flagged.load(rl::mo_relaxed, RL_INFO) == 0) return false;
    td_view v = td_view_of(&heap.space);
    for (unsigned page = 0; page < PAGES; page++) {
      if (!td_flag_take(&heap.space, page)) continue;
      for (unsigned g = page * TD_PAGE_GRANULES; g < (page + 1) * TD_PAGE_GRANULES; g++) {
        uintptr_t object = td_view_object(&v, g);
        if ((td_mark_load(td_view_mark(&v, object)) & TD_DEFERRED) == 0) continue;
        td_mark_store(td_view_mark(&v, object), v.epoch);
        scan(object);
      }
      return true;
    }
    return false;
  }

  void phase(uintptr_t const *references, unsigned count) {
    if (MODEL_STEP(slabs_first)) td_deferred_answer_for_others(&marker);
    for (unsigned i = 0; i < count; i++)
      meet(references[i]);
    do {
      while (queued > 0)
        scan(queue[--queued]);
    } while (find_flagged());
    if (!MODEL_STEP(slabs_first)) td_deferred_answer_for_others(&marker);
  }

  // ---- The collection: gc/cycle/beside.c ----

  bool is_behind() { return MODEL_STEP(look) && td_mark_is_behind(&set); }

  void set_beside(bool beside) {
    set.beside = beside;
    heap.beside = beside ? INT8_MAX : 0;
    if (has_young && MODEL_STEP(one_byte)) td_mark_store(&marks[0], (uint8_t)heap.beside);
  }

  // td_young_suspend and td_young_resume: of the heap's bytes and barriers.
  void bear_old(bool old) {
    heap.space.bears_old = old;
    if (!MODEL_STEP(switched)) return;
    for (unsigned id = 0; id < mutators; id++)
      td_barrier_switch(&mutator[id]);
  }
  // td_young_make_old
  void make_old() {
    for (unsigned o = 0; o < OBJECTS; o++) {
      uint8_t byte = td_mark_load(&marks[FIRST + o]);
      if (byte == TD_YOUNG) td_mark_store(&marks[FIRST + o], heap.space.epoch);
      if (byte & TD_DEFERRED) td_mark_store(&marks[FIRST + o], byte & (TD_DEFERRED - 1));
    }
  }

  unsigned begin_stopped(uintptr_t *references) {
    td_space *space = &heap.space;
    if (has_young) make_old();
    space->epoch_before = space->epoch++;
    space->born = space->epoch;
    set_beside(true);
    if (young_beside) space->born = TD_YOUNG;
    if (has_young) bear_old(!young_beside);
    td_deferred_answer_for_others(&marker);
    unsigned count = 0;
    for (char const *root = roots; *root; root++)
      references[count++] = address_of((unsigned)(*root - '0'));
    for (unsigned id = 0; id < mutators; id++)
      references[count++] = held[id];
    return count;
  }

  // td_young_beside_end
  void end_young() {
    if (!td_young_are_born(&heap.space)) return;
    for (unsigned o = 0; o < OBJECTS; o++)
      if (td_mark_load(&marks[FIRST + o]) == TD_YOUNG && MODEL_STEP(ended))
        td_mark_store(&marks[FIRST + o], heap.space.epoch);
    heap.space.born = heap.space.epoch;
    written_count = 0;
    bear_old(true);
  }

  bool is_white(unsigned o) {
    return formed[o] == 1 && td_mark_load(&marks[FIRST + o]) == heap.space.epoch_before;
  }

  // td_reclaim_next: returns whether there is more to mark.
  bool queue_dying() {
    if (dying < 0 || is_queued || is_behind() || !is_white((unsigned)dying)) return false;
    MODEL_MET(QUEUED);
    for (unsigned o = 0; o < OBJECTS; o++)
      if (is_white(o) && MODEL_STEP(cleared)) weak[o].store(0, rl::mo_relaxed, RL_INFO);
    is_queued = true;
    if (MODEL_STEP(resurrected)) td_mark_from_outside(&set, address_of((unsigned)dying));
    return MODEL_STEP(awaited);
  }

  void end_stopped() {
    if (is_behind() && MODEL_STEP(awaited)) {
      MODEL_MET(REST);
      phase(nullptr, 0);
    }
    set_beside(false);
    for (unsigned o = 0; o < OBJECTS; o++) {
      uint8_t byte = td_mark_load(&marks[FIRST + o]);
      if (byte != heap.space.epoch_before && byte != TD_YOUNG) continue;
      MODEL_MET(FREED);
      freed[o] = 1;
      weak[o].store(0, rl::mo_relaxed, RL_INFO);
    }
    check();
  }

  // World stopped.
  void check() {
    for (char const *root = roots; *root; root++)
      check_from(address_of((unsigned)(*root - '0')));
    for (unsigned id = 0; id < mutators; id++)
      check_from(held[id]);
    if (is_queued) check_from(address_of((unsigned)dying));
    for (unsigned o = 0; o < OBJECTS; o++)
      RL_ASSERT((td_mark_load(&marks[FIRST + o]) & TD_DEFERRED) == 0);
    for (unsigned page = 0; page < PAGES; page++)
      RL_ASSERT(!td_flag_peek(&heap.space, page));
    RL_ASSERT(!td_mark_is_behind(&set));
  }

  void check_from(uintptr_t reference) {
    for (unsigned i = 0; reference && i < OBJECTS; i++) {
      RL_ASSERT(freed[object_at(reference)] == 0);
      reference = slot_of(object_at(reference));
    }
  }

  void collect() {
    uintptr_t references[OBJECTS + MUTATORS];
    stop();
    unsigned count = begin_stopped(references);
    resume();
    phase(references, count);
    for (bool again = true; again;) {
      while (is_behind())
        phase(nullptr, 0);
      stop();
      end_young();
      again = stops - 1 <= rounds && is_behind();
      again |= !again && queue_dying();
      if (again)
        MODEL_MET(AGAIN);
      else
        end_stopped();
      resume();
    }
    if (has_young) {
      stop();
      heap.space.epoch_before = heap.space.born = TD_YOUNG;
      bear_old(false);
      resume();
    }
    over.store(1, rl::mo_release, RL_INFO);
  }
};

bool own_option(std::string const &option, char const *value) {
  if (option == "--mutator") {
    if (mutators == MUTATORS) usage("one or two mutators");
    if (std::strspn(value, "lfsznwdy01234567") != std::strlen(value)) usage("bad script");
    scripts[mutators++] = value;
  } else if (option == "--graph") {
    cells = (unsigned)std::strlen(graph = value);
    if (cells > OBJECTS || std::strspn(value, "01234567-.") != cells) usage("bad graph");
  } else if (option == "--roots") {
    roots = value;
    if (std::strspn(value, "01234567") != std::strlen(value)) usage("bad roots");
  } else if (option == "--dying") {
    dying = std::atoi(value);
  } else if (option == "--young") {
    young_beside = *value == '2';
    has_young = young_beside || *value == '1';
  } else if (option == "--marker") {
    marker_mode = *value;
    if (std::strcmp(value, "q") != 0 && std::strcmp(value, "d") != 0) usage("bad marker");
  } else {
    return take_number({{"--rounds", &rounds}}, option, value);
  }
  return true;
}

} // namespace

int main(int argc, char **argv) {
  rl::test_params params;
  settings given = read_options(argc, argv, own_option, params, 5000);
  if (young_beside && mutators > 1) usage("nobody stops a second mutator for young collections");
  if (mutators == 0 || !*roots) usage("no mutator, or no root");
  for (unsigned id = 0; id < mutators; id++)
    if (std::strchr(scripts[id], 'n') && std::strchr(graph, '.') + id >= graph + cells)
      usage("no cell to allocate");
  int status = mutators == 1 ? check<test<2>>(params) : check<test<3>>(params);
  return conclude(given, status, event_names, met, EVENTS);
}
