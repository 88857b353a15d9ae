/* SPDX-License-Identifier: MIT */
/* When is a marking phase over?
 *
 * `active` counts the markers that hold work or may produce some. The collecting thread starts a
 * phase with active = 1, counting itself. A marker
 *   joins   by raising `active` from a number other than 0, before it takes work from others;
 *   leaves  by lowering it. It may leave when it holds no work: its window, its next object and its
 *           queue are empty, it has no open chunk, and since then it has seen no root slice, no
 *           region with a chunk and no owner, and none of the flags that it has set itself.
 * Once `active` is 0 the phase is over. It stays 0 until the next phase, because no marker may join
 * then.
 *
 * Why no work is left then. Work is in the private places of markers, in queues, in root slices, in
 * chunks that wait in regions, and in flagged pages.
 *   - Private places and queues are empty when their marker leaves. Only that marker fills them,
 *     after it has joined again.
 *   - Root slices only get fewer.
 *   - A flag is set by an active marker, which looks for its flags again before it leaves. If it
 *     does not find its flag, another marker has taken it. That marker was active then, and
 *     scans the page before it leaves itself.
 *   - So it is with chunks: see marker/region/region.h.
 * So whatever a marker produces is taken by a marker that is active at that time and that finishes
 * it before leaving. The last marker to leave leaves nothing behind.
 *
 * [term.leave] Each change of `active` both acquires and releases. So the last marker to leave, and
 * the thread that waits for 0, sees all marks of all markers.
 * Model, with queues, flags and regions: tests/model/marking.h. */
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
  _Atomic(uint32_t) active; /* every marker writes it, see above */
};

/* Starts a phase. The collecting thread, when the description of the phase is complete. */
static inline void td_term_start(struct td_termination *t) {
  /* release [term.start]: the description of the phase; pairs with td_term_join. */
  atomic_store_explicit(&t->active, 1u, memory_order_release);
}

/* Returns false if the phase is over, or none has begun. */
static inline bool td_term_join(struct td_termination *t) {
  /* relaxed: the exchange below decides. */
  uint32_t seen = atomic_load_explicit(&t->active, memory_order_relaxed);
  while (seen != 0) {
    /* acquire [term.start]; and release [term.leave]: continues the release sequence of those that
     * have left. */
    if (atomic_compare_exchange_strong_explicit(&t->active, &seen, seen + 1, TD_TERM_ORDER_JOIN,
                                                memory_order_relaxed))
      return true;
  }
  return false;
}

/* Returns true if this was the last active marker: the phase is over. */
static inline bool td_term_leave(struct td_termination *t) {
  /* release and acquire [term.leave]: all marks of all markers are visible to the last. */
  return atomic_fetch_sub_explicit(&t->active, 1u, TD_TERM_ORDER_LEAVE) == 1;
}

/* For an active marker. Returns true if no other is active, so that no other has any work. One that
 * joins at this moment may have some, but finishes it before it leaves. */
static inline bool td_term_alone(const struct td_termination *t) {
  /* relaxed: a stale answer costs a look at the queues or spares one. */
  return atomic_load_explicit(&t->active, memory_order_relaxed) == 1;
}

static inline bool td_term_over(const struct td_termination *t) {
  /* acquire [term.leave]: pairs with td_term_leave. */
  return atomic_load_explicit(&t->active, TD_TERM_ORDER_DONE) == 0;
}

#endif
