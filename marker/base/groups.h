/* SPDX-License-Identifier: MIT */
/* Joining and leaving a phase among many markers.
 *
 * When work runs out, all markers leave within microseconds, and the line of one counter would pass
 * through all cores, one after the other. So markers count themselves in marker groups, and
 * `active` (marker/base/termination.h) counts groups instead of markers.
 *
 * A group has a share in `active` while a marker is in it. A marker that finds the group empty gets
 * a share before it enters. Of two that do so at once, the second finds the group entered and gives
 * its own share back, which is never the last, because the group keeps the first one. A marker that
 * leaves the group empty gives the share back after that. So `active` is 0 only if all groups are
 * empty, and no marker enters an empty group when it is 0. The scalable counters of Ellen, Lev,
 * Luchangco and Moir (PODC 2007) are trees of this kind.
 *
 * [term.group] What a marker of the group did before it left, and what it saw when it joined, is
 * seen by markers that change the count later. The last of them passes it on by [term.leave].
 * Model: tests/model/termination.cpp, tests/model/regions.c. */
#ifndef TD_MARKER_BASE_GROUPS_H
#define TD_MARKER_BASE_GROUPS_H

#include "marker/base/termination.h"
#include "marker/queue/contract.h"

#ifndef TD_GROUP_ORDER_ENTER
#define TD_GROUP_ORDER_ENTER memory_order_acq_rel
#endif
#ifndef TD_GROUP_ORDER_LEAVE
#define TD_GROUP_ORDER_LEAVE memory_order_acq_rel
#endif

struct td_group {
  _Alignas(TD_CACHE_LINE) _Atomic(uint32_t) active; /* the markers of the group write it */
};

/* The caller has a share in `active` for the group. */
static inline void td_group_enter(struct td_termination *t, struct td_group *group) {
  /* acquire [term.group] and release [term.group] */
  uint32_t before = atomic_fetch_add_explicit(&group->active, 1u, TD_GROUP_ORDER_ENTER);
  if (before != 0 && TD_STEP(group, give_back)) td_term_leave(t);
}

/* Starts a phase, as td_term_start does, in the collecting thread's group. */
static inline void td_group_start(struct td_termination *t, struct td_group *group) {
  td_term_start(t);
  td_group_enter(t, group);
}

/* Returns false if the phase is over, or none has begun. */
static inline bool td_group_join(struct td_termination *t, struct td_group *group) {
  /* relaxed: the exchange below decides. */
  uint32_t seen = atomic_load_explicit(&group->active, memory_order_relaxed);
  while (seen != 0) {
    /* acquire [term.group] and release [term.group] */
    if (atomic_compare_exchange_strong_explicit(&group->active, &seen, seen + 1,
                                                TD_GROUP_ORDER_ENTER, memory_order_relaxed))
      return true;
  }
  if (TD_STEP(group, share_first) && !td_term_join(t)) return false;
  td_group_enter(t, group);
  return true;
}

/* Returns true if this was the last active marker: the phase is over. */
static inline bool td_group_leave(struct td_termination *t, struct td_group *group) {
  /* acquire [term.group] and release [term.group] */
  if (atomic_fetch_sub_explicit(&group->active, 1u, TD_GROUP_ORDER_LEAVE) != 1) return false;
  return td_term_leave(t);
}

/* As td_term_alone. */
static inline bool td_group_alone(const struct td_termination *t, const struct td_group *group) {
  /* relaxed: as there. */
  return td_term_alone(t) && atomic_load_explicit(&group->active, memory_order_relaxed) == 1;
}

#endif
