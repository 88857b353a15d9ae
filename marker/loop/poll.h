/* SPDX-License-Identifier: MIT */
/* The poll: a marker stops every TD_POLL_OBJECTS objects to choose its mode and to share work. */
#ifndef TD_MARKER_LOOP_POLL_H
#define TD_MARKER_LOOP_POLL_H

#include "marker/loop/sharing.h"
#include "marker/loop/single.h"
#include "marker/loop/state.h"
#include "marker/region/regions.h"

#define SCORE_MOST 8
#define SCATTER_MOST 16u
#define LEAVES_MANY (TD_POLL_OBJECTS / 8)

/* Returns whether the mode tests references before it queues objects. */
TD_INLINE bool is_testing(enum mode mode) {
  return mode == BATCHED || mode == NARROW;
}

/* Returns the mode in which marking goes on. */
TD_INLINE enum mode mode_of(const struct loop *l) {
  if (l->mode.scattered) return BY_REGION;
  return l->mode.full ? ADDRESS_ORDER : l->mode.sparse;
}

/* How many of the references since the last poll led to new objects? Less than three quarters speak
 * for testing, more than seven eighths against it. The score keeps short stretches from deciding.
 */
TD_INLINE void keep_score(struct loop *l) {
  struct mode_choice *m = &l->mode;
  uint64_t fresh = l->objects - m->objects_before;
  uint64_t looked = is_testing(m->sparse) ? m->tested : TD_POLL_OBJECTS;
  m->objects_before = l->objects;
  m->tested = 0;
  if (4 * fresh < 3 * looked)
    m->score += m->score < SCORE_MOST;
  else if (8 * fresh > 7 * looked)
    m->score -= m->score > -SCORE_MOST;
}

/* The more markers there are, the more marks of leaves come from other cores, whatever leads to
 * them. So they, too, wait in the batch. */
TD_INLINE enum mode untested_mode(const struct td_marker *marker) {
  if (!marker->leaves_early) return DEPTH_FIRST;
  return td_enough(marker->set) >= TD_LEAVES_MARKERS ? BATCHED : LEAVES_EARLY;
}

TD_INLINE void choose_mode(struct loop *l) {
  struct td_marker *marker = l->marker;
  if (marker->queued_leaves > LEAVES_MANY) marker->leaves_early = true;
  marker->queued_leaves = 0;
  keep_score(l);
  bool testing = is_testing(l->mode.sparse);
  if (!testing && l->mode.score == SCORE_MOST)
    l->mode.sparse = BATCHED;
  else if (!testing || l->mode.score == -SCORE_MOST)
    l->mode.sparse = untested_mode(marker);
}

/* A frontier that fills the window, or the queue, leads to many places at once. */
TD_INLINE bool is_scattered(const struct loop *l) {
  return l->mode.full || l->mode.sparse == BATCHED || l->window.count >= TD_WINDOW * 3 / 4;
}

TD_INLINE uint64_t objects_so_far(const struct loop *l) {
  return l->objects + l->leaves + l->marker->stats.objects;
}

TD_INLINE bool may_visit(const struct loop *l) {
  return objects_so_far(l) >= l->marker->visits_at && td_regions_pay(l->marker->set->regions);
}

/* Sixteen polls more with a scattered frontier than without decide. */
TD_INLINE void choose_regions(struct loop *l) {
  struct mode_choice *m = &l->mode;
  if (is_scattered(l))
    m->scatter += m->scatter < SCATTER_MOST;
  else
    m->scatter -= m->scatter > 0;
  if ((m->full || m->scatter == SCATTER_MOST) && may_visit(l)) m->scattered = true;
}

/* Returns true if `mode`, in which marking was going on, has to be left. */
TD_INLINE bool at_poll(struct loop *l, enum mode mode) {
  if (__builtin_expect(l->marker->judges, 0)) td_regions_judge(l->marker, objects_so_far(l));
  l->poll = TD_POLL_OBJECTS;
  l->sharing.effort += TD_POLL_OBJECTS;
  l->marker->stats.window_sum += l->window.count;
  l->marker->stats.window_samples++;
  choose_mode(l);
  choose_regions(l);
  share(l);
  if (mode_of(l) != mode || l->sharing.spill) return true;
  if (mode != DEPTH_FIRST) return false;
  l->mode.single = td_single_pays(l->v.space, l->next, l->last, l->window.count);
  return l->mode.single;
}

/* Counts an object, and polls when it is time. Returns true if `mode` has to be left. */
TD_INLINE bool has_to_leave(struct loop *l, enum mode mode) {
  return __builtin_expect(--l->poll == 0, 0) && __builtin_expect(at_poll(l, mode), 0);
}

#endif
