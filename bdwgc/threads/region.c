/* Regions in which a thread does without the heap. */
#include "bdwgc/threads/region.h"

#include "bdwgc/threads/start.h"

void td_region_leave_slow(void) {
  tide_blocking_leave(td_bdwgc_self);
  td_bdwgc_away = false;
}

void td_region_enter(void) {
  td_bdwgc_away = true;
  tide_blocking_enter(td_bdwgc_self);
}

EXPORT void *GC_do_blocking(GC_fn_type call, void *data) {
  td_bdwgc_start();
  if (td_bdwgc_away) return call(data);
  td_region_enter();
  void *result = call(data);
  (void)td_region_leave();
  return result;
}

EXPORT void *GC_call_with_gc_active(GC_fn_type call, void *data) {
  bool left = td_region_leave();
  void *result = call(data);
  td_region_return(left);
  return result;
}
