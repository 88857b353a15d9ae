/* SPDX-License-Identifier: MIT */
/* Variables that programs read and write by name, and their setters and getters. */
#include "bdwgc/settings.h"

#include <stdlib.h>
#include <string.h>

#include "bdwgc/heap.h"
#include "bdwgc/say.h"
#include "tide/stats.h"

struct td_bdwgc_settings td_bdwgc_settings;

/* ---- Variables that mean something here ---- */

EXPORT int GC_java_finalization = 1;
EXPORT int GC_finalize_on_demand, GC_no_dls, GC_dont_gc, GC_dont_expand, GC_parallel, GC_find_leak;
EXPORT GC_word GC_free_space_divisor = 3;
EXPORT GC_word GC_gc_no;
EXPORT GC_finalizer_notifier_proc GC_finalizer_notifier;
EXPORT GC_on_heap_resize_proc GC_on_heap_resize;

static void *return_null(size_t bytes) {
  (void)bytes;
  return NULL;
}
EXPORT GC_oom_func GC_oom_fn = return_null;

/* Every address is plausible: programs only use the two to tell quickly what is not. */
EXPORT void *GC_least_plausible_heap_addr = (void *)4096;
EXPORT void *GC_greatest_plausible_heap_addr = (void *)(UINTPTR_MAX >> 1);

/* ---- Variables that are kept and have no effect (docs/boehm.md says why) ---- */

EXPORT int GC_dont_precollect, GC_use_entire_heap, GC_full_freq = 19;
EXPORT GC_word GC_non_gc_bytes, GC_max_retries;
EXPORT unsigned long GC_time_limit = 999999;

static int rate = 10, max_prior_attempts = 1, unmap_on_gcollect, manual_vdb;
static GC_word bytes_per_finalizer = 10000;
static size_t min_bytes_allocd = 1;
static unsigned long time_limit_ns;

VALUE(int, java_finalization, GC_java_finalization)
VALUE(int, finalize_on_demand, GC_finalize_on_demand)
VALUE(int, no_dls, GC_no_dls)
VALUE(int, dont_precollect, GC_dont_precollect)
VALUE(int, full_freq, GC_full_freq)
VALUE(GC_word, non_gc_bytes, GC_non_gc_bytes)
VALUE(GC_word, max_retries, GC_max_retries)
VALUE(unsigned long, time_limit, GC_time_limit)
VALUE(GC_word, allocd_bytes_per_finalizer, bytes_per_finalizer)
VALUE(size_t, min_bytes_allocd, min_bytes_allocd)
VALUE(int, rate, rate)
VALUE(int, max_prior_attempts, max_prior_attempts)
VALUE(int, force_unmap_on_gcollect, unmap_on_gcollect)
VALUE(int, manual_vdb_allowed, manual_vdb)
VALUE(GC_finalizer_notifier_proc, finalizer_notifier, GC_finalizer_notifier)
VALUE(GC_on_heap_resize_proc, on_heap_resize, GC_on_heap_resize)
VALUE(GC_oom_func, oom_fn, GC_oom_fn)

EXPORT void GC_set_time_limit_tv(struct GC_timeval_s limit) {
  GC_time_limit = limit.tv_ms;
  time_limit_ns = limit.tv_nsec;
}
EXPORT struct GC_timeval_s GC_get_time_limit_tv(void) {
  return (struct GC_timeval_s){GC_time_limit, time_limit_ns};
}

/* ---- How large the heap gets, and how many markers it has ---- */

#define LIMIT_LEAST ((size_t)1 << 20)   /* of tide_heap_set_max */
#define DIVISOR_MOST ((GC_word)1 << 20) /* from here on the factor is 1 but for its last digits */

/* With a divisor of n, two n-ths of what is alive may be allocated until the next collection; less
 * where much holds no references, a little more in small heaps. A program that wants no larger heap
 * gets a quarter of that. */
double td_bdwgc_growth(void) {
  GC_word divisor = GC_free_space_divisor ? GC_free_space_divisor : 1;
  if (divisor > DIVISOR_MOST) divisor = DIVISOR_MOST;
  return 1.0 + (GC_dont_expand ? 0.5 : 2.0) / (double)divisor;
}
static void set_growth(void) {
  if (td_bdwgc_heap)
    tide_heap_set_sizing(td_bdwgc_heap, TIDE_SIZING_WEIGHTED, td_bdwgc_growth(), NULL);
}

