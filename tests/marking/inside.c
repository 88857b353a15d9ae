/* SPDX-License-Identifier: MIT */
/* Words that point into objects, anywhere: the graph has no other references. Objects are of one
 * granule to several blocks, and one word in three only looks like a pointer, or points to garbage.
 * All ways of marking, all ways in which interior pointers may count.
 *
 *   inside [SEEDS] */
#include "tests/marking/regions.h"

/* Both are displacements in the end. Words as far behind a granule as FAR have to be looked up. */
enum { OBJECTS = 6000, ROOTS = 40, WORDS_LEAST = 2, NEAR = 9, FAR = 29 };
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static struct rig r; /* large */
static uint32_t random_state;
static uintptr_t object[OBJECTS]; /* a root range while building */
static size_t words[OBJECTS];
static uintptr_t roots[ROOTS];
static uint64_t visits, flagged, marked;

static uint32_t pick(uint32_t below) {
  return random_next(&random_state) % below;
}

static size_t pick_words(void) {
  uint32_t dice = pick(100);
  if (dice == 0) return 4097 + pick(60000); /* of a span, or with blocks of its own */
  if (dice < 3) return 65 + pick(3000);
  return WORDS_LEAST + pick(pick(4) ? 7 : 63);
}

static uintptr_t pick_word(void) {
  uint32_t i = pick(OBJECTS), dice = pick(8);
  if (dice == 0) return pick(1u << 30);
  if (dice == 1) return object[i] + pick(64 << 20); /* perhaps behind all objects */
  if (dice == 2) return object[i];
  if (dice == 3) return object[i] + NEAR;
  if (dice < 6) return object[i] + (8 * words[i] > FAR ? FAR : NEAR);
  return object[i] + pick((uint32_t)(8 * words[i]));
}

static void build(void) {
  uint64_t bits = 0xb;
  tide_layout some = tide_layout_bitmap_conservative(r.heap, &bits, 4, NULL);
  CHECK(some != TIDE_LAYOUT_INVALID);
  memset(object, 0, sizeof object);
  CHECK(tide_root_add_conservative(r.heap, object, sizeof object) == TIDE_OK);
  for (uint32_t i = 0; i < OBJECTS; i++) {
    words[i] = pick_words();
    object[i] = (uintptr_t)tide_alloc(r.m, pick(4) ? TIDE_LAYOUT_CONSERVATIVE : some, 8 * words[i]);
    CHECK(object[i]);
  }
  for (uint32_t i = 0; i < OBJECTS; i++)
    for (uint32_t k = 2 + pick(4); k-- > 0;)
      ((uintptr_t *)object[i])[pick((uint32_t)(k % 2 ? words[i] : WORDS_LEAST))] = pick_word();
  for (uint32_t i = 0; i < ROOTS; i++)
    roots[i] = pick_word();
  CHECK(tide_root_add_conservative(r.heap, roots, sizeof roots) == TIDE_OK);
  CHECK(tide_root_remove_conservative(r.heap, object) == TIDE_OK);
}

static void collect(const char *what) {
  struct regions_met met;
  rig_collect(&r, what);
  rig_check_regions(&r, what, &met);
  visits += met.visits;
  flagged += met.deferred;
  marked += r.marked;
}

static void in_all_ways(const char *what) {
  static const unsigned markers[] = {1, 2, 4};
  static const size_t chunks[] = {1, 2, 9, 4096};
  static const enum td_marking ways[] = {TD_MARKING_FOLLOW, TD_MARKING_CHOSEN, TD_MARKING_TEST,
                                         TD_MARKING_PLACE, TD_MARKING_PORTABLE};
  uint64_t followed = 0;
  for (unsigned i = 0; i < COUNT_OF(markers) * COUNT_OF(chunks); i++) {
    const char *engine = i % 2 ? "bwos" : rig_engine_of(random_next(&random_state));
    unsigned count = markers[i % COUNT_OF(markers)];
    if (i > 0 && count < RIG_MARKERS_LEAST) continue; /* others are compared with the first */
    if (rig_engine_may(engine, count)) rig_configure(&r, engine, count);
    rig_limit_regions(&r, REGIONS_SHIFT_LEAST + i % 2, chunks[i / COUNT_OF(markers)]);
    r.heap->markers->marking = ways[i % COUNT_OF(ways)];
    collect(what);
    /* The serial marking does not find again what was lost: to a word it is free memory. */
    if (i == 0) followed = r.marked;
    if (r.marked != followed) rig_complain(&r, what, "not all of what the first collection marked");
  }
}

static void with_seed(uint32_t seed) {
  char what[64];
  snprintf(what, sizeof what, "words into objects, seed %u", seed);
  random_state = seed;
  rig_open(&r, (size_t)1 << 30, seed % 2 ? 2 : 0, seed % 2 ? 4 : 0);
  build();
  in_all_ways(what);
  uint64_t all = r.marked;
  CHECK(tide_heap_add_displacement(r.heap, NEAR) == TIDE_OK);
  CHECK(tide_heap_add_displacement(r.heap, FAR) == TIDE_OK);
  CHECK(tide_heap_set_interior(r.heap, TIDE_INTERIOR_BASE) == TIDE_OK);
  in_all_ways(what);
  CHECK(r.marked > OBJECTS / 10 && r.marked < all);
  rig_close(&r);
}

int main(int argc, char **argv) {
  uint32_t seeds = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 8;
  for (uint32_t seed = 1; seed <= seeds; seed++)
    with_seed(seed);
  CHECK(visits > 0 && flagged > 0); /* or regions and full queues were not tried */
  printf("%llu marks, %llu visits of regions\n", (unsigned long long)marked,
         (unsigned long long)visits);
  return 0;
}
