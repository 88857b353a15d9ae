/* SPDX-License-Identifier: MIT */
/* The functions of the allocator that are not inlined. */
#include "bench/gcbench/child/tide.h"

#include <pthread.h>

#include "bench/gcbench/child/account.h"
#include "tide/stats.h"

struct gcbench_tide gcbench_tide;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t noted; /* the number of the last collection told of; under the lock */

void memory_note_pauses(void) {
  struct tide_cycle_stats last;
  pthread_mutex_lock(&lock);
  tide_cycle_stats(gcbench_tide.heap, &last);
  if (last.number > noted)
    gcbench_collected(last.kind == TIDE_CYCLE_YOUNG, last.stops ? last.stops_ns : &last.pause_ns,
                      last.stops ? last.stops : 1);
  noted = last.number;
  pthread_mutex_unlock(&lock);
}

/* A collection's own figures are there when it has ended: when the next one begins, at the latest.
 */
static void tell_event(struct tide_heap *heap, enum tide_event event, uint64_t now_ns,
                       void *context) {
  (void)heap;
  (void)now_ns;
  (void)context;
  if (event == TIDE_EVENT_CYCLE_BEGIN) memory_note_pauses();
}

void memory_begin(const struct memory_options *wanted) {
  struct tide_options options;
  tide_options_init(&options);
  options.heap_max_bytes = wanted->heap_max;
  if (wanted->takes_all) options.sizing = TIDE_SIZING_FIXED;
  options.markers = wanted->markers;
  options.write_barrier = wanted->young || wanted->concurrent;
  options.concurrent = wanted->concurrent;
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
  tide_heap_on_event(gcbench_tide.heap, tell_event, NULL);
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

uint64_t memory_degenerate(void) {
  struct tide_heap_stats stats;
  tide_heap_stats(gcbench_tide.heap, &stats);
  return stats.degenerate_collections;
}
