/* SPDX-License-Identifier: MIT */
/* What a marker's parts do on their own: items of queues, batches, root slices, termination. */
#include "marker/base/root_slices.h"
#include "marker/base/state.h"
#include "marker/test/tester.h"
#include "tests/unit/heap/common.h"

/* The last granule of the longest range there can be, and the last number. */
Test(items, slices_keep_their_two_numbers) {
  const uint64_t last = ((uint64_t)UINT32_MAX << TD_BLOCK_GRANULES_LOG2) + TD_BLOCK_GRANULES - 1;
  const uint64_t granules[] = {1, 4096, (uint64_t)1 << 36, ((uint64_t)1 << 40) + 4096, last};
  const uint64_t numbers[] = {1, 2, 3, 12345, ((uint64_t)1 << TD_ITEM_NUMBER_BITS) - 1};
  for (int g = 0; g < 5; g++)
    for (int i = 0; i < 5; i++) {
      uint64_t item = td_slice_item(granules[g], numbers[i]);
      cr_assert(item & TD_ITEM_SLICE);
      cr_assert_eq(td_item_granule(item), granules[g]);
      cr_assert_eq(td_item_number(item), numbers[i]);
    }
}

static struct td_space heap;

/* A tester around a heap, whose first block of objects looks as if it held pairs. */
static struct td_tester *open_tester(size_t way) {
  static struct td_markers set;
  static struct td_marker marker;
  heap_open(&heap, 64 * MIB);
  cr_assert_not_null(heap_large(&heap, TIDE_LAYOUT_LEAF, MIB));
  set.marking = (enum td_marking)way;
  td_space_begin_marking(&heap);
  for (uint32_t b = 1; b < heap.frontier; b++)
    heap.blocks[b].kind = TD_KIND_SLOTS_2;
  set.space = &heap;
  marker.set = &set;
  struct td_tester *t = td_tester_make(&marker);
  cr_assert_not_null(t);
  td_tester_begin(t);
  cr_assert(td_tester_is_empty(t));
  return t;
}

static void close_tester(struct td_tester *t) {
  td_tester_free(t);
  td_space_deinit(&heap);
}

Test(items, a_batch_takes_references_and_drops_other_words) {
  struct td_tester *t = open_tester(TD_MARKING_TEST);
  for (uintptr_t i = 0; i < TD_TEST_BATCH - 1; i++) {
    cr_assert_not(td_tester_add(t, heap.base + 65536 + 16 * i));
    td_tester_add(t, 0);
    td_tester_add(t, heap.base + 65536 + 16 * i + 1);
    td_tester_add(t, heap.base - 16);
    td_tester_add(t, heap.base + ((uintptr_t)heap.frontier << TD_BLOCK_LOG2));
    td_tester_add(t, heap.base + heap.reserved_bytes);
  }
  cr_assert_eq(t->count, TD_TEST_BATCH - 1);
  for (uint32_t i = 0; i < TD_TEST_BATCH - 1; i++)
    cr_assert_eq(t->filling[i], 4096 + i);
  cr_assert(td_tester_add(t, heap.base + 65536), "a turn must come");
  td_tester_turn(t);
  cr_assert_eq(t->waiting, TD_TEST_BATCH, "the full batch waits");
  cr_assert_eq(t->count, 0);
  cr_assert_not(td_tester_is_empty(t));
  close_tester(t);
}

/* Only white objects become grey, each once, and are marked and counted. */
static void marks_the_white(size_t way) {
  struct td_tester *t = open_tester(way);
  uint8_t *marks = heap.marks;
  const uint8_t bytes[] = {0, heap.epoch, (uint8_t)(heap.epoch | TD_DEFERRED), heap.epoch_before};
  uint32_t white = 0;
  for (uint32_t i = 0; i < 100; i++) {
    td_mark_store(&marks[4096 + i], bytes[i * 7 % 13 % 4]);
    white += marks[4096 + i] == heap.epoch_before;
  }
  for (uint32_t i = 0; i < 120; i++) /* some of them twice */
    td_tester_add(t, heap.base + 16 * (uintptr_t)(4096 + i % 100));
  uint8_t before[100];
  memcpy(before, marks + 4096, sizeof before);
  td_tester_turn(t);
  td_tester_turn(t);
  cr_assert(white > 0 && white < 100);
  cr_assert_eq(t->objects, white);
  cr_assert_eq(t->tested, 120);
  cr_assert_eq(t->grey[TD_KIND_SLOTS_2] + t->grey[TD_KIND_SLOTS_8], white);
  for (uint32_t i = 0; i < 100; i++)
    cr_assert_eq(marks[4096 + i], before[i] == heap.epoch_before ? heap.epoch : before[i]);
  close_tester(t);
}

