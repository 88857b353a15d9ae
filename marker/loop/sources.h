/* SPDX-License-Identifier: MIT */
/* Where a marker looks for work when it has none: root slices, then flagged pages, then the queues
 * of other markers. */
#ifndef TD_MARKER_LOOP_SOURCES_H
#define TD_MARKER_LOOP_SOURCES_H

#include "heap/withheld/avoid.h"
#include "marker/base/deferred.h"
#include "marker/base/root_slices.h"
#include "marker/loop/by_region.h"
#include "marker/loop/follow.h"
#include "marker/loop/test.h"

/* ---- Roots ---- */

/* Where words of stacks may do what others may not, they are looked up one by one. */
static __attribute__((noinline)) void scan_stack(struct loop *l, const uintptr_t *words,
                                                 size_t count) {
  for (size_t i = count; i-- > 0;) {
    uintptr_t object = td_space_find_before(l->v.space, words[i], TD_FROM_STACK);
    if (object) visit(l, object);
  }
}

/* In mode TEST what roots lead to waits for its mark bytes at once, not in the queue. */
TD_INLINE void scan_words(struct loop *l, const struct td_root_slice *slice, bool conservative) {
  if (mode_of(l) == TEST) {
    td_tester_begin(l->marker->tester);
    td_scan_words(&l->v, slice->start, 0, slice->count, conservative, add_outside, l);
  } else {
    td_scan_words(&l->v, slice->start, 0, slice->count, conservative, visit, l);
  }
}

TD_INLINE void scan_roots(struct loop *l, const struct td_root_slice *slice) {
  const uintptr_t *words = slice->start;
  uint64_t since = td_plat_now_ns();
  switch (slice->kind) {
  case TD_SPAN_SLOTS:
    scan_words(l, slice, false);
    break;
  case TD_SPAN_INDIRECT:
    for (size_t i = slice->count; i-- > 0;)
      visit(l, *(const uintptr_t *)words[i]);
    break;
  case TD_SPAN_OBJECTS:
    scan_objects(l, words, slice->count);
    break;
  case TD_SPAN_CONSERVATIVE:
  case TD_SPAN_STACK:
    if (slice->kind == TD_SPAN_STACK && l->v.space->base_only)
      scan_stack(l, words, slice->count);
    else
      scan_words(l, slice, true);
    td_avoid_note(l->marker->set->space, words, slice->count);
    break;
  }
  const uint64_t now = td_plat_now_ns();
  l->marker->stats.roots_ns += now - since;
  td_event_at(&l->marker->events, since, TIDE_TIMELINE_ROOTS_BEGIN, 0, slice->count);
  td_event_at(&l->marker->events, now, TIDE_TIMELINE_ROOTS_END, 0, 0);
}

/* ---- Deferred objects ---- */

/* Takes the deferred objects among the next eight granules of the flagged page that have any.
 * Returns how many. */
TD_INLINE uint32_t take_deferred(struct loop *l, uintptr_t *objects) {
  uint64_t end = (l->walk.page + 1) * TD_PAGE_GRANULES;
  for (uint64_t g = l->walk.from; g < end; g += 8) {
    uint64_t word = td_mark_load_word(td_view_mark(&l->v, td_view_object(&l->v, g)));
    word &= TD_DEFERRED_WORD;
    if (!word) continue;
    l->walk.from = g + 8;
    uint32_t count = 0;
    for (; word; word &= word - 1) {
      objects[count] = td_view_object(&l->v, g + (uint64_t)__builtin_ctzll(word) / 8);
      td_mark_store(td_view_mark(&l->v, objects[count]), l->v.epoch);
      count++;
    }
    return count;
  }
  l->walk.page = 0;
  return 0;
}

/* Goes on to the next flagged page, from the one before: flags are looked for in the whole heap,
 * but once only. Returns false if there is none. */
TD_INLINE bool find_flagged(struct loop *l) {
  size_t page = td_deferred_find(l->marker, l->walk.before);
  if (!page) return false;
  if (!td_flag_take(l->v.space, page)) return true;
  l->walk = (struct page_walk){.page = page, .from = page * TD_PAGE_GRANULES, .before = page};
  return true;
}

/* Scans deferred objects of flagged pages, some of them at once: beside the program there is often
 * one in a page. Their children are marked before this is called again. Returns false if there was
 * none. */
static __attribute__((noinline)) bool walk_on(struct loop *l) {
  uintptr_t objects[TD_WALK_OBJECTS + 8];
  uint32_t count = 0;
  bool found = false;
  while (count < TD_WALK_OBJECTS && (l->walk.page || find_flagged(l))) {
    found = true;
    if (l->walk.page) count += take_deferred(l, objects + count);
  }
  scan_objects(l, objects, count);
  return found;
}

/* ---- Other markers' queues ---- */

/* Takes items from another marker's queue, in as many tries as there are others; the victim policy
 * says which. Returns the number of items. */
static __attribute__((noinline)) uint32_t steal(struct td_marker *marker, uint64_t *items) {
  struct td_markers *set = marker->set;
  if (td_term_alone(&set->term)) return 0;
  for (unsigned tries = 1; tries < set->limit; tries++) {
    uint32_t victim = td_policy_next(&marker->policy);
    int32_t count = Q(steal)(set->marker[victim]->queue, items, TD_STEAL_MOST);
    td_policy_tell(&marker->policy, victim, count > 0);
    if (count > 0) {
      marker->stats.steals++;
      marker->stats.stolen_items += (uint32_t)count;
      td_event(&marker->events, TIDE_TIMELINE_STEAL, victim, (uint32_t)count);
      TD_PROBE3(steal, marker->id, victim, (uint32_t)count);
      return (uint32_t)count;
    }
    marker->stats.failed_steals++;
  }
  return 0;
}

/* For td_idle. Returns true if another try would pay: there are root slices, flagged pages, or
 * items in another's queue. Otherwise it tells the others that this marker wants work. */
static bool promising(struct td_marker *marker) {
  struct td_markers *set = marker->set;
  if (td_root_slices_left(set) || td_regions_wait(set->regions) || td_deferred_find(marker, 0))
    return true;
  for (unsigned v = 0; v < set->limit; v++)
    if (v != marker->id && Q(size)(set->marker[v]->queue) > 0) return true;
  for (unsigned v = 0; v < set->limit; v++)
    if (v != marker->id) Q(want)(set->marker[v]->queue);
  return false;
}

/* Puts stolen items into the own queue, which is empty. If it is too small for them all, objects
 * are deferred and slices are scanned at once. */
TD_INLINE void accept(struct loop *l, const uint64_t *items, uint32_t count) {
  for (uint32_t i = count; i-- > 0;) {
    put_any(l, items[i]);
    /* A marker that makes groups has found out that testing pays. */
    if (items[i] & TD_ITEM_SLICE && td_item_is_group(items[i])) l->mode.sparse = TEST;
  }
}

/* ---- All of them ---- */

/* Returns false if there was nothing to find. */
TD_INLINE bool find_work(struct loop *l) {
  struct td_root_slice slice;
  if (td_root_slices_next(l->marker, &slice)) {
    scan_roots(l, &slice);
    return true;
  }
  if (unload_region(l)) return true;
  if (walk_on(l)) return true;
  uint64_t items[TD_STEAL_MOST];
  uint32_t count = steal(l->marker, items);
  accept(l, items, count);
  return count > 0;
}

#endif
