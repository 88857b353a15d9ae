/* Does the program want no collection? How it says so without the world's lock.
 *
 * [asked] The collecting thread says that it collects, and then reads the program's variable. A
 * thread that wants no collection raises the variable, and then reads whether one goes on. All four
 * accesses are sequentially consistent, so one of the two sees what the other has written: either
 * the collection does not take place, or the program waits for its end by the lock. A thread that
 * reads that no collection goes on sees all that the ones before have done. */
#ifndef TD_GC_CYCLE_ASKED_H
#define TD_GC_CYCLE_ASKED_H

#include <stdatomic.h>
#include <stdbool.h>

#ifndef TD_ASKED_ORDER_BEGIN /* a model can weaken each */
#define TD_ASKED_ORDER_BEGIN memory_order_seq_cst
#define TD_ASKED_ORDER_PAUSED memory_order_seq_cst
#define TD_ASKED_ORDER_LOOK memory_order_seq_cst
#define TD_ASKED_ORDER_END memory_order_release
#endif

/* Under the world's lock, before the variable is read. */
static inline void td_asked_begin(_Atomic(bool) *collecting) {
  atomic_store_explicit(collecting, true, TD_ASKED_ORDER_BEGIN);
}
static inline bool td_asked_is_paused(const _Atomic(int) *variable) {
  return atomic_load_explicit(variable, TD_ASKED_ORDER_PAUSED) != 0;
}
/* Under the world's lock: the collection has ended, or does not take place. */
static inline void td_asked_end(_Atomic(bool) *collecting) {
  /* release [asked]: pairs with td_asked_runs, which is stronger than acquire. */
  atomic_store_explicit(collecting, false, TD_ASKED_ORDER_END);
}

/* By any thread, after it has raised the variable by a sequentially consistent operation. */
static inline bool td_asked_runs(const _Atomic(bool) *collecting) {
  /* acquire [asked]: pairs with td_asked_end; sequentially consistent for td_asked_begin. */
  return atomic_load_explicit(collecting, TD_ASKED_ORDER_LOOK);
}

#endif
