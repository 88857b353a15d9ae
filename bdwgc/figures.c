/* SPDX-License-Identifier: MIT */
/* Statistics. */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "bdwgc/figures.h"
#include "bdwgc/heap.h"
#include "bdwgc/settings.h"
#include "bdwgc/uncancelled.h"
#include "tide/stats.h"

/* By the last collection's end; written under the stop. relaxed, all: counts, which a thread in a
 * blocking section may read meanwhile. */
static _Atomic(uint64_t) allocated_before, freed_before, reclaimed_before;
/* Since then: freed by the program, and kept by us for a while. */
static _Atomic(size_t) freed_besides;
/* The most that any thread was told: threads know what they allocate themselves at once, what
 * others do later. relaxed: nothing else goes by it. */
static _Atomic(uint64_t) allocated_told;

/* What the heap takes at least from the system: programs divide by its size. */
#define HEAP_LEAST ((size_t)64 << 10)
/* That, or what GC_expand_hp has made of the heap, until the next collection. relaxed: as above. */
static _Atomic(size_t) least_bytes = HEAP_LEAST;

/* Fills in little before there is a heap. Returned by value they would be copied, which takes a
 * fifth of such a call. */
static inline void look(struct tide_figures *figures) {
  tide_figures(td_bdwgc_heap, figures);
  /* relaxed: see above. */
  size_t least = atomic_load_explicit(&least_bytes, memory_order_relaxed);
  if (figures->committed_bytes < least) figures->committed_bytes = least;
}

static unsigned other_markers(const struct tide_figures *figures) {
  return figures->markers ? (unsigned)figures->markers - 1 : 0;
}

/* All that died in collections up to the last one. */
static uint64_t reclaimed(void) {
  struct tide_cycle_stats last;
  tide_cycle_stats(td_bdwgc_heap, &last);
  /* relaxed, both: see above. */
  uint64_t bytes = atomic_load_explicit(&allocated_before, memory_order_relaxed) -
                   atomic_load_explicit(&freed_before, memory_order_relaxed);
  return bytes > last.bytes ? bytes - last.bytes : 0;
}

unsigned td_figures_note(void) {
  struct tide_figures figures;
  tide_figures(td_bdwgc_heap, &figures);
  atomic_store_explicit(&reclaimed_before, reclaimed(), memory_order_relaxed);
  atomic_store_explicit(&allocated_before, figures.allocated_bytes, memory_order_relaxed);
  atomic_store_explicit(&freed_before, figures.freed_bytes, memory_order_relaxed);
  atomic_store_explicit(&freed_besides, 0, memory_order_relaxed);
  atomic_store_explicit(&least_bytes, HEAP_LEAST, memory_order_relaxed);
  return other_markers(&figures);
}

static size_t free_bytes(const struct tide_figures *figures) {
  return figures->committed_bytes > figures->heap_bytes
             ? figures->committed_bytes - figures->heap_bytes
             : 0;
}

/* Never gets less. */
static uint64_t allocated(void) {
  uint64_t bytes = tide_allocated_bytes(td_bdwgc_heap);
  /* relaxed, both: see above. */
  uint64_t told = atomic_load_explicit(&allocated_told, memory_order_relaxed);
  while (told < bytes)
    if (atomic_compare_exchange_weak_explicit(&allocated_told, &told, bytes, memory_order_relaxed,
                                              memory_order_relaxed))
      return bytes;
  return told;
}
static size_t since_gc(void) {
  /* relaxed: see above. */
  uint64_t before = atomic_load_explicit(&allocated_before, memory_order_relaxed);
  uint64_t now = allocated();
  return now > before ? now - before : 0;
}
static size_t freed_since_gc(const struct tide_figures *figures) {
  /* relaxed, both: see above. */
  return figures->freed_bytes - atomic_load_explicit(&freed_before, memory_order_relaxed) +
         atomic_load_explicit(&freed_besides, memory_order_relaxed);
}

#define FIGURE(name, value)                                                                        \
  EXPORT size_t GC_get_##name(void) {                                                              \
    struct tide_figures figures;                                                                   \
    look(&figures);                                                                                \
    return value;                                                                                  \
  }
