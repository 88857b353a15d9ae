/* SPDX-License-Identifier: MIT */
/* Figures, events, the walk, and verification that finds what is wrong. */
#include <sched.h>
#include <unistd.h>

#include "gc/state/heap.h"
#include "heap/cells/sort.h"
#include "heap/young/young.h"
#include "tests/unit/gc/young.h"
#include "tide/dropin.h"

HeapTest(stats, add_up) {
  static struct tide_marker_stats marker[TIDE_MARKERS_MAX];
  cr_assert_eq(cycle_of(w.heap).number, 0);
  cr_assert_eq(tide_marker_stats(w.heap, marker, 1), 0);
  list_new(&w, 5000);
  for (int i = 0; i < 3; i++)
    tide_collect(w.m);
  struct tide_heap_stats heap = stats_of(w.heap);
  struct tide_cycle_stats cycle = cycle_of(w.heap);
  struct tide_pause_histogram pauses;
  tide_pause_histogram(w.heap, &pauses);
  cr_assert_eq(cycle.number, 3);
  cr_assert_eq(cycle.objects, 5000);
  cr_assert_eq(cycle.bytes, 5000 * 32);
  cr_assert_eq(cycle.markers, 2);
  cr_assert_geq(cycle.recruited, 1);
  cr_assert_str_eq(cycle.engine, "bwos");
  cr_assert_geq(cycle.pause_ns, cycle.mark_ns + cycle.stop_ns + cycle.sweep_ns);
  cr_assert_eq(tide_marker_stats(w.heap, NULL, 0), 2);
  cr_assert_eq(tide_marker_stats(w.heap, marker, TIDE_MARKERS_MAX), 2);
  uint64_t by_markers = 0, by_buckets = 0;
  for (unsigned i = 0; i < cycle.markers; i++)
    by_markers += marker[i].objects;
  cr_assert_geq(by_markers, 5000);
  for (int i = 0; i < 48; i++)
    by_buckets += pauses.bucket[i];
  cr_assert_eq(by_buckets, 3);
  cr_assert_eq(pauses.count, 3);
  cr_assert_eq(heap.collections, 3);
  cr_assert_eq(heap.mutators, 1);
  cr_assert_geq(heap.heap_bytes, 5000 * 32);
  cr_assert_leq(heap.heap_bytes, heap.committed_bytes);
  cr_assert_leq(heap.committed_bytes, heap.peak_committed_bytes);
  cr_assert_geq(heap.allocated_bytes, 5000 * 32);
  cr_assert_eq(heap.heap_max_bytes, (uint64_t)64 << 20);
  cr_assert_geq(heap.pause_ns_total, heap.pause_ns_max);
  cr_assert_geq(heap.next_collection_bytes, heap.heap_bytes);
}

struct told {
  enum tide_event events[64];
  int count;
  uint64_t last_ns;
};

EVENT(tell) {
  struct told *told = context;
  cr_assert_not_null(heap);
  cr_assert_geq(now_ns, told->last_ns);
  told->last_ns = now_ns;
  if (told->count < 64) told->events[told->count++] = event;
  (void)stats_of(heap); /* may be asked for at any moment */
}

HeapTest(events, come_in_order) {
  struct told told = {.count = 0};
  tide_heap_on_event(w.heap, tell, &told);
  tide_collect(w.m);
  enum tide_event cycle[] = {TIDE_EVENT_CYCLE_BEGIN, TIDE_EVENT_STOPPED,  TIDE_EVENT_MARK_BEGIN,
                             TIDE_EVENT_MARK_END,    TIDE_EVENT_WEAK_END, TIDE_EVENT_SWEEP_END,
                             TIDE_EVENT_CYCLE_END,   TIDE_EVENT_RESUMED};
  cr_assert_eq(told.count, 8);
  for (int i = 0; i < 8; i++)
    cr_assert_eq(told.events[i], cycle[i]);
  told.count = 0;
  cr_assert_not_null(tide_alloc(w.m, TIDE_LAYOUT_LEAF, 2 << 20));
  cr_assert_eq(told.count, 1);
  cr_assert_eq(told.events[0], TIDE_EVENT_HEAP_GREW);
  tide_heap_on_event(w.heap, NULL, NULL);
  told.count = 0;
  tide_collect(w.m);
  cr_assert_eq(told.count, 0);
}

