/* When is marking over?
 *
 * `active` counts the markers that hold work or may create some. The collecting thread starts a
 * run with active = 1 and itself inside. A marker
 *   joins   by raising active from a number that is not 0, before it takes anything from others;
 *   leaves  by lowering it, when it holds nothing: its window, register and queue are empty, and
 *           since they were, it has seen no root slice left and no block flagged.
 * Once active is 0 it stays 0 until the next run, because nobody may join: that is the end.
 *
 * Why nothing is left then. Work is held in private places of markers, in queues, in root slices
 * and in flagged blocks. Private places and own queues are empty when their marker leaves, and
 * only the marker itself fills them, after joining again. Root slices only get fewer. A flag is
 * set by an active marker, and that marker looks at all flags again before it leaves: if it does
 * not find its flag, another marker took it, which was active then and scans the block before it
 * leaves itself. So the last marker to leave leaves nothing behind: whatever any marker produced
 * was taken by some marker that was active at that time, and followed to the end before leaving.
 *
 * [term.leave] Each change of active is acquire-release, so that the last one to leave, and who
 * waits for 0, sees all marks that were made.
 * Models: tests/model/termination.cpp, and with the queues tests/model/marking.h. */
#ifndef TD_MARKER_BASE_TERMINATION_H
#define TD_MARKER_BASE_TERMINATION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef TD_TERM_ORDER_LEAVE
#define TD_TERM_ORDER_LEAVE memory_order_acq_rel
#endif
#ifndef TD_TERM_ORDER_JOIN
#define TD_TERM_ORDER_JOIN memory_order_acq_rel
#endif
#ifndef TD_TERM_ORDER_DONE
#define TD_TERM_ORDER_DONE memory_order_acquire
#endif

struct td_termination {
  _Atomic(uint32_t) active; /* every marker writes, see above */
};

/* The collecting thread, alone, with the run's description complete. */
static inline void td_term_start(struct td_termination *t) {
  /* release [term.start]: the run's description; pairs with td_term_join. */
  atomic_store_explicit(&t->active, 1u, memory_order_release);
}

/* false: the run is over (or none has begun). */
static inline bool td_term_join(struct td_termination *t) {
  /* relaxed: the exchange below decides. */
  uint32_t seen = atomic_load_explicit(&t->active, memory_order_relaxed);
  while (seen != 0) {
    /* acquire [term.start], and release [term.leave] kept alive through the chain of changes. */
    if (atomic_compare_exchange_strong_explicit(&t->active, &seen, seen + 1, TD_TERM_ORDER_JOIN,
                                                memory_order_relaxed))
      return true;
  }
  return false;
}

/* true: this was the last one, marking is over. */
static inline bool td_term_leave(struct td_termination *t) {
  /* release and acquire [term.leave]: all marks of all markers are visible to the last. */
  return atomic_fetch_sub_explicit(&t->active, 1u, TD_TERM_ORDER_LEAVE) == 1;
}

/* Called by an active marker: true: no other is, so that no other has anything, unless it has
 * joined just now; what it has then, it sees to itself. */
static inline bool td_term_alone(const struct td_termination *t) {
  /* relaxed: an old answer only spares a look, or costs one. */
  return atomic_load_explicit(&t->active, memory_order_relaxed) == 1;
}

static inline bool td_term_over(const struct td_termination *t) {
  /* acquire [term.leave]: pairs with td_term_leave. */
  return atomic_load_explicit(&t->active, TD_TERM_ORDER_DONE) == 0;
}

#endif
