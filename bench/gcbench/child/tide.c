/* SPDX-License-Identifier: MIT */
/* The functions of the allocator that are not inlined. */
#include "bench/gcbench/child/tide.h"

#include "bench/gcbench/child/account.h"
#include "tide/stats.h"

struct gcbench_tide gcbench_tide;

static void tell_event(struct tide_heap *heap, enum tide_event event, uint64_t now_ns,
                       void *context) {
  uint64_t *begun = context;
  if (event == TIDE_EVENT_CYCLE_BEGIN) *begun = now_ns;
  if (event != TIDE_EVENT_CYCLE_END) return;
  struct tide_cycle_running running;
  tide_cycle_running(heap, &running);
  gcbench_pause(now_ns - *begun, now_ns - *begun, running.kind == TIDE_CYCLE_YOUNG);
}

void memory_begin(const struct memory_options *wanted) {
  static uint64_t begun;
  struct tide_options options;
  tide_options_init(&options);
  options.heap_max_bytes = wanted->heap_max;
  if (wanted->heap_max) options.sizing = TIDE_SIZING_FIXED;
  options.markers = wanted->markers;
  options.write_barrier = wanted->young;
  struct tide_error error = {0};
  gcbench_tide.heap = tide_heap_create(&options, &error);
  bool is_wish = error.status == TIDE_ERROR_ARGUMENT || error.status == TIDE_ERROR_ENVIRONMENT;
  if (!gcbench_tide.heap) gcbench_fail(is_wish ? 2 : 4, error.text);
  gcbench_tide.layout[MEMORY_LEAF] =
      tide_layout_unzeroed(gcbench_tide.heap, TIDE_LAYOUT_LEAF, &error);
  if (gcbench_tide.layout[MEMORY_LEAF] == TIDE_LAYOUT_INVALID) gcbench_fail(4, error.text);
  gcbench_tide.layout[MEMORY_REFS] = TIDE_LAYOUT_REFS;
  for (unsigned kind = MEMORY_TREE; kind < MEMORY_KINDS; kind++) {
    gcbench_tide.layout[kind] =
        tide_layout_bitmap(gcbench_tide.heap, &memory_bits[kind], memory_words[kind], &error);
    if (gcbench_tide.layout[kind] == TIDE_LAYOUT_INVALID) gcbench_fail(4, error.text);
  }
  tide_heap_on_event(gcbench_tide.heap, tell_event, &begun);
}

struct memory *memory_attach(void) {
  return (struct memory *)tide_attach(gcbench_tide.heap, NULL, NULL);
}

void memory_detach(struct memory *memory) {
  tide_detach((struct tide_mutator *)memory);
}

void memory_wait_begin(struct memory *memory) {
  tide_blocking_enter((struct tide_mutator *)memory);
}

void memory_wait_end(struct memory *memory) {
  tide_blocking_leave((struct tide_mutator *)memory);
}

uint64_t memory_young_collections(void) {
  struct tide_heap_stats stats;
  tide_heap_stats(gcbench_tide.heap, &stats);
  return stats.young_collections;
}