struct other {
  struct world world; /* the mutator is its own */
  struct pair *list;  /* made while blocks are sorted */
  _Atomic(unsigned) turns, made;
  _Atomic(bool) sorts, ended;
  bool went_on;
};

static void *make_while_sorting(void *data) {
  struct other *other = data;
  SCOPED_MUTATOR m = other->world.m = tide_attach(other->world.heap, NULL, NULL);
  for (; !atomic_load(&other->ended); atomic_fetch_add(&other->turns, 1)) {
    tide_safepoint(m);
    if (!atomic_load(&other->sorts) || atomic_load(&other->made) == 100) continue;
    other->list = pair_new(&other->world, other->list, NULL, 1);
    atomic_fetch_add(&other->made, 1);
  }
  return NULL;
}

/* Ten seconds are enough for a thread that does not stand still. */
EVENT(await_other) {
  struct other *other = context;
  if (event != TIDE_EVENT_SWEEP_END) return;
  atomic_store(&other->sorts, true);
  for (int i = 0; i < 1000 && atomic_load(&other->made) < 100; i++)
    usleep(10000);
  other->went_on = atomic_load(&other->made) == 100;
}

static void collect_by_call(struct world *w) {
  cr_assert_eq(tide_collect(w->m), TIDE_OK);
}
static void collect_by_allocation(struct world *w) {
  for (uint64_t before = collections(w); collections(w) == before;)
    cr_assert_not_null(tide_alloc(w->m, TIDE_LAYOUT_LEAF, 100000));
}

/* Returns with what the other thread has made as the only root. */
static void collect_beside_other(struct world *w, struct other *other,
                                 void (*collect)(struct world *)) {
  other->world = *w;
  pthread_t thread = thread_new(make_while_sorting, other);
  tide_blocking_enter(w->m);
  while (atomic_load(&other->turns) == 0)
    sched_yield();
  tide_blocking_leave(w->m);
  cr_assert_eq(tide_root_add(w->heap, &other->list), TIDE_OK);
  tide_heap_on_event(w->heap, await_other, other);
  collect(w);
  tide_heap_on_event(w->heap, NULL, NULL);
  cr_assert(other->went_on);
  atomic_store(&other->ended, true);
  thread_end(w->m, thread);
}

HeapTest(events, others_run_while_blocks_are_sorted) {
  struct other other = {.list = NULL};
  if (!td_sort_may_wait(&w.heap->space)) return; /* with AddressSanitizer */
  collect_beside_other(&w, &other, collect_by_call);
  cr_assert_eq(live_after_collect(&w), 100);
}
HeapTest(events, others_run_while_blocks_are_sorted_that_an_allocation_wants) {
  struct other other = {.list = NULL};
  if (!td_sort_may_wait(&w.heap->space)) return; /* as above */
  collect_beside_other(&w, &other, collect_by_allocation);
  cr_assert_eq(live_after_collect(&w), 100);
}

/* What was allocated meanwhile is old; what comes later is young again, and stores are logged. */
YoungTest(events, others_run_while_blocks_are_sorted_in_a_heap_with_young_objects) {
  struct other other = {.list = NULL};
  if (!td_sort_may_wait(&w.heap->space)) return; /* as above */
  collect_beside_other(&w, &other, collect_by_call);
  cr_assert(td_young_are_born(&w.heap->space));
  struct pair *young = pair_new(&w, NULL, NULL, 2);
  tide_write(w.m, other.list, &other.list->right, young);
  cr_assert_not_null(pair_new(&w, NULL, NULL, 3));
  cr_assert_eq(count_after_young(&w), 101);
  cr_assert_eq(live_after_collect(&w), 101);
}