FIGURE(heap_size, figures.committed_bytes)
FIGURE(free_bytes, free_bytes(&figures))
FIGURE(expl_freed_bytes_since_gc, freed_since_gc(&figures))
FIGURE(obtained_from_os_bytes, figures.peak_committed_bytes)
FIGURE(memory_use, figures.heap_bytes)
EXPORT size_t GC_get_bytes_since_gc(void) {
  return since_gc();
}
EXPORT size_t GC_get_total_bytes(void) {
  return allocated();
}
EXPORT GC_word GC_get_gc_no(void) {
  return GC_gc_no;
}

EXPORT void GC_get_heap_usage_safe(GC_word *heap, GC_word *free, GC_word *unmapped, GC_word *since,
                                   GC_word *total) {
  struct tide_figures figures;
  look(&figures);
  if (heap) *heap = figures.committed_bytes;
  if (free) *free = free_bytes(&figures);
  if (unmapped) *unmapped = 0;
  if (since) *since = since_gc();
  if (total) *total = allocated();
}

static inline void fill(struct GC_prof_stats_s *stats) {
  struct tide_figures figures;
  look(&figures);
  uint64_t all = reclaimed();
  /* relaxed: see above. */
  uint64_t before = atomic_load_explicit(&reclaimed_before, memory_order_relaxed);
  *stats = (struct GC_prof_stats_s){
      .heapsize_full = figures.committed_bytes,
      .free_bytes_full = free_bytes(&figures),
      .bytes_allocd_since_gc = since_gc(),
      /* relaxed: see above. */
      .allocd_bytes_before_gc = atomic_load_explicit(&allocated_before, memory_order_relaxed),
      .non_gc_bytes = GC_non_gc_bytes,
      .gc_no = GC_gc_no,
      .markers_m1 = other_markers(&figures),
      .bytes_reclaimed_since_gc = all > before ? all - before : 0,
      .reclaimed_bytes_before_gc = before,
      .expl_freed_bytes_since_gc = freed_since_gc(&figures),
      .obtained_from_os_bytes = figures.peak_committed_bytes,
  };
}

EXPORT size_t GC_get_prof_stats(struct GC_prof_stats_s *filled, size_t bytes) {
  struct GC_prof_stats_s all;
  if (bytes == sizeof all) {
    fill(filled);
    return bytes;
  }
  fill(&all);
  size_t common = bytes < sizeof all ? bytes : sizeof all;
  memcpy(filled, &all, common);
  if (bytes > common) memset((char *)filled + common, 0xff, bytes - common);
  return common;
}
SAME_AS(GC_get_prof_stats, GC_get_prof_stats_unsafe);

/* The rest is asked for less often. */
static struct tide_heap_stats all_stats(void) {
  struct tide_heap_stats stats;
  tide_heap_stats(td_bdwgc_heap, &stats); /* zeroes before there is a heap */
  return stats;
}

EXPORT unsigned long GC_get_full_gc_total_time(void) {
  return (unsigned long)(all_stats().pause_ns_total / 1000000);
}

void td_figures_add_freed(size_t bytes) {
  /* relaxed: a count. */
  atomic_fetch_add_explicit(&freed_besides, bytes, memory_order_relaxed);
}

void td_figures_expand(size_t bytes) {
  struct tide_figures figures;
  look(&figures);
  /* relaxed: see above. */
  atomic_store_explicit(&least_bytes, figures.committed_bytes + bytes, memory_order_relaxed);
}

/* ---- In words ---- */

EXPORT void GC_dump_named(const char *name) {
  TD_UNCANCELLED;
  struct tide_heap_stats stats = all_stats();
  printf("tidemark: libgc: %s: %" PRIu64 " collections, heap %" PRIu64 " KiB, in use %" PRIu64
         " KiB, allocated %" PRIu64 " KiB, longest pause %" PRIu64 " us\n",
         name ? name : "dump", stats.collections, stats.committed_bytes >> 10,
         stats.heap_bytes >> 10, stats.allocated_bytes >> 10, stats.pause_ns_max / 1000);
}
EXPORT void GC_dump(void) {
  GC_dump_named(NULL);
}
SAME_AS(GC_dump, GC_dump_regions);
EXPORT void GC_dump_finalization(void) {
  TD_UNCANCELLED;
  printf("tidemark: libgc: %zu finalizers are pending\n", tide_finalizers_pending(td_bdwgc_heap));
}
