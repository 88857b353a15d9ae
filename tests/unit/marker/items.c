/* SPDX-License-Identifier: MIT */
/* What a marker's parts do on their own: items of queues, batches, root slices, termination. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "heap/cells/large.h"
#include "heap/create.h"
#include "heap/epoch.h"
#include "marker/base/root_slices.h"
#include "marker/base/state.h"
#include "marker/loop/batch.h"

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

static void open_heap(void) {
  struct tide_error error;
  enum td_room room;
  cr_assert(td_space_init(&heap, false, (size_t)64 << 20, (size_t)64 << 20, &error), "%s",
            error.text);
  cr_assert_not_null(td_space_alloc_large(&heap, TIDE_LAYOUT_LEAF, (size_t)1 << 20, &room));
}

Test(items, a_batch_takes_references_and_drops_other_words) {
  open_heap();
  struct td_view v = td_view_of(&heap);
  uintptr_t *buffers = calloc(2 * TD_BATCH_ROOM, sizeof *buffers);
  struct td_batch batch = td_batch_of(buffers);
  cr_assert(td_batch_is_empty(&batch));
  for (uintptr_t i = 0; !td_batch_is_full(&batch); i++) {
    td_batch_add(&batch, &v, heap.base + 65536 + 16 * i);
    td_batch_add(&batch, &v, 0);
    td_batch_add(&batch, &v, heap.base + 65536 + 16 * i + 1);
    td_batch_add(&batch, &v, heap.base - 16);
    td_batch_add(&batch, &v, heap.base + ((uintptr_t)heap.frontier << TD_BLOCK_LOG2));
    td_batch_add(&batch, &v, heap.base + heap.reserved_bytes);
  }
  cr_assert_eq(batch.count, TD_BATCH);
  for (uintptr_t i = 0; i < TD_BATCH; i++)
    cr_assert_eq(batch.filling[i], heap.base + 65536 + 16 * i);
  td_batch_turn(&batch, &v);
  cr_assert_eq(batch.waiting, TD_BATCH);
  cr_assert_eq(batch.count, 0);
  cr_assert_not(td_batch_is_empty(&batch));
  td_batch_turn(&batch, &v);
  cr_assert(td_batch_is_empty(&batch));
  free(buffers);
  td_space_deinit(&heap);
}

/* Marked and deferred objects are dropped; white ones stay, in their order, and of words also those
 * that lead to no object's beginning. */
static void expect_sifted(bool words) {
  open_heap();
  td_space_begin_marking(&heap);
  struct td_view v = td_view_of(&heap);
  uintptr_t references[TD_BATCH], kept = 0, expected[TD_BATCH];
  v.words = words;
  const uint8_t bytes[] = {0, heap.epoch, (uint8_t)(heap.epoch | TD_DEFERRED), heap.epoch_before};
  for (uintptr_t i = 0; i < TD_BATCH; i++) {
    references[i] = heap.base + 65536 + 16 * i;
    td_mark_store(td_view_mark(&v, references[i]), bytes[i * 7 % 13 % 4]);
    enum td_met met = td_view_meet(&v, references[i]);
    if (met == TD_MET_WHITE || (words && met == TD_MET_OTHER)) expected[kept++] = references[i];
  }
  cr_assert(kept > 0 && kept < TD_BATCH);
  cr_assert_eq(td_batch_sift(&v, references, TD_BATCH), kept);
  for (uintptr_t i = 0; i < kept; i++)
    cr_assert_eq(references[i], expected[i]);
  cr_assert_eq(td_batch_sift(&v, references, 0), 0);
  td_space_deinit(&heap);
}

Test(items, sifting_keeps_the_white) {
  expect_sifted(false);
  expect_sifted(true);
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

Test(items, nobody_joins_a_phase_that_is_over) {
  struct td_termination t = {0};
  cr_assert(td_term_over(&t));
  cr_assert_not(td_term_join(&t));
  td_term_start(&t);
  cr_assert(td_term_join(&t));
  cr_assert(td_term_join(&t));
  cr_assert_not(td_term_leave(&t));
  cr_assert_not(td_term_leave(&t));
  cr_assert_not(td_term_over(&t));
  cr_assert(td_term_leave(&t), "the last one");
  cr_assert(td_term_over(&t));
  cr_assert_not(td_term_join(&t));
}

Test(items, markers_of_a_group_share_one_count) {
  struct td_termination t = {0};
  struct td_group group[2] = {{0}};
  cr_assert_not(td_group_join(&t, &group[1]));
  td_group_start(&t, &group[0]);
  cr_assert(td_group_alone(&t, &group[0]));
  cr_assert(td_group_join(&t, &group[1]));
  cr_assert(td_group_join(&t, &group[1]));
  cr_assert_eq(t.active, 2, "each group counts once");
  cr_assert_not(td_group_leave(&t, &group[0]));
  cr_assert_not(td_group_alone(&t, &group[1]));
  cr_assert_not(td_group_leave(&t, &group[1]));
  cr_assert(td_group_alone(&t, &group[1]));
  cr_assert(td_group_leave(&t, &group[1]), "the last one");
  cr_assert(td_term_over(&t));
  cr_assert_not(td_group_join(&t, &group[0]));
}
