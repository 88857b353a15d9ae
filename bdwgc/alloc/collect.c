/* SPDX-License-Identifier: MIT */
/* Collecting or not, and what is left to do afterwards. */
#include "bdwgc/alloc/collect.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#include "bdwgc/debug/guard.h"
#include "bdwgc/debug/leaks.h"
#include "bdwgc/detour.h"
#include "bdwgc/figures.h"
#include "bdwgc/finalize/finalize.h"
#include "bdwgc/say.h"
#include "bdwgc/settings.h"
#include "bdwgc/threads/stack.h"
#include "bdwgc/threads/start.h"
#include "bdwgc/threads/threads.h"
#include "tide/stats.h"

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
  GC_log_printf("tidemark: libgc: collection %" PRIu64 ": %" PRIu64 " KiB alive of %" PRIu64
                " KiB; pause %" PRIu64 " us; %u markers\n",
                cycle.number, cycle.bytes >> 10, stats.committed_bytes >> 10, cycle.pause_ns / 1000,
                cycle.recruited);
}

void td_bdwgc_after_collection(void) {
  if (!td_detour_drop(TD_DETOUR_ONCE)) return;
  TD_LEAVES_REGION;
  notice_leaks();
  if (td_bdwgc_settings.print_stats && GC_gc_no) write_line(td_bdwgc_heap);
  td_guard_check_heap();
  td_bdwgc_finalize_or_notify();
  td_leaks_end_collection();
}

/* ---- Collecting ---- */

/* A collection that has begun is not given up: `stop` is asked once. */
static int collect(GC_stop_func stop) {
  struct tide_mutator *self = td_bdwgc_start();
  if (stop && stop()) return 0;
  TD_LEAVES_REGION;
  td_stack_notice();
  notice_leaks();
  bool collected = tide_collect(self) == TIDE_OK;
  td_bdwgc_after_collection();
  return collected;
}

static int never_stop(void) {
  return 0;
}
static GC_stop_func stop_function = never_stop;
VALUE(GC_stop_func, stop_func, stop_function)

EXPORT void GC_gcollect(void) {
  (void)collect(stop_function);
}
/* It asks no stop function. */
EXPORT void GC_gcollect_and_unmap(void) {
  (void)collect(NULL);
  tide_heap_trim(td_bdwgc_heap);
}
EXPORT int GC_try_to_collect(GC_stop_func stop) {
  return collect(stop);
}

EXPORT int GC_collect_a_little(void) {
  td_bdwgc_start();
  td_bdwgc_after_collection();
  return 0;
}

/* ---- Collecting or not. The collector reads GC_dont_gc, which programs write by name, too.
 * What they set next may have to precede the start, so none of this starts. ---- */

static int disable_automatic;

EXPORT void GC_disable(void) {
  /* seq_cst: see tide_collect_await. A collection that runs has ended when the pause begins. */
  __atomic_add_fetch(&GC_dont_gc, 1, __ATOMIC_SEQ_CST);
  tide_collect_await(td_bdwgc_heap);
}
EXPORT void GC_enable(void) {
  int count =
      __atomic_load_n(&GC_dont_gc, __ATOMIC_RELAXED); /* relaxed: a collection may begin late */
  while (count != 0 && !__atomic_compare_exchange_n(&GC_dont_gc, &count, count - 1, true,
                                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}
EXPORT int GC_is_disabled(void) {
  return __atomic_load_n(&GC_dont_gc, __ATOMIC_RELAXED) != 0; /* relaxed: a figure */
}
EXPORT int GC_get_disable_automatic_collection(void) {
  return disable_automatic;
}
EXPORT void GC_set_disable_automatic_collection(int value) {
  if (!disable_automatic == !value) return;
  disable_automatic = value;
  if (value)
    GC_disable();
  else
    GC_enable();
}

EXPORT int GC_expand_hp(size_t bytes) {
  td_bdwgc_start();
  if (!tide_heap_grow(td_bdwgc_heap, bytes)) return 0;
  td_figures_expand(bytes);
  return 1;
}
