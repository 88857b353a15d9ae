/* Finding leaks: objects that nothing refers to any more and nobody has freed.
 *
 * While leaks are being found each object has a finalizer of ours, which tells of it and frees it.
 * That is why the program's own finalizers and disappearing links are refused meanwhile. */
#ifndef TD_BDWGC_DEBUG_LEAKS_H
#define TD_BDWGC_DEBUG_LEAKS_H

#include "bdwgc/state.h"

/* Whether leaks are being found. */
static inline bool td_leaks_on(void) {
  /* relaxed: set before the objects that matter are made. */
  return atomic_load_explicit(&td_bdwgc.slow, memory_order_relaxed) & TD_SLOW_ALWAYS;
}

/* By the variables GC_FIND_LEAK and GC_find_leak. When the heap is there. */
void td_leaks_start(void);
/* The program may have set GC_find_leak by name. */
void td_leaks_notice(void);
/* Returns a new object of the heap, or NULL for NULL; it is watched from now on if need be. */
void *td_leaks_watch(void *object);
/* Debugging objects that the program frees keep their memory until nothing refers to them, so that
 * writing to them is found: GC_FINDLEAK_DELAY_FREE. */
bool td_leaks_delay_free(void);
/* When all that a collection found has been told. */
void td_leaks_end_collection(void);

#endif
