/* SPDX-License-Identifier: MIT */
/* Finding leaks. */
#include "bdwgc/debug/leaks.h"

#include <stdlib.h>

#include "bdwgc/debug/guard.h"
#include "bdwgc/debug/objects.h"
#include "bdwgc/detour.h"
#include "bdwgc/say.h"
#include "bdwgc/settings.h"
#include "bdwgc/threads/start.h"
#include "tide/inspect.h"

static bool delay_free;

/* Leaks of one collection that get a line of their own. */
#define LINES_MOST 40u
static _Atomic(size_t) leaked;

/* ---- An object that nothing refers to ---- */

static void tell(const void *object) {
  char text[TD_GUARD_TEXT_BYTES];
  /* relaxed: a count. */
  if (atomic_fetch_add_explicit(&leaked, 1, memory_order_relaxed) >= LINES_MOST) return;
  td_guard_describe(object, text, sizeof text);
  td_bdwgc_tell("leaked: %s", text);
}

static void examine(void *object, void *context) {
  (void)context;
  size_t bytes = tide_object_bytes(td_bdwgc_heap, object);
  if (td_guard_look(object, bytes) == TD_GUARD_FREED) {
    const void *touched = td_guard_touched(object, bytes);
    if (touched) td_bdwgc_tell("written to after GC_debug_free: %p", touched);
  } else if (td_leaks_on()) {
    tell(object);
  }
  (void)tide_free(td_bdwgc_start(), object);
}

void *td_leaks_watch(void *object) {
  static const struct tide_finalizer_entry entry = {.call = examine,
                                                    .order = TIDE_FINALIZE_NO_ORDER};
  if (!object || !td_leaks_on()) return object;
  if (tide_finalizer_set(td_bdwgc_start(), object, &entry, NULL) == TIDE_ERROR_MEMORY)
    td_bdwgc_tell("out of memory: %p is not watched for leaks", object);
  return object;
}

void td_leaks_end_collection(void) {
  /* relaxed: a count. */
  size_t count = atomic_exchange_explicit(&leaked, 0, memory_order_relaxed);
  if (count > LINES_MOST) td_bdwgc_tell("leaked: %zu more objects", count - LINES_MOST);
  bool smashed = td_guard_found();
  if ((count || smashed) && getenv("GC_ABORT_ON_LEAK"))
    td_bdwgc_die("leaked or smashed objects were found");
}

bool td_leaks_delay_free(void) {
  return delay_free;
}

/* ---- Objects that were there before ---- */

static void watch(void *object, size_t bytes, void *data) {
  (void)bytes, (void)data;
  td_leaks_watch(object);
}

/* ---- On and off ---- */

void td_leaks_notice(void) {
  if (!GC_find_leak == !td_leaks_on()) return;
  if (GC_find_leak) {
    delay_free = getenv("GC_FINDLEAK_DELAY_FREE") != NULL;
    td_detour_add(TD_DETOUR_WATCH);
    (void)td_objects_each(watch, NULL);
  } else {
    (void)td_detour_drop(TD_DETOUR_WATCH);
  }
}
