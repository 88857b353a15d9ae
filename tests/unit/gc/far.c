/* SPDX-License-Identifier: MIT */
/* Objects at the far end of a range that is longer than most machines have memory for. */
#include "gc/state/heap.h"
#include "tests/unit/gc/common.h"
#include "tide/advanced.h"
#include "tide/foreign.h"

#define TIB ((size_t)1 << 40)
#define SLOTS 100000u

struct marked {
  void ***array;
  size_t count;
};

/* Counts what was marked. The blocks need not be sorted: that would write to the table of each. */
EVENT(count_marked) {
  struct marked *marked = context;
  if (event != TIDE_EVENT_MARK_END) return;
  for (size_t i = 0; i < SLOTS; i++)
    marked->count += tide_object_is_live(heap, (*marked->array)[i]);
  heap->space.frontier = 0;
}

static size_t count_behind(size_t bytes, const char *engine) {
  struct world w = WORLD(.reserve_bytes = bytes + TIB / 8);
  if (w.heap->space.reserved_bytes < bytes + TIB / 8)
    cr_skip_test("the system gives no %zu GiB of addresses", (bytes + TIB / 8) >> 30);
  /* As if everything below had been in use once and were not free now. */
  w.heap->space.frontier = w.heap->space.single_hint = (uint32_t)(bytes / TD_BLOCK_BYTES);
  struct tide_error error = {0};
  cr_assert_eq(tide_heap_set_engine(w.heap, engine, &error), TIDE_OK, "%s", error.text);
  struct marked marked = {.array = (void ***)tide_handle(w.m, NULL)};
  *marked.array = (void **)tide_alloc_array(w.m, TIDE_LAYOUT_REFS, SLOTS, sizeof(void *));
  cr_assert_not_null(*marked.array);
  cr_assert_geq((uintptr_t)*marked.array, w.heap->space.base + bytes);
  for (size_t i = 0; i < SLOTS; i++)
    cr_assert_not_null((*marked.array)[i] = tide_alloc(w.m, w.pair, sizeof(struct pair)));
  tide_heap_on_event(w.heap, count_marked, &marked);
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  world_end(&w);
  return marked.count;
}

Test(far, arrays_behind_tebibytes_keep_their_children) {
  cr_assert_eq(count_behind(TIB + TIB / 256, "bwos"), SLOTS);
  cr_assert_eq(count_behind(8 * TIB, "abp"), SLOTS);
}