static _Atomic(bool) overlaps;

/* The other thread asks for another collection meanwhile. */
EVENT(note_overlap) {
  _Atomic(bool) *sorts = context;
  if (event == TIDE_EVENT_WEAK_END) atomic_store(sorts, true);
  if (event == TIDE_EVENT_SWEEP_END) atomic_store(sorts, false);
  if (event == TIDE_EVENT_CYCLE_BEGIN && atomic_load(sorts)) atomic_store(&overlaps, true);
}

static void *begin_while_sorting(void *data) {
  struct other *other = data;
  SCOPED_MUTATOR m = tide_attach(other->world.heap, NULL, NULL);
  for (; !atomic_load(&other->ended); atomic_fetch_add(&other->turns, 1)) {
    tide_safepoint(m);
    if (atomic_load(&other->sorts)) tide_collect_begin(m);
  }
  return NULL;
}

/* A collection beside the program does not begin before blocks are sorted. */
Test(events, one_collection_at_a_time) {
  SCOPED_WORLD w = WORLD(.write_barrier = true, .concurrent = true);
  struct other other = {.world = w};
  pthread_t thread = thread_new(begin_while_sorting, &other);
  tide_blocking_enter(w.m);
  while (atomic_load(&other.turns) == 0)
    sched_yield();
  tide_blocking_leave(w.m);
  list_new(&w, 500000);
  tide_heap_on_event(w.heap, note_overlap, &other.sorts);
  for (int i = 0; i < 10; i++)
    cr_assert_eq(tide_collect(w.m), TIDE_OK);
  tide_heap_on_event(w.heap, NULL, NULL);
  atomic_store(&other.ended, true);
  thread_end(w.m, thread);
  cr_assert(!atomic_load(&overlaps));
}

VISIT(stop_after_three) {
  struct pair *pair = object;
  cr_assert_eq(bytes, 32);
  cr_assert_neq(layout, TIDE_LAYOUT_INVALID);
  uint64_t *state = context;
  cr_assert_gt((uintptr_t)pair, state[1], "address order");
  state[1] = (uintptr_t)pair;
  return ++state[0] < 3;
}

HeapTest(walk, visits_in_order_until_told_to_stop) {
  for (uint64_t i = 0; i < 10; i++)
    pair_new(&w, NULL, NULL, i);
  uint64_t state[2] = {0};
  cr_assert_eq(count_objects(&w), 10,
               "objects allocated since the last collection, and no unused cells");
  cr_assert_eq(tide_heap_walk(w.m, stop_after_three, state), TIDE_OK);
  cr_assert_eq(state[0], 3);
}

FINALIZER(ignore_object) {}

/* No cell of the caller's reservation is an object before it was handed out, wherever its piece
 * ends: in a fresh block, and in the gaps between live objects. */
static void expect_nothing_behind(struct world *w, char *last, size_t bytes) {
  size_t left = 65536 - (uintptr_t)last % 65536;
  for (size_t at = bytes; at + bytes <= left; at += bytes) {
    cr_assert_null(tide_object_find(w->heap, last + at), "%zu bytes behind", at);
    cr_assert_eq(tide_object_bytes(w->heap, last + at), 0);
    cr_assert_eq(tide_object_layout(w->heap, last + at), TIDE_LAYOUT_INVALID);
    cr_assert_eq(tide_finalizer_add(w->m, last + at, ignore_object, NULL), TIDE_ERROR_ARGUMENT);
  }
}

