/* Collecting, and what is left to do afterwards. */
#include "bdwgc/alloc/collect.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#include "bdwgc/debug/guard.h"
#include "bdwgc/debug/leaks.h"
#include "bdwgc/detour.h"
#include "bdwgc/finalize/finalize.h"
#include "bdwgc/heap.h"
#include "bdwgc/say.h"
#include "bdwgc/settings.h"
#include "bdwgc/threads/stack.h"
#include "bdwgc/threads/start.h"
#include "tide/stats.h"

static GC_stop_func stop_function;

/* ---- Finding leaks ---- */

static void at_exit(void) {
  if (td_leaks_on()) GC_gcollect();
}

static void register_exit(void) {
  if (atexit(at_exit) != 0) td_bdwgc_tell("leaks are not looked for when the program ends");
}

/* The program may have set GC_find_leak by name. */
static void notice_leaks(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  td_leaks_notice();
  if (td_leaks_on()) (void)pthread_once(&once, register_exit);
}

EXPORT int GC_get_find_leak(void) {
  return GC_find_leak;
}
EXPORT void GC_set_find_leak(int value) {
  GC_find_leak = value;
  if (td_bdwgc_heap) notice_leaks();
}

/* ---- After a collection ---- */

static void write_line(struct tide_heap *heap) {
  struct tide_cycle_stats cycle;
  struct tide_heap_stats stats;
  tide_cycle_stats(heap, &cycle);
  tide_heap_stats(heap, &stats);
  td_bdwgc_tell("collection %" PRIu64 ": %" PRIu64 " KiB alive of %" PRIu64 " KiB; pause %" PRIu64
                " us; %u markers",
                cycle.number, cycle.bytes >> 10, stats.committed_bytes >> 10, cycle.pause_ns / 1000,
                cycle.recruited);
}

void td_bdwgc_after_collection(void) {
  if (!td_detour_drop(TD_DETOUR_ONCE)) return;
  notice_leaks();
  if (td_bdwgc_settings.print_stats && GC_gc_no) write_line(td_bdwgc_heap);
  td_guard_check_heap();
  td_bdwgc_finalize_or_notify();
  td_leaks_end_collection();
}

/* ---- Collecting ---- */

static int collect(GC_stop_func stop) {
  struct tide_mutator *self = td_bdwgc_start();
  if (stop && stop()) return 0;
  td_stack_notice();
  notice_leaks();
  bool collected = tide_collect(self) == TIDE_OK;
  td_bdwgc_after_collection();
  return collected;
}

EXPORT void GC_gcollect(void) {
  (void)collect(stop_function);
}
EXPORT void GC_gcollect_and_unmap(void) {
  GC_gcollect();
}
EXPORT int GC_try_to_collect(GC_stop_func stop) {
  return collect(stop);
}
EXPORT void GC_set_stop_func(GC_stop_func stop) {
  stop_function = stop;
}
static int never_stop(void) {
  return 0;
}
EXPORT GC_stop_func GC_get_stop_func(void) {
  return stop_function ? stop_function : never_stop;
}

/* ---- Incremental mode: every collection is a whole one ---- */

EXPORT void GC_enable_incremental(void) {
  td_bdwgc_start();
}
EXPORT int GC_is_incremental_mode(void) {
  return 0;
}
EXPORT int GC_incremental_protection_needs(void) {
  return 0;
}
EXPORT void GC_start_incremental_collection(void) {}
EXPORT int GC_collect_a_little(void) {
  td_bdwgc_start();
  td_bdwgc_after_collection();
  return 0;
}
