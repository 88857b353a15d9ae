/* Collecting or not. The collector reads GC_dont_gc, which programs write by name, too. */
#include "bdwgc/heap.h"
#include "bdwgc/settings.h"
#include "bdwgc/threads/start.h"
#include "tide/foreign.h"

static int disable_automatic;

EXPORT void GC_disable(void) {
  td_bdwgc_start();
  /* seq_cst: see tide_collect_await. A collection that runs has ended when the pause begins. */
  __atomic_add_fetch(&GC_dont_gc, 1, __ATOMIC_SEQ_CST);
  tide_collect_await(td_bdwgc_heap);
}
EXPORT void GC_enable(void) {
  td_bdwgc_start();
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
  return tide_heap_grow(td_bdwgc_heap, bytes);
}
