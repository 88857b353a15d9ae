/* Statistics. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bdwgc/figures.h"
#include "bdwgc/state.h"
#include "tide/stats.h"

extern EXPORT GC_word GC_gc_no, GC_non_gc_bytes;

/* By the last collection's end; written under the stop. */
static uint64_t allocated_before, freed_before;
/* Since then: freed by the program, and kept by us for a while. */
static _Atomic(size_t) freed_besides;

void td_figures_note(struct tide_heap *heap) {
  struct tide_heap_stats stats;
  tide_heap_stats(heap, &stats);
  allocated_before = stats.allocated_bytes;
  freed_before = stats.freed_bytes;
  atomic_store_explicit(&freed_besides, 0, memory_order_relaxed); /* relaxed: a count */
}

unsigned td_figures_markers(struct tide_heap *heap) {
  struct tide_cycle_stats cycle;
  tide_cycle_stats(heap, &cycle);
  return cycle.markers ? cycle.markers : 1;
}

static struct tide_heap_stats now(void) {
  struct tide_heap_stats stats;
  tide_heap_stats(td_bdwgc.heap, &stats); /* zeroes before there is a heap */
  return stats;
}

static size_t free_bytes(const struct tide_heap_stats *stats) {
  return stats->committed_bytes > stats->heap_bytes ? stats->committed_bytes - stats->heap_bytes
                                                    : 0;
}
static size_t since_gc(const struct tide_heap_stats *stats) {
  return stats->allocated_bytes - allocated_before;
}
static size_t freed_since_gc(const struct tide_heap_stats *stats) {
  /* relaxed: a count. */
  return stats->freed_bytes - freed_before +
         atomic_load_explicit(&freed_besides, memory_order_relaxed);
}

EXPORT size_t GC_get_heap_size(void) {
  return now().committed_bytes;
}
EXPORT size_t GC_get_free_bytes(void) {
  struct tide_heap_stats stats = now();
  return free_bytes(&stats);
}
EXPORT size_t GC_get_unmapped_bytes(void) {
  return 0; /* what is given back counts no more */
}
EXPORT size_t GC_get_bytes_since_gc(void) {
  struct tide_heap_stats stats = now();
  return since_gc(&stats);
}
EXPORT size_t GC_get_expl_freed_bytes_since_gc(void) {
  struct tide_heap_stats stats = now();
  return freed_since_gc(&stats);
}
EXPORT size_t GC_get_total_bytes(void) {
  return now().allocated_bytes;
}
EXPORT size_t GC_get_obtained_from_os_bytes(void) {
  return now().peak_committed_bytes;
}
EXPORT size_t GC_get_memory_use(void) {
  return now().heap_bytes;
}
EXPORT GC_word GC_get_gc_no(void) {
  return GC_gc_no;
}

EXPORT void GC_get_heap_usage_safe(GC_word *heap, GC_word *free, GC_word *unmapped, GC_word *since,
                                   GC_word *total) {
  struct tide_heap_stats stats = now();
  if (heap) *heap = stats.committed_bytes;
  if (free) *free = free_bytes(&stats);
  if (unmapped) *unmapped = 0;
  if (since) *since = since_gc(&stats);
  if (total) *total = stats.allocated_bytes;
}

EXPORT size_t GC_get_prof_stats(struct GC_prof_stats_s *filled, size_t bytes) {
  struct tide_heap_stats stats = now();
  struct tide_cycle_stats cycle;
  tide_cycle_stats(td_bdwgc.heap, &cycle);
  const struct GC_prof_stats_s all = {
      .heapsize_full = stats.committed_bytes,
      .free_bytes_full = free_bytes(&stats),
      .bytes_allocd_since_gc = since_gc(&stats),
      .allocd_bytes_before_gc = allocated_before,
      .non_gc_bytes = GC_non_gc_bytes,
      .gc_no = GC_gc_no,
      .markers_m1 = cycle.markers ? cycle.markers - 1 : 0,
      .expl_freed_bytes_since_gc = freed_since_gc(&stats),
      .obtained_from_os_bytes = stats.peak_committed_bytes,
  };
  size_t common = bytes < sizeof all ? bytes : sizeof all;
  memcpy(filled, &all, common);
  if (bytes > common) memset((char *)filled + common, 0xff, bytes - common);
  return common;
}
EXPORT size_t GC_get_prof_stats_unsafe(struct GC_prof_stats_s *filled, size_t bytes) {
  return GC_get_prof_stats(filled, bytes);
}

EXPORT size_t GC_get_size_map_at(int i) {
  (void)i;
  return SIZE_MAX; /* sizes are not mapped by a table */
}
EXPORT void GC_start_performance_measurement(void) {}
EXPORT unsigned long GC_get_full_gc_total_time(void) {
  return (unsigned long)(now().pause_ns_total / 1000000);
}

EXPORT void GC_incr_bytes_allocd(size_t bytes) {
  (void)bytes; /* counted where it happens */
}
EXPORT void GC_incr_bytes_freed(size_t bytes) {
  (void)bytes;
}
void td_figures_add_freed(size_t bytes) {
  /* relaxed: a count. */
  atomic_fetch_add_explicit(&freed_besides, bytes, memory_order_relaxed);
}

/* ---- In words ---- */

EXPORT void GC_dump_named(const char *name) {
  struct tide_heap_stats stats = now();
  printf("tidemark: libgc: %s: %" PRIu64 " collections, heap %" PRIu64 " KiB, in use %" PRIu64
         " KiB, allocated %" PRIu64 " KiB, longest pause %" PRIu64 " us\n",
         name ? name : "dump", stats.collections, stats.committed_bytes >> 10,
         stats.heap_bytes >> 10, stats.allocated_bytes >> 10, stats.pause_ns_max / 1000);
}
EXPORT void GC_dump(void) {
  GC_dump_named(NULL);
}
EXPORT void GC_dump_regions(void) {
  GC_dump_named("regions");
}
EXPORT void GC_dump_finalization(void) {
  printf("tidemark: libgc: %zu finalizers are pending\n", tide_finalizers_pending(td_bdwgc.heap));
}
EXPORT void GC_print_free_list(int kind, size_t granules) {
  (void)kind, (void)granules; /* there are no such lists */
}