EXPORT GC_word GC_get_free_space_divisor(void) {
  return GC_free_space_divisor;
}
EXPORT void GC_set_free_space_divisor(GC_word divisor) {
  GC_free_space_divisor = divisor;
  set_growth();
}
EXPORT int GC_get_dont_expand(void) {
  return GC_dont_expand;
}
EXPORT void GC_set_dont_expand(int value) {
  GC_dont_expand = value;
  set_growth();
}

/* The heap is created without the program's limit, so that it has room for a larger one. */
void td_bdwgc_limit(void) {
  static size_t default_bytes; /* written when the heap is created, read by all later */
  size_t bytes = td_bdwgc_settings.max_heap_bytes;
  struct tide_heap_stats stats;
  struct tide_error error;
  tide_heap_stats(td_bdwgc_heap, &stats);
  if (!default_bytes) default_bytes = stats.heap_max_bytes;
  if (bytes == 0) bytes = default_bytes;
  if (bytes > stats.reserved_bytes) bytes = stats.reserved_bytes;
  if (bytes < LIMIT_LEAST) {
    td_bdwgc_warn("GC_MAXIMUM_HEAP_SIZE, GC_set_max_heap_size: %lu is taken as 1 MiB", bytes);
    bytes = LIMIT_LEAST;
  }
  if (tide_heap_set_max(td_bdwgc_heap, bytes, &error) != TIDE_OK)
    td_bdwgc_tell("GC_set_max_heap_size: %s", error.text);
}
EXPORT void GC_set_max_heap_size(GC_word bytes) {
  td_bdwgc_settings.max_heap_bytes = bytes;
  if (td_bdwgc_heap) td_bdwgc_limit();
}

EXPORT int GC_get_parallel(void) {
  return GC_parallel;
}
EXPORT void GC_set_markers_count(unsigned markers) {
  td_bdwgc_settings.markers = markers < TIDE_MARKERS_MAX ? markers : TIDE_MARKERS_MAX;
}
/* They start when a collection needs them. Without a number from the program that begins alone. */
EXPORT void GC_start_mark_threads(void) {
  if (td_bdwgc_settings.markers) GC_parallel = (int)td_bdwgc_settings.markers - 1;
}

EXPORT unsigned GC_get_version(void) {
  return 8u << 16 | 2u << 8 | 2u;
}

/* ---- Variables of the environment that mean the same here ---- */

/* Reads a number over 0, or one of bytes with an optional k, m or g behind it; `most` if it is
 * larger. Returns 0 if the variable is not set. */
static size_t read_number(const char *name, size_t most, bool bytes) {
  const char *text = getenv(name);
  if (!text || !*text) return 0;
  char *end;
  unsigned long long value = strtoull(text, &end, 10); /* the largest if it is too large */
  const char *suffixes = "kmg", *suffix = bytes && *end ? strchr(suffixes, *end | 0x20) : NULL;
  unsigned shift = suffix ? 10u * (unsigned)(suffix - suffixes + 1) : 0;
  bool is_number = end > text && *text != '-' && !end[suffix != NULL];
  if (bytes && !is_number)
    td_bdwgc_die("%s: '%.40s' is no number of bytes (with k, m or g behind it)", name, text);
  if (!bytes && (!is_number || value == 0))
    td_bdwgc_die("%s: '%.40s' is no number over 0", name, text);
  return value > most >> shift ? most : (size_t)value << shift;
}

void td_bdwgc_read_environment(void) {
  struct td_bdwgc_settings *set = &td_bdwgc_settings;
  size_t initial_bytes = read_number("GC_INITIAL_HEAP_SIZE", SIZE_MAX, true);
  size_t max_bytes = read_number("GC_MAXIMUM_HEAP_SIZE", SIZE_MAX, true);
  unsigned markers = (unsigned)read_number("GC_MARKERS", TIDE_MARKERS_MAX, false);
  size_t divisor = read_number("GC_FREE_SPACE_DIVISOR", DIVISOR_MOST, false);
  if (initial_bytes) set->initial_heap_bytes = initial_bytes;
  if (max_bytes) set->max_heap_bytes = max_bytes;
  if (markers) set->markers = markers;
  if (divisor) GC_free_space_divisor = divisor;
  set->print_stats = getenv("GC_PRINT_STATS") || getenv("GC_PRINT_VERBOSE_STATS");
  td_bdwgc_open_log();
  if (getenv("GC_DONT_GC")) GC_dont_gc = 1;
  if (getenv("GC_FIND_LEAK")) GC_find_leak = 1;
}
