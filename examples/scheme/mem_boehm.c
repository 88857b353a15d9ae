/* SPDX-License-Identifier: MIT */
/* Boehm GC under the interpreter, in its fastest way: no interior pointers from the heap (a pair is
 * 16 bytes, not 32), pointer-free objects declared as such, free lists taken whole. */
#include "mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <gc/gc_mark.h>

void *mem_free[GC_I_NORMAL + 1][GC_TINY_FREELISTS];

static const struct mem_range *root_ranges;
static size_t root_count;
static double collect_started, collect_total, collect_longest;
static GC_push_other_roots_proc earlier_roots;

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void on_event(GC_EventType event) {
  if (event == GC_EVENT_START) collect_started = now_ms();
  if (event != GC_EVENT_END) return;
  double took = now_ms() - collect_started;
  collect_total += took;
  if (took > collect_longest) collect_longest = took;
}

/* Forgets the cells that are left on our free lists: the sweep finds them again. To keep them, each
 * would have to be marked. */
static void push_roots(void) {
  memset(mem_free, 0, sizeof mem_free);
  if (earlier_roots != NULL) earlier_roots();
  for (size_t i = 0; i < root_count; i++)
    GC_push_all(root_ranges[i].start, *root_ranges[i].end);
}

void mem_start(const struct mem_range *ranges, size_t count, bool concurrent) {
  if (concurrent) {
    fputs("scheme-boehm: --concurrent is for scheme-tide\n", stderr);
    exit(2);
  }
  GC_set_warn_proc(GC_ignore_warn_proc); /* mem_exhausted says it in one line */
  GC_set_all_interior_pointers(0);
  GC_INIT();
  root_ranges = ranges;
  root_count = count;
  earlier_roots = GC_get_push_other_roots();
  GC_set_push_other_roots(push_roots);
  GC_set_on_collection_event(on_event);
}

void *mem_slow(int kind, size_t bytes) {
  size_t granules = (bytes + 15) >> 4;
  void *object = NULL;
  if (granules < GC_TINY_FREELISTS) {
    GC_generic_malloc_many(granules << 4, kind, &object);
    if (object == NULL) mem_exhausted(bytes);
    mem_free[kind][granules] = *(void **)object;
    *(void **)object = NULL;
    return object;
  }
  object = GC_malloc_kind(bytes, kind);
  if (object == NULL) mem_exhausted(bytes);
  return object;
}

void mem_collect(void) {
  GC_gcollect();
}

struct mem_stats mem_stats(void) {
  return (struct mem_stats){.collections = GC_get_gc_no(),
                            .collect_ms = collect_total,
                            .longest_ms = collect_longest,
                            .heap_bytes = GC_get_heap_size()};
}

void mem_exhausted(size_t bytes) {
  fprintf(stderr, "scheme-boehm: no room for %zu bytes: out of memory\n", bytes);
  exit(4);
}
