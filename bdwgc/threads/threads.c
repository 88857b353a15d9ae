/* SPDX-License-Identifier: MIT */
/* Registering threads, sections in which they do without the heap, and the allocation lock. */
#include "bdwgc/threads/threads.h"

#include "bdwgc/threads/lock.h"
#include "bdwgc/threads/start.h"

EXPORT int GC_register_my_thread(const struct GC_stack_base *base) {
  struct tide_error error;
  if (td_bdwgc_self) return GC_DUPLICATE;
  return td_bdwgc_try_start(base ? base->mem_base : NULL, &error) ? GC_SUCCESS : GC_NO_MEMORY;
}

/* ---- Regions ---- */

void td_region_leave_slow(void) {
  tide_blocking_leave(td_bdwgc_self);
  td_bdwgc_away = false;
}

void td_region_enter(void) {
  td_bdwgc_away = true;
  tide_blocking_enter(td_bdwgc_self);
}

static void leave_region(void *unused) {
  (void)unused;
  (void)td_region_leave();
}

/* A thread that ends inside of the call leaves, too: its clean-up handlers may allocate. */
EXPORT void *GC_do_blocking(GC_fn_type call, void *data) {
  void *result;
  td_bdwgc_start();
  if (td_bdwgc_away) return call(data);
  td_region_enter();
  pthread_cleanup_push(leave_region, NULL);
  result = call(data);
  pthread_cleanup_pop(1);
  return result;
}

EXPORT void *GC_call_with_gc_active(GC_fn_type call, void *data) {
  bool left = td_region_leave();
  void *result = call(data);
  td_region_return(left);
  return result;
}

/* ---- The allocation lock: no collection begins while it is held ---- */

/* In a blocking section holding stops off would hold nothing off. */
EXPORT void GC_alloc_lock(void) {
  if (td_bdwgc_heap) td_bdwgc_start(); /* before there is one, settings may follow */
  if (td_bdwgc_away) tide_collect_pause(td_bdwgc_heap);
  td_bdwgc_lock(TD_LOCK_ALLOCATION);
  td_bdwgc_has_allocation = true;
}
EXPORT void GC_alloc_unlock(void) {
  td_bdwgc_has_allocation = false;
  td_bdwgc_unlock(TD_LOCK_ALLOCATION);
  if (td_bdwgc_away) tide_collect_resume(td_bdwgc_heap);
}
static void unlock(void *unused) {
  (void)unused;
  GC_alloc_unlock();
}
EXPORT void *GC_call_with_alloc_lock(GC_fn_type call, void *data) {
  void *result;
  GC_alloc_lock();
  pthread_cleanup_push(unlock, NULL);
  result = call(data);
  pthread_cleanup_pop(1);
  return result;
}
