/* SPDX-License-Identifier: MIT */
/* The work of a stop does not grow with what dies, nor with what ephemerons lead to: that is marked
 * beside the program. The linker puts counters in front of what looks into objects and marks them.
 */
#include "gc/arrays/pages.h"
#include "gc/object/scan.h"
#include "tests/concurrent/held.h"
#include "tests/wrap.h"
#include "tide/foreign.h"
#include "tide/weak.h"

struct node {
  struct node *next, *other;
};
enum { FEW = 20000, MANY = 8 * FEW, BOUND = 64 };

static struct held h;
static tide_layout layout;
static struct node **roots;

/* The collecting thread's. */
static _Thread_local bool stopped;
static uint64_t looked, phases;
static bool refuses; /* memory beside the program */

WRAP(void, td_scan_object, struct td_scanner *scanner, uintptr_t object) {
  looked += stopped;
  __real_td_scan_object(scanner, object);
}

WRAP(void, td_mark_phase, struct td_markers *set, const struct td_roots *from) {
  phases += stopped;
  __real_td_mark_phase(set, from);
}

WRAP(bool, td_mark_from_outside, struct td_markers *set, uintptr_t word) {
  looked += stopped;
  return __real_td_mark_from_outside(set, word);
}

WRAP(void *, td_pages_take, size_t bytes) {
  return refuses && !stopped ? NULL : __real_td_pages_take(bytes);
}

/* The last thing before the stop: the program does something in between. */
static bool pauses;
WRAP(void, td_order_beside, struct tide_heap *heap) {
  __real_td_order_beside(heap);
  if (!pauses) return;
  sem_post(&h.begun);
  sem_wait(&h.go);
}

static void note_stops(struct tide_heap *heap, enum tide_event event, uint64_t now_ns,
                       void *context) {
  if (event == TIDE_EVENT_STOPPED) stopped = true;
  if (event == TIDE_EVENT_RESUMED) stopped = false;
}

static struct tide_cycle_stats collect(bool without_memory) {
  looked = phases = 0;
  refuses = without_memory;
  uint64_t before = held_collections(&h);
  CHECK(tide_collect_begin(h.m) == TIDE_OK);
  while (held_collections(&h) == before)
    tide_safepoint(h.m);
  refuses = false;
  struct tide_cycle_stats stats = cycle_of(h.heap);
  CHECK(stats.number == before + 1 && !stats.stopped_because);
  return stats;
}

static struct node *make(void) {
  return new_object(h.m, layout, sizeof(struct node));
}

static void put(size_t i, void *object) {
  tide_write(h.m, roots, &roots[i], object);
}

static void do_nothing(void *object, void *context) {}

static void add(struct node *node) {
  CHECK(tide_finalizer_add(h.m, node, do_nothing, NULL) == TIDE_OK);
}

static void set(struct node *node) {
  const struct tide_finalizer_entry entry = {do_nothing, NULL, TIDE_FINALIZE_ORDERED};
  CHECK(tide_finalizer_set(h.m, node, &entry, NULL) == TIDE_OK);
}

/* A list. Its last `heads` objects have a finalizer each, and refer to all others. */
static __attribute__((noinline)) void make_list(size_t length, unsigned heads,
                                                void (*give)(struct node *)) {
  for (size_t i = 0; i < length; i++) {
    struct node *made = make();
    made->next = roots[0];
    put(0, made);
  }
  for (unsigned i = 0; i < heads; i++) {
    struct node *made = make();
    made->next = roots[0];
    give(made);
  }
  put(0, NULL);
}

/* A word that was left on the stack may keep a list alive. */
static struct tide_cycle_stats collect_dying(size_t length, unsigned heads,
                                             void (*give)(struct node *), bool without_memory) {
  struct tide_cycle_stats stats = {0};
  for (int i = 0; i < 20 && tide_finalizers_pending(h.heap) < (heads + 1) / 2; i++) {
    CHECK(tide_collect_pause(h.heap) == TIDE_OK);
    make_list(length, heads, give);
    held_clear_stack();
    CHECK(tide_collect_resume(h.heap) == TIDE_OK);
    stats = collect(without_memory);
  }
  CHECK(tide_finalizers_run(h.m, SIZE_MAX) >= (heads + 1) / 2);
  return stats;
}

