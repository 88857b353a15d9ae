/* SPDX-License-Identifier: MIT */
/* Does the program want no collection? It may say so without the world's lock.
 *
 * It raises a count: one of the heap's own (tide_collect_pause), or a variable of the program
 * (tide_collect_pause_by). Both count alike.
 *
 * [asked] A thread that collects says that it does, and then reads the counts. A thread that wants
 * no collection raises a count, and then reads whether a collection runs. All four are sequentially
 * consistent, so one of them sees what the other has written: either the collection does not take
 * place, or the program waits for its end by the lock. A thread that reads that no collection runs
 * sees all that a collection before has done. */
#ifndef TD_GC_CYCLE_ASKED_H
#define TD_GC_CYCLE_ASKED_H

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#ifndef TD_ASKED_ORDER_BEGIN /* a model can weaken each */
#define TD_ASKED_ORDER_BEGIN memory_order_seq_cst
#define TD_ASKED_ORDER_PAUSED memory_order_seq_cst
#define TD_ASKED_ORDER_RAISE memory_order_seq_cst
#define TD_ASKED_ORDER_LOOK memory_order_seq_cst
#define TD_ASKED_ORDER_END memory_order_release
#endif

struct td_asked {
  _Atomic(bool) collecting; /* a collection runs, or may begin. Written under the world's lock */
  _Atomic(int) paused;      /* by any thread */
  const _Atomic(int) *by;   /* NULL, or the program's. Under the world's lock */
};

/* Under the world's lock. Returns false if the program wants no collection. */
static inline bool td_asked_begin(struct td_asked *asked) {
  atomic_store_explicit(&asked->collecting, true, TD_ASKED_ORDER_BEGIN);
  return atomic_load_explicit(&asked->paused, TD_ASKED_ORDER_PAUSED) == 0 &&
         (!asked->by || atomic_load_explicit(asked->by, TD_ASKED_ORDER_PAUSED) == 0);
}
/* Any thread: has the program paused collecting, not by its variable? A hint. */
static inline bool td_asked_is_paused(struct td_asked *asked) {
  /* relaxed: td_asked_begin looks again. */
  return atomic_load_explicit(&asked->paused, memory_order_relaxed) != 0;
}

/* Under the world's lock: the collection has ended, or does not take place. */
static inline void td_asked_end(struct td_asked *asked) {
  /* release [asked]: pairs with td_asked_runs, which is stronger than acquire. */
  atomic_store_explicit(&asked->collecting, false, TD_ASKED_ORDER_END);
}

/* By any thread, after it has raised a count by a sequentially consistent operation. */
static inline bool td_asked_runs(const struct td_asked *asked) {
  /* acquire [asked]: pairs with td_asked_end; sequentially consistent for td_asked_begin. */
  return atomic_load_explicit(&asked->collecting, TD_ASKED_ORDER_LOOK);
}

/* Adds 1 or -1 to the heap's own count. Returns false if it would leave [0, INT_MAX]. */
static inline bool td_asked_count(struct td_asked *asked, int step) {
  /* relaxed, both: revalidated by the compare-and-swap. */
  int count = atomic_load_explicit(&asked->paused, memory_order_relaxed);
  do {
    if (count == (step < 0 ? 0 : INT_MAX)) return false;
  } while (!atomic_compare_exchange_weak_explicit(&asked->paused, &count, count + step,
                                                  TD_ASKED_ORDER_RAISE, memory_order_relaxed));
  return true;
}

#endif