HeapTest(objects, are_none_before_they_are_handed_out) {
  const size_t sizes[] = {16, 32, 48, 512, 1024, 4096};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    char *first = (char *)tide_alloc(w.m, TIDE_LAYOUT_LEAF, sizes[i]);
    cr_assert_eq((uintptr_t)first % 65536, 0, "a fresh block");
    expect_nothing_behind(&w, first, sizes[i]);
    char *second = (char *)tide_alloc(w.m, TIDE_LAYOUT_LEAF, sizes[i]);
    cr_assert_eq(tide_object_find(w.heap, second), second);
    expect_nothing_behind(&w, second, sizes[i]);
  }
  tide_handle(w.m, tide_alloc(w.m, TIDE_LAYOUT_LEAF, 48));
  tide_collect(w.m);
  char *again = (char *)tide_alloc(w.m, TIDE_LAYOUT_LEAF, 48);
  cr_assert_eq(tide_object_find(w.heap, again + 47), again);
  cr_assert_null(tide_object_find(w.heap, again + 48 * 30));
  const void *none[] = {&w, (void *)UINTPTR_MAX, again + 16};
  for (size_t i = 0; i < 3; i++) {
    cr_assert_eq(tide_object_find(w.heap, none[i]), i == 2 ? again : NULL);
    cr_assert_eq(tide_object_bytes(w.heap, none[i]), 0);
    cr_assert_eq(tide_object_layout(w.heap, none[i]), TIDE_LAYOUT_INVALID);
  }
}

static void differs(struct world *w, const void *object, const char *what) {
  struct tide_check check;
  cr_assert_eq(tide_check_marks(w->m, &check), TIDE_ERROR_CHECK);
  cr_assert_not(check.equal);
  char address[32];
  snprintf(address, sizeof address, "%#zx", (size_t)object);
  cr_assert_not_null(strstr(check.difference, address), "%s", check.difference);
  cr_assert_not_null(strstr(check.difference, what), "%s", check.difference);
}

static uint8_t *mark_of(struct world *w, const void *object) {
  return &w->heap->space.marks[td_granule_of(w->heap->space.base, (uintptr_t)object)];
}

HeapTest(verify, names_a_lost_mark_and_its_referrer) {
  struct pair *inner = pair_new(&w, NULL, NULL, 2), *outer = pair_new(&w, inner, NULL, 1);
  tide_handle(w.m, outer);
  cr_assert_eq(live_after_collect(&w), 2);
  uint8_t good = *mark_of(&w, inner);
  *mark_of(&w, inner) = 0;
  differs(&w, inner, "not marked");
  char referrer[64];
  snprintf(referrer, sizeof referrer, "referred to by object %#zx", (size_t)outer);
  struct tide_check check;
  tide_check_marks(w.m, &check);
  cr_assert_not_null(strstr(check.difference, referrer), "%s", check.difference);
  *mark_of(&w, inner) = good;
  *mark_of(&w, outer) = 0;
  differs(&w, outer, "a root");
  *mark_of(&w, outer) = good;
  cr_assert_eq(tide_check_marks(w.m, &check), TIDE_OK);
  cr_assert_eq(check.edges, 1);
}

HeapTest(verify, names_an_object_that_nobody_reaches) {
  struct pair *garbage = pair_new(&w, NULL, NULL, 2);
  tide_handle(w.m, pair_new(&w, NULL, NULL, 1));
  tide_collect(w.m);
  *mark_of(&w, garbage) = w.heap->space.epoch;
  differs(&w, garbage, "not reached");
}

HeapTest(verify, names_a_dangling_reference) {
  struct pair *outer = held(&w, pair_new(&w, NULL, NULL, 1));
  tide_collect(w.m);
  outer->left = (struct pair *)((char *)outer + 4096); /* no object starts there */
  differs(&w, outer->left, "no object");
}

HeapTest(verify, broken_structures_are_told) {
  struct pair *p = held(&w, pair_new(&w, NULL, NULL, 1));
  tide_collect(w.m);
  struct tide_error error;
  cr_assert_eq(tide_check_heap(w.m, &error), TIDE_OK);
  uint32_t block = (uint32_t)(((uintptr_t)p - w.heap->space.base) >> TD_BLOCK_LOG2);
  w.heap->space.blocks[block].cell_granules++;
  cr_assert_eq(tide_check_heap(w.m, &error), TIDE_ERROR_CHECK);
  cr_assert_neq(error.text[0], 0);
  w.heap->space.blocks[block].cell_granules--;
}

