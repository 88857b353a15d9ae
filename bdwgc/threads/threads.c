/* Registering threads, and the allocation lock. */
#include "bdwgc/threads/lock.h"
#include "bdwgc/threads/start.h"

EXPORT int GC_register_my_thread(const struct GC_stack_base *base) {
  (void)base;
  if (td_bdwgc_self) return GC_DUPLICATE;
  td_bdwgc_start();
  return GC_SUCCESS;
}
EXPORT void GC_allow_register_threads(void) {
  td_bdwgc_start();
}
EXPORT void GC_start_mark_threads(void) {}
/* Words on another stack are found where the thread stands: see the manual on signal stacks. */
EXPORT void GC_register_altstack(void *start, GC_word bytes, void *other, GC_word other_bytes) {
  (void)start, (void)bytes, (void)other, (void)other_bytes;
}

/* ---- The allocation lock: no collection begins while it is held ---- */

/* In a blocking region holding stops off would hold nothing off. */
EXPORT void GC_alloc_lock(void) {
  td_bdwgc_start();
  if (td_bdwgc_away) tide_collect_pause(td_bdwgc_heap);
  td_bdwgc_lock(TD_LOCK_ALLOCATION);
  td_bdwgc_has_allocation = true;
}
EXPORT void GC_alloc_unlock(void) {
  td_bdwgc_has_allocation = false;
  td_bdwgc_unlock(TD_LOCK_ALLOCATION);
  if (td_bdwgc_away) tide_collect_resume(td_bdwgc_heap);
}
EXPORT void *GC_call_with_alloc_lock(GC_fn_type call, void *data) {
  GC_alloc_lock();
  void *result = call(data);
  GC_alloc_unlock();
  return result;
}
