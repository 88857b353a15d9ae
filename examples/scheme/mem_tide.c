/* SPDX-License-Identifier: MIT */
/* Tidemark under the interpreter: one heap, one mutator with a conservative stack. */
#include "mem.h"

#include <stdio.h>
#include <stdlib.h>

#include "tide/stats.h"

struct tide_mutator *mem_mutator;
tide_layout mem_leaf_layout;

static struct tide_heap *heap;

static void trace_range(struct tide_tracer *tracer, void *context) {
  const struct mem_range *range = context;
  tide_trace_range(tracer, (void *const *)range->start, (size_t)(*range->end - range->start));
}

static _Noreturn void refuse(const char *what, const char *why) {
  fprintf(stderr, "scheme-tide: %s: %s\n", what, why);
  exit(4);
}

void mem_start(const struct mem_range *ranges, size_t count, bool concurrent) {
  struct tide_error error = {0};
  /* Huge pages would cost more when they are first touched than they save: programs run for a
   * second or so, and most heaps are small. */
  struct tide_options options;
  tide_options_init(&options);
  options.small_pages = true;
  options.write_barrier = true; /* mem.h: references are stored through mem_write */
  options.concurrent = concurrent;
  heap = tide_heap_create(&options, &error);
  if (heap == NULL) refuse("cannot create the heap", error.text);
  mem_leaf_layout = tide_layout_unzeroed(heap, TIDE_LAYOUT_LEAF, &error);
  if (mem_leaf_layout == TIDE_LAYOUT_INVALID) refuse("cannot make a layout", error.text);
  mem_mutator = tide_attach(heap, NULL, &error);
  if (mem_mutator == NULL) refuse("cannot attach to the heap", error.text);
  for (size_t i = 0; i < count; i++) {
    enum tide_status status = tide_root_add_callback(heap, trace_range, (void *)&ranges[i]);
    if (status != TIDE_OK) refuse("cannot register a root range", tide_status_text(status));
  }
}

void mem_collect(void) {
  enum tide_status status = tide_collect(mem_mutator);
  if (status != TIDE_OK) refuse("cannot collect", tide_status_text(status));
}

struct mem_stats mem_stats(void) {
  struct tide_heap_stats stats;
  tide_heap_stats(heap, &stats);
  return (struct mem_stats){.collections = stats.collections,
                            .collect_ms = (double)stats.pause_ns_total / 1e6,
                            .longest_ms = (double)stats.pause_ns_max / 1e6,
                            .heap_bytes = stats.committed_bytes};
}

void mem_exhausted(size_t bytes) {
  fprintf(stderr, "scheme-tide: no room for %zu bytes: %s\n", bytes,
          tide_status_text(tide_alloc_status(mem_mutator)));
  exit(4);
}