/* The slots of a group, with words among them that are no references. */
static void finds_the_slots_of_every_object(size_t way) {
  struct td_tester *t = open_tester(way);
  for (uint32_t slots = 1; slots <= 9; slots++) {
    const uint64_t map = (((uint64_t)1 << slots) - 1) << 1 | (uint64_t)1 << 20;
    heap.blocks[1].map = map;
    heap.blocks[1].kind = (uint8_t)(slots < 8 ? TD_KIND_SLOTS_1 + slots : TD_KIND_BITMAP);
    t->now->kind = heap.blocks[1].kind;
    t->now->count = t->now->size = 8;
    for (uint32_t i = 0; i < 8; i++) {
      t->now->at[i] = 4096 + 16 * i;
      uintptr_t *words = (uintptr_t *)(heap.base + 65536 + 256 * (uintptr_t)i);
      for (uint32_t k = 0; k < 21; k++)
        words[k] = heap.base + 65536 + 16 * (uintptr_t)(1000 + i);
      words[1] = 7;
    }
    td_tester_scan(t);
    cr_assert_eq(t->count, 8 * slots, "of %u slots, the first of each object is no reference",
                 slots + 1);
    uint32_t found[8] = {0};
    for (uint32_t i = 0; i < 8 * slots; i++)
      found[t->filling[i] - 4096 - 1000]++;
    for (uint32_t i = 0; i < 8; i++)
      cr_assert_eq(found[i], slots, "slots of object %u", i);
    cr_assert_eq(t->now->count, 0);
    t->count = 0;
  }
  close_tester(t);
}

/* New objects wait by kind: those of maps, arrays, and leaves nowhere. */
static void tells_kinds_apart(size_t way, bool words) {
  static const enum td_kind kinds[] = {TD_KIND_NONE,      TD_KIND_LEAF,    TD_KIND_SLOTS_1,
                                       TD_KIND_SLOTS_8,   TD_KIND_BITMAP,  TD_KIND_REFS,
                                       TD_KIND_EPHEMERON, TD_KIND_WORDS_4, TD_KIND_WORDS};
  enum { KINDS = sizeof kinds / sizeof *kinds, EACH = 17 };
  struct td_tester *t = open_tester(way);
  t->v.words = words;
  for (uint32_t k = 0; k < KINDS; k++) {
    heap.blocks[1 + k].kind = (uint8_t)kinds[k];
    heap.blocks[1 + k].recip = 0xffffff;
  }
  for (uint32_t i = 0; i < KINDS * EACH; i++) {
    const uint32_t granule = 4096 * (1 + i % KINDS) + i / KINDS;
    td_mark_store(&heap.marks[granule], heap.epoch_before);
    td_tester_add(t, heap.base + 16 * (uintptr_t)granule);
  }
  td_tester_turn(t);
  td_tester_turn(t);
  cr_assert_eq(t->objects, KINDS * EACH);
  cr_assert_eq(t->grey[TD_KIND_SLOTS_1] + t->grey[TD_KIND_SLOTS_8], 2 * EACH);
  cr_assert_eq(t->grey[TD_KIND_BITMAP], EACH);
  cr_assert_eq(t->grey[TD_KIND_WORDS_4] + t->grey[TD_KIND_WORDS_8], EACH);
  cr_assert_eq(t->grey[TD_KIND_WORDS], EACH);
  cr_assert_eq(t->grey[TD_KIND_REFS], EACH);
  cr_assert_eq(t->grey[TD_KIND_EPHEMERON], EACH);
  cr_assert_eq(t->grey[TD_KIND_NONE] + t->grey[TD_KIND_LEAF], 0);
  for (uint32_t i = 0; i < EACH; i++)
    cr_assert_eq(t->stack[TD_KIND_REFS][i], 4096 * 6 + i);
  close_tester(t);
}