/* A program that was compiled against an older header has shorter structures, one with a newer
 * header longer ones: neither is written past its end nor left with what was there before. */
HeapTest(stats, structures_of_other_headers) {
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  struct {
    struct tide_heap_stats stats;
    uint64_t newer[4];
  } longer, shorter;
  memset(&longer, 0xee, sizeof longer);
  memset(&shorter, 0xee, sizeof shorter);
  tide_heap_stats_sized(w.heap, &longer.stats, sizeof longer);
  cr_assert_eq(longer.stats.collections, 1);
  cr_assert_eq(longer.newer[0] | longer.newer[3], 0);
  tide_heap_stats_sized(w.heap, &shorter.stats, sizeof(uint64_t));
  cr_assert_eq(shorter.stats.collections, 1);
  cr_assert_eq(shorter.stats.heap_bytes, UINT64_C(0xeeeeeeeeeeeeeeee));
  unsigned char markers[2][sizeof(struct tide_marker_stats) + 8];
  memset(markers, 0xee, sizeof markers);
  void *first = markers[0];
  cr_assert_eq(tide_marker_stats_sized(w.heap, first, 2, sizeof markers[0]), 2);
  cr_assert_eq(markers[1][sizeof markers[1] - 1], 0);
  tide_heap_stats_sized(w.heap, NULL, sizeof(struct tide_heap_stats));
  tide_cycle_stats_sized(NULL, NULL, 0);
  tide_pause_histogram_sized(w.heap, NULL, 8);
}

static void expect_same_figures(struct world *w) {
  struct tide_heap_stats heap = stats_of(w->heap);
  struct tide_figures figures;
  tide_figures(w->heap, &figures);
  cr_assert_eq(figures.heap_bytes, heap.heap_bytes);
  cr_assert_eq(figures.committed_bytes, heap.committed_bytes);
  cr_assert_eq(figures.peak_committed_bytes, heap.peak_committed_bytes);
  cr_assert_eq(figures.allocated_bytes, heap.allocated_bytes);
  cr_assert_eq(figures.freed_bytes, heap.freed_bytes);
  cr_assert_eq(figures.markers, cycle_of(w->heap).markers);
}

HeapTest(stats, figures_are_those_of_the_rest) {
  expect_same_figures(&w);
  for (int i = 0; i < 20000; i++) {
    void *object = tide_alloc(w.m, TIDE_LAYOUT_LEAF, i % 100 ? 100 : 100000);
    if (i % 3 == 0) cr_assert_eq(tide_free(w.m, object), TIDE_OK);
    if (i % 1000 == 0) expect_same_figures(&w);
  }
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  expect_same_figures(&w);
  struct tide_figures none;
  memset(&none, 0xff, sizeof none);
  tide_figures(NULL, &none);
  cr_assert_eq(none.committed_bytes, 0);
  tide_figures(w.heap, NULL);
}

/* To the cell; and what was freed was allocated before. */
HeapTest(stats, own_allocations_are_counted_at_once) {
  for (int i = 0; i < 10; i++)
    cr_assert_not_null(tide_alloc(w.m, TIDE_LAYOUT_LEAF, 48));
  uint64_t before = tide_allocated_bytes(w.heap);
  for (int i = 0; i < 1000; i++)
    cr_assert_not_null(tide_alloc(w.m, TIDE_LAYOUT_LEAF, 48));
  cr_assert_eq(tide_allocated_bytes(w.heap), before + 48000);
  for (int i = 0; i < 1000; i++)
    cr_assert_eq(tide_free(w.m, tide_alloc(w.m, TIDE_LAYOUT_LEAF, 48)), TIDE_OK);
  cr_assert_eq(tide_allocated_bytes(w.heap), before + 96000);
  cr_assert_eq(tide_allocated_bytes(NULL), 0);
}
