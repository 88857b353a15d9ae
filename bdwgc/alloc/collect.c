/* Collecting, and telling the program of it. */
#include "bdwgc/alloc/collect.h"

#include <inttypes.h>

#include "bdwgc/figures.h"
#include "bdwgc/finalize/finalize.h"
#include "bdwgc/debug/guard.h"
#include "bdwgc/finalize/java.h"
#include "bdwgc/debug/leaks.h"
#include "bdwgc/threads/register.h"
#include "bdwgc/settings.h"
#include "bdwgc/threads/stack.h"
#include "bdwgc/state.h"
#include "bdwgc/threads/threads.h"
#include "tide/stats.h"

extern EXPORT GC_word GC_gc_no;
extern EXPORT int GC_parallel;

static bool print;
static GC_start_callback_proc start_callback;
static GC_on_collection_event_proc on_event;
static GC_stop_func stop_function;

/* Numbers of the events that programs are told of. */
enum {
  EVENT_START,
  EVENT_MARK_START,
  EVENT_MARK_END,
  EVENT_RECLAIM_START,
  EVENT_RECLAIM_END,
  EVENT_END,
  EVENT_PRE_STOP_WORLD,
  EVENT_POST_STOP_WORLD,
  EVENT_PRE_START_WORLD,
  EVENT_POST_START_WORLD
};

static void tell(int event) {
  if (on_event) on_event(event);
}

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

static void begin(void) {
  if (start_callback) start_callback();
  tell(EVENT_START);
  tell(EVENT_PRE_STOP_WORLD);
}

static void end(struct tide_heap *heap) {
  tell(EVENT_END);
  tell(EVENT_PRE_START_WORLD);
  td_register_tell(false);
  GC_gc_no++;
  td_figures_note();
  GC_parallel = (int)td_figures_other_markers();
  /* relaxed: a hint to come to td_bdwgc_after_collection. */
  if (print || td_guard_used() || tide_finalizers_pending(heap))
    atomic_fetch_or_explicit(&td_bdwgc.slow, TD_SLOW_ONCE, memory_order_relaxed);
}

static void on_tide_event(struct tide_heap *heap, enum tide_event event, uint64_t now_ns,
                          void *context) {
  (void)now_ns, (void)context;
  switch (event) {
  case TIDE_EVENT_CYCLE_BEGIN:
    begin();
    break;
  case TIDE_EVENT_STOPPED:
    td_register_tell(true);
    tell(EVENT_POST_STOP_WORLD);
    break;
  case TIDE_EVENT_MARK_BEGIN:
    tell(EVENT_MARK_START);
    break;
  case TIDE_EVENT_MARK_END:
    tell(EVENT_MARK_END);
    tell(EVENT_RECLAIM_START);
    break;
  case TIDE_EVENT_WEAK_END:
    td_java_forget_dead(heap);
    td_java_tell_queued(heap);
    break;
  case TIDE_EVENT_SWEEP_END:
    tell(EVENT_RECLAIM_END);
    break;
  case TIDE_EVENT_CYCLE_END:
    end(heap);
    break;
  default:
    break;
  }
}

void td_bdwgc_collect_start(bool print_stats) {
  print = print_stats;
  tide_heap_on_event(td_bdwgc.heap, on_tide_event, NULL);
}

void td_bdwgc_after_collection(void) {
  /* relaxed: who sets it again afterwards is heard the next time. */
  uint8_t before =
      atomic_fetch_and_explicit(&td_bdwgc.slow, (uint8_t)~TD_SLOW_ONCE, memory_order_relaxed);
  if (!(before & TD_SLOW_ONCE)) return;
  if (print) write_line(td_bdwgc.heap);
  td_guard_check_heap();
  td_bdwgc_finalize_or_notify();
  td_leaks_end_collection();
}

/* ---- Collecting ---- */

static int collect(GC_stop_func stop) {
  struct tide_mutator *self = td_bdwgc_mutator();
  if (stop && stop()) return 0;
  td_stack_notice();
  td_leaks_notice();
  bool collected = tide_collect(self) == TIDE_OK;
  td_bdwgc_after_collection();
  return collected;
}

EXPORT void GC_gcollect(void) {
  td_bdwgc_start();
  collect(stop_function);
}
EXPORT void GC_gcollect_and_unmap(void) {
  GC_gcollect();
}
EXPORT int GC_try_to_collect(GC_stop_func stop) {
  td_bdwgc_start();
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
EXPORT void GC_set_start_callback(GC_start_callback_proc callback) {
  start_callback = callback;
}
EXPORT GC_start_callback_proc GC_get_start_callback(void) {
  return start_callback;
}
EXPORT void GC_set_on_collection_event(GC_on_collection_event_proc callback) {
  on_event = callback;
}
EXPORT GC_on_collection_event_proc GC_get_on_collection_event(void) {
  return on_event;
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
