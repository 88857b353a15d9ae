/* SPDX-License-Identifier: MIT */
/* The poll: a marker stops every TD_POLL_OBJECTS objects to choose its mode and to share work. */
#ifndef TD_MARKER_LOOP_POLL_H
#define TD_MARKER_LOOP_POLL_H

#include "marker/loop/sharing.h"
#include "marker/loop/single.h"
#include "marker/loop/state.h"
#include "marker/region/regions.h"
#include "marker/test/tester.h"

#define SCORE_MOST 8
#define LEAVES_MANY (TD_POLL_OBJECTS / 8)

/* Returns the mode in which marking goes on. */
TD_INLINE enum mode mode_of(const struct loop *l) {
  return l->mode.scattered ? BY_REGION : l->mode.sparse;
}

/* Following pays while nearly every reference leads to a new object, and the objects are alike:
 * then the processor predicts what comes next. References to marked objects, objects of changing
 * layouts, and leaves that come out of the queue speak for testing. What a young collection marks
 * is in the cache still, and following it takes the fewest instructions. */
TD_INLINE int following_says(struct loop *l) {
  if (td_is_young(l->marker->set)) return -1;
  const uint64_t map = td_view_block(&l->v, l->last)->map,
                 fresh = l->objects - l->mode.objects_before;
  const bool varied = map != l->mode.map_before || l->marker->queued_leaves > LEAVES_MANY;
  l->mode.map_before = map;
  if (varied || 4 * fresh < 3 * TD_POLL_OBJECTS) return 1;
  return 8 * fresh > 7 * TD_POLL_OBJECTS ? -1 : 0;
}

/* Testing pays while there are groups, or nearly. */
TD_INLINE int testing_says(const struct loop *l) {
  return l->grey < TD_TEST_FEW && owned(&l->o) < 2 ? -1 : 1;
}

/* The score keeps short stretches from deciding. */
TD_INLINE void choose_mode(struct loop *l) {
  struct mode_choice *m = &l->mode;
  int32_t score = m->score + (m->sparse == TEST ? testing_says(l) : following_says(l));
  m->objects_before = l->objects;
  l->marker->queued_leaves = 0;
  m->score = score > SCORE_MOST ? SCORE_MOST : score < -SCORE_MOST ? -SCORE_MOST : score;
  if (m->score == SCORE_MOST && td_tester_reaches(&l->v)) m->sparse = TEST;
  if (m->score == -SCORE_MOST) m->sparse = FOLLOW;
}

/* What tests have asked for. */
TD_INLINE void obey(struct loop *l, enum td_marking way) {
  l->mode.full = false;
  l->mode.sparse = way >= TD_MARKING_TEST && td_tester_reaches(&l->v) ? TEST : FOLLOW;
  l->mode.scattered = way == TD_MARKING_PLACE && td_regions_are_several(l->marker->set->regions);
}

/* A full queue says that the frontier is dense. Groups hold a hundred times as much; when they fill
 * it as well, the frontier is a large part of the heap, and is visited by regions.
 *
 * So is what a long array leads to, in a heap that outgrows the last-level cache:
 * td_regions.wide_slots. */
TD_INLINE void choose_regions(struct loop *l) {
  struct mode_choice *m = &l->mode;
  const bool testable = td_tester_reaches(&l->v);
  const bool dense = m->wide || (m->full && (m->groups >= TD_GROUPS_MANY || !testable));
  if (m->full && testable && m->sparse == FOLLOW) {
    m->score = SCORE_MOST;
    m->sparse = TEST;
  }
  m->full = m->wide = false;
  if (dense && td_regions_are_several(l->marker->set->regions)) m->scattered = true;
}

/* Returns true if `mode`, in which marking was going on, has to be left. */
TD_INLINE bool at_poll(struct loop *l, enum mode mode) {
  l->poll = TD_POLL_OBJECTS;
  l->sharing.effort += TD_POLL_OBJECTS;
  l->marker->stats.window_sum += l->window.count;
  l->marker->stats.window_samples++;
  l->marker->stats.overflows += l->mode.full;
  if (l->marker->set->marking != TD_MARKING_CHOSEN) {
    obey(l, l->marker->set->marking);
  } else {
    choose_mode(l);
    choose_regions(l);
  }
  share(l);
  if (mode_of(l) != mode || l->sharing.spill) return true;
  if (mode != FOLLOW) return false;
  l->mode.single = td_single_pays(l->v.space, l->next, l->last, l->window.count);
  return l->mode.single;
}

/* Counts an object, and polls when it is time. Returns true if `mode` has to be left. */
TD_INLINE bool has_to_leave(struct loop *l, enum mode mode) {
  return __builtin_expect(--l->poll == 0, 0) && __builtin_expect(at_poll(l, mode), 0);
}

#endif
