/* SPDX-License-Identifier: MIT */
/* Sharing work with markers that have none. */
#ifndef TD_MARKER_LOOP_SHARING_H
#define TD_MARKER_LOOP_SHARING_H

#include <sched.h>

#include "marker/base/idle.h"
#include "marker/loop/object.h"
#include "platform/probes.h"

#define GIVE_STEP_MOST 4096u

/* Lets thieves have a part of the queue at once. */
TD_INLINE void grant(struct loop *l) {
  if (owned(&l->o) < 2) return;
  Q(grant)(l->queue, &l->o);
  l->marker->stats.grants++;
  td_event(&l->marker->events, TIDE_TIMELINE_GRANT, 0, 0);
  TD_PROBE1(grant, l->marker->id);
}

/* Gives work to thieves that ask for it. That costs both sides some hundred nanoseconds. If they
 * ask again as soon as the next time has come, they got little; then the time after it comes later.
 */
TD_INLINE void give(struct loop *l) {
  struct sharing *s = &l->sharing;
  if (s->effort - s->give_at > TD_POLL_OBJECTS)
    s->give_step = TD_POLL_OBJECTS;
  else if (s->give_step < GIVE_STEP_MOST)
    s->give_step *= 2;
  s->give_at = s->effort + s->give_step;
  s->spill = owned(&l->o) < 2; /* thieves reach the queue only */
  grant(l);
}

/* Gives work to a marker that asks for some, or wakes one that sleeps while there is plenty. Sees
 * whether the queue has become deep. Beside the program, yields in time. */
TD_INLINE void share(struct loop *l) {
  struct sharing *s = &l->sharing;
  if (s->effort >= s->give_at && (owned(&l->o) >= 2 || l->window.count + l->grey >= 2) &&
      Q(wanted)(l->queue))
    give(l);
  l->mode.deep = Q(size)(l->queue) > TD_DEEP_ITEMS;
  if (s->effort >= s->recruit_at && owned(&l->o) + l->window.count + l->grey >= TD_RECRUIT_ITEMS)
    s->recruit_at = td_recruit_more(l->marker, s->effort);
  if (s->effort >= s->yield_at) {
    s->yield_at = s->effort + TD_BESIDE_TURN;
    sched_yield();
  }
}

/* A slice that came out of the queue has been scanned. */
TD_INLINE void note_slice(struct loop *l) {
  l->sharing.effort += TD_SLICE_EFFORT;
  share(l);
}

TD_INLINE void scan_queued_slice(struct loop *l, uint64_t slice, td_visit visit_one) {
  scan_slice(l, slice, visit_one);
  note_slice(l);
}

/* Moves the window into the queue. */
TD_INLINE void spill(struct loop *l) {
  l->sharing.spill = false;
  while (l->window.count > 0)
    put(l, td_window_take(&l->window));
  grant(l);
}

#endif
