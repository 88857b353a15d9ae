/* SPDX-License-Identifier: MIT */
/* What the program is told of collections. */
#include "bdwgc/threads/events.h"

#include "bdwgc/detour.h"
#include "bdwgc/figures.h"
#include "bdwgc/settings.h"
#include "bdwgc/threads/lock.h"
#include "bdwgc/threads/register.h"
#include "tide/stats.h"

static GC_start_callback_proc start_callback;
static GC_on_collection_event_proc on_event;
static void (*while_stopped)(struct tide_heap *heap), (*after_resume)(void);

bool td_events_stopped;

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

static void begin(void) {
  if (start_callback) start_callback();
  tell(EVENT_START);
  tell(EVENT_PRE_STOP_WORLD);
}

/* The last that is told while the others stand still. */
static void resume(struct tide_heap *heap) {
  if (while_stopped) while_stopped(heap);
  tell(EVENT_PRE_START_WORLD);
  td_events_stopped = false;
  td_register_tell(false);
}

static void end(struct tide_heap *heap) {
  GC_gc_no++;
  GC_parallel = (int)td_figures_note();
  if (td_bdwgc_settings.print_stats || td_detour_has(TD_DETOUR_GUARDS) ||
      tide_finalizers_pending(heap))
    td_detour_add(TD_DETOUR_ONCE);
}

/* All was reclaimed under the stop. The program is told of it when the others run again, because
 * its function may wait for what they hold: a stream, say. No other collection begins meanwhile. */
static void resumed(void) {
  tell(EVENT_POST_START_WORLD);
  tell(EVENT_RECLAIM_START);
  if (after_resume) after_resume();
  tell(EVENT_RECLAIM_END);
  tell(EVENT_END);
}

/* By any thread, without the allocation lock: a holder of that may want to collect meanwhile. */
static void resized(void) {
  GC_on_heap_resize_proc call = GC_on_heap_resize;
  if (!call) return;
  td_bdwgc_lock(TD_LOCK_RESIZED);
  call(GC_get_heap_size());
  td_bdwgc_unlock(TD_LOCK_RESIZED);
}

static void on_tide_event(struct tide_heap *heap, enum tide_event event, uint64_t now_ns,
                          void *context) {
  (void)now_ns, (void)context;
  switch (event) {
  case TIDE_EVENT_CYCLE_BEGIN:
    begin();
    break;
  case TIDE_EVENT_STOPPED:
    td_events_stopped = true;
    td_register_tell(true);
    tell(EVENT_POST_STOP_WORLD);
    break;
  case TIDE_EVENT_MARK_BEGIN:
    tell(EVENT_MARK_START);
    break;
  case TIDE_EVENT_MARK_END:
    tell(EVENT_MARK_END);
    break;
  case TIDE_EVENT_WEAK_END:
    resume(heap);
    break;
  case TIDE_EVENT_CYCLE_END:
    end(heap);
    break;
  case TIDE_EVENT_RESUMED:
    resumed();
    break;
  case TIDE_EVENT_HEAP_GREW:
  case TIDE_EVENT_HEAP_SHRANK:
    resized();
    break;
  default:
    break;
  }
}

void td_events_start(void) {
  tide_heap_on_event(td_bdwgc_heap, on_tide_event, NULL);
}

void td_events_on_reclaim(void (*stopped)(struct tide_heap *heap), void (*then)(void)) {
  while_stopped = stopped;
  after_resume = then;
}

VALUE(GC_start_callback_proc, start_callback, start_callback)
VALUE(GC_on_collection_event_proc, on_collection_event, on_event)