/* Slots of an array, of any number, with words among them that are no references. */
static void takes_slots_of_arrays(size_t way) {
  static uintptr_t slots[TD_TEST_STEP];
  struct td_tester *t = open_tester(way);
  for (uint32_t count = 0; count <= TD_TEST_STEP; count += 1 + count / 9) {
    uint32_t references = 0;
    for (uint32_t i = 0; i < TD_TEST_STEP; i++)
      slots[i] = i % 3 ? heap.base + 65536 + 16 * (uintptr_t)i : i % 2 ? 0 : heap.base + 1;
    t->loops->add_slots(t, slots, count);
    for (uint32_t i = 0; i < count; i++)
      if (i % 3) cr_assert_eq(t->filling[references++], 4096 + i);
    cr_assert_eq(t->count, references);
    t->count = 0;
  }
  close_tester(t);
}

/* Of a group of long objects no more are scanned than make a batch. */
static void scans_long_objects_in_parts(size_t way) {
  struct td_tester *t = open_tester(way);
  uint32_t parts = 0;
  heap.blocks[1].map = UINT64_MAX;
  heap.blocks[1].kind = TD_KIND_BITMAP;
  t->now->kind = TD_KIND_BITMAP;
  t->now->count = t->now->size = TD_TEST_GROUP;
  for (uint32_t i = 0; i < TD_TEST_GROUP; i++) {
    t->now->at[i] = 4096 + 32 * i;
    for (uint32_t k = 0; k < 64; k++)
      ((uintptr_t *)(heap.base + 65536 + 512 * (uintptr_t)i))[k] = heap.base + 65536;
  }
  for (uint64_t scanned = 0; t->now->count > 0; parts++, t->count = 0) {
    td_tester_scan(t);
    cr_assert_eq(t->count, 64 * (t->scanned - scanned));
    cr_assert(t->count >= TD_TEST_BATCH && t->count < TD_TEST_BATCH + 64);
    scanned = t->scanned;
  }
  cr_assert_eq(t->scanned, TD_TEST_GROUP);
  cr_assert_eq(parts, TD_TEST_GROUP * 64 / TD_TEST_BATCH);
  close_tester(t);
}

/* The loops in C and, where the processor has it, those with AVX-512. */
Test(items, testing_and_scanning_in_each_way) {
  for (size_t way = TD_MARKING_PORTABLE; td_marking_name(way); way++) {
    marks_the_white(way);
    finds_the_slots_of_every_object(way);
    tells_kinds_apart(way, false);
    tells_kinds_apart(way, true);
    takes_slots_of_arrays(way);
    scans_long_objects_in_parts(way);
  }
}

/* Every word of every span is in one slice, whichever of two markers takes which. */
Test(items, root_slices_cover_all_spans_once) {
  static uintptr_t words[20000];
  static unsigned char seen[20000];
  const size_t counts[] = {1, 0, TD_SLICE_SLOTS, TD_SLICE_SLOTS + 1, 0, 0, 3, 9000, 1};
  enum { SPANS = sizeof counts / sizeof *counts };
  struct td_span spans[SPANS];
  struct td_markers *set = aligned_alloc(TD_CACHE_LINE, (sizeof *set + 63) / 64 * 64);
  *set = (struct td_markers){.phase = 1};
  size_t all = 0;
  for (size_t i = 0; i < SPANS; all += counts[i++])
    spans[i] = (struct td_span){words + all, counts[i], TD_SPAN_SLOTS};
  td_root_slices_begin(set, spans, SPANS);
  struct td_marker *marker = aligned_alloc(TD_CACHE_LINE, 2 * ((sizeof *marker + 63) / 64 * 64));
  for (int m = 0; m < 2; m++)
    marker[m] = (struct td_marker){.set = set};
  struct td_root_slice slice;
  for (unsigned turn = 0; td_root_slices_next(&marker[turn % 3 % 2], &slice); turn++) {
    cr_assert(slice.count >= 1 && slice.count <= TD_SLICE_SLOTS);
    for (size_t i = 0; i < slice.count; i++)
      seen[(const uintptr_t *)slice.start - words + (ptrdiff_t)i]++;
  }
  for (size_t i = 0; i < all; i++)
    cr_assert_eq(seen[i], 1, "word %zu", i);
  cr_assert_not(td_root_slices_left(set));
  free(marker);
  free(set);
}