static void expect_list(size_t length, unsigned heads, void (*give)(struct node *)) {
  struct tide_cycle_stats stats = collect_dying(length, heads, give, false);
  CHECK(stats.objects >= length && stats.stops > 2);
  CHECK(phases == 0 && looked <= BOUND);
}

/* The value of each ephemeron is the next one's key; they are met one by one. */
static __attribute__((noinline)) void make_chain(size_t length) {
  put(0, make());
  put(1, roots[0]);
  for (size_t i = 0; i < length; i++) {
    struct node *link = make();
    link->other = roots[2];
    put(2, link);
    put(3, make());
    tide_write(h.m, roots[2], &roots[2]->next, tide_ephemeron_new(h.m, roots[1], roots[3]));
    put(1, roots[3]);
  }
  put(1, NULL);
  put(3, NULL);
}

static size_t chain_length(void) {
  size_t length = 0;
  for (struct node *link = roots[2]; link; link = link->other)
    length += tide_ephemeron_value(h.m, (struct tide_ephemeron *)link->next) != NULL;
  return length;
}

static void expect_chain(size_t length) {
  CHECK(tide_collect_pause(h.heap) == TIDE_OK);
  make_chain(length);
  CHECK(tide_collect_resume(h.heap) == TIDE_OK);
  struct tide_cycle_stats stats = collect(false);
  CHECK(stats.objects >= 3 * length && phases == 0 && looked <= BOUND);
  CHECK(chain_length() == length);
  put(0, NULL);
  put(2, NULL);
}

static __attribute__((noinline)) void make_ephemeron(void) {
  put(0, new_object(h.m, TIDE_LAYOUT_LEAF, 16));
  put(1, tide_ephemeron_new(h.m, roots[0], make()));
  put(2, tide_weak_new(h.m, roots[0], TIDE_WEAK_BEFORE));
  put(0, NULL);
}

/* The program takes the key out of a weak reference when the ephemerons have been closed. */
static void a_key_is_taken_late(void) {
  CHECK(tide_collect(h.m) == TIDE_OK);
  make_ephemeron();
  pauses = true;
  const uint64_t before = held_collections(&h);
  CHECK(tide_collect_begin(h.m) == TIDE_OK);
  BLOCKED(h.m, sem_wait(&h.begun));
  pauses = false;
  put(0, tide_weak_get(h.m, (struct tide_weak *)roots[2]));
  sem_post(&h.go);
  while (held_collections(&h) == before)
    tide_safepoint(h.m);
  struct tide_ephemeron *ephemeron = (struct tide_ephemeron *)roots[1];
  CHECK(roots[0] && tide_ephemeron_key(h.m, ephemeron) == roots[0]);
  CHECK(tide_object_bytes(h.heap, tide_ephemeron_value(h.m, ephemeron)) >= sizeof(struct node));
}

/* Without memory for it the order is found in the stop. */
static void expect_looks(void) {
  struct tide_cycle_stats stats = collect_dying(FEW, 4, add, true);
  CHECK(stats.objects >= FEW && phases == 0 && looked >= FEW);
}

int main(void) {
  held_open(&h, &OPTIONS(.heap_max_bytes = (size_t)256 << 20));
  tide_heap_on_event(h.heap, note_stops, NULL);
  const size_t references[] = {offsetof(struct node, next), offsetof(struct node, other)};
  layout = tide_layout_offsets(h.heap, sizeof(struct node), references, 2, NULL);
  CHECK(tide_root_add(h.heap, &roots) == TIDE_OK);
  roots = tide_alloc_array(h.m, TIDE_LAYOUT_REFS, 4, sizeof *roots);
  CHECK(roots && tide_collect(h.m) == TIDE_OK);
  for (size_t length = FEW; length <= MANY; length *= 8) {
    expect_list(length, 1, add);
    expect_list(length, 4, add);
    expect_list(length, 4, set);
    expect_chain(length);
  }
  expect_looks();
  a_key_is_taken_late();
  held_close(&h);
  return 0;
}
