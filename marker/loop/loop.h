/* SPDX-License-Identifier: MIT */
/* The marking loop, a template that is compiled once around each kind of queue. An engine defines
 * the parameters (marker/loop/state.h), includes this file, and gets
 *
 *   static void work(struct td_marker *marker, bool joined)
 *
 * which is a marker's part in a phase. README.md in this folder tells how the parts go together. */
#ifndef TD_MARKER_LOOP_LOOP_H
#define TD_MARKER_LOOP_LOOP_H

#include <assert.h>

#include "marker/base/idle.h"
#include "marker/loop/by_region.h"
#include "marker/loop/follow.h"
#include "marker/loop/poll.h"
#include "marker/loop/sharing.h"
#include "marker/loop/sources.h"
#include "marker/loop/test.h"

/* The modes that follow the newest child keep the state in registers. So they, too, work on a copy,
 * but its address never leaves the function: `flatten` inlines all that is not a slow path, and a
 * slow path gets copies of what it needs. An address that escapes costs a sixth of the time. */
static __attribute__((noinline, flatten)) void drain_all_queued(struct loop *state) {
  struct loop l = *state;
  drain_follow(&l);
  *state = l;
}

/* Scans objects that have one reference each, for as long as there are such. */
static __attribute__((noinline)) void follow_single(struct loop *l) {
  do {
    struct td_single single = {
        .window = l->window, .next = l->next, .last = l->last, .budget = l->poll - 1};
    td_single_run(l->v.space, &single);
    l->mode.single = false;
    l->objects += single.scanned;
    l->poll -= single.scanned;
    l->next = single.next;
    l->last = single.last;
    l->window = single.window;
    if (l->poll == 1) at_poll(l, FOLLOW);
  } while (l->mode.single);
}

/* Marks until nothing is left that belongs to this marker, in one mode after the other. */
TD_INLINE void drain(struct loop *l) {
  enum mode mode;
  bool single;
  do {
    if (l->sharing.spill) spill(l);
    mode = mode_of(l);
    single = l->mode.single;
    switch (mode) {
    case FOLLOW:
      if (single)
        follow_single(l);
      else
        drain_all_queued(l);
      break;
    case TEST:
      drain_test(l);
      break;
    case BY_REGION:
      drain_by_region(l);
      break;
    }
  } while (single || l->mode.single || l->sharing.spill || mode_of(l) != mode);
}

TD_INLINE void begin(struct loop *l, struct td_marker *marker, uint64_t *ring) {
  *l = (struct loop){
      .v = td_view_of(marker->set->space),
      .marker = marker,
      .queue = marker->queue,
      .o = *(struct Q(owner) *)marker->owner,
      .last = marker->set->space->base,
      .poll = TD_POLL_OBJECTS,
      .window.ring = ring,
      /* A helper that has found work wakes another one as soon as it has something to share. */
      .sharing = {.recruit_at = marker->id == 0 ? marker->set->recruit_first : 0,
                  .give_step = TD_POLL_OBJECTS,
                  .yield_at = marker->set->yields ? TD_BESIDE_TURN : UINT64_MAX},
  };
  if (marker->set->marking != TD_MARKING_CHOSEN) obey(l, marker->set->marking);
}

static void work(struct td_marker *marker, bool joined) {
  if (!joined && !td_idle(marker, false, promising)) return;
  uint64_t ring[TD_WINDOW];
  struct loop l;
  begin(&l, marker, ring);
  for (;;) {
    drain(&l);
    if (!find_work(&l)) {
      marker->stats.objects += l.objects + l.leaves;
      *(struct Q(owner) *)marker->owner = l.o;
      assert(l.window.count == 0 && l.next == 0 && td_tester_is_empty(marker->tester));
      if (!td_idle(marker, true, promising)) return;
      begin(&l, marker, ring); /* it may be a later phase that was joined */
    }
  }
}

#endif
