/* SPDX-License-Identifier: MIT */
/* Mode TEST: objects are scanned in groups of one kind, references are tested in batches. What
 * grows too many goes into the queue as group items, which thieves take as a whole. */
#ifndef TD_MARKER_LOOP_TEST_H
#define TD_MARKER_LOOP_TEST_H

#include "marker/loop/by_region.h"
#include "marker/loop/poll.h"
#include "marker/test/tester.h"

/* How many grey objects there are, and of which kind most. */
struct grey {
  uint32_t sum, kind, most;
};

/* Arrays and objects of rare kinds count sixteenfold: they lead to many others. The count and the
 * kind are compared as one number, so that no branch depends on the graph. */
TD_INLINE struct grey look_at_grey(const struct td_tester *t) {
  uint32_t sum = 0, rare = 0, most = 0;
#pragma GCC unroll 16
  for (uint32_t kind = TD_KIND_SLOTS_1; kind <= TD_KIND_WORDS; kind++) {
    const uint32_t count = t->grey[kind], weighed = count * 32 + kind;
    sum += count;
    most = weighed > most ? weighed : most;
  }
#pragma GCC unroll 16
  for (uint32_t kind = TD_KIND_WORDS + 1; kind < TD_KINDS; kind++)
    rare += t->grey[kind];
  if (rare > 0) {
    for (uint32_t kind = TD_KIND_WORDS + 1; kind < TD_KINDS; kind++) {
      const uint32_t weighed = t->grey[kind] * (32 * 16) + kind;
      most = weighed > most ? weighed : most;
    }
  }
  const uint32_t kind = most % 32;
  return (struct grey){.sum = sum + rare, .kind = kind, .most = t->grey[kind]};
}

/* Puts grey objects of one kind into the queue, the oldest first, until `left` are left. */
static void put_groups(struct loop *l, uint32_t kind, uint32_t left) {
  struct td_tester *t = l->marker->tester;
  uint32_t *stack = t->stack[kind], at = 0;
  while (t->grey[kind] - at > left) {
    uint32_t count = t->grey[kind] - at - left;
    if (count > TD_GROUP_ITEM_MOST) count = TD_GROUP_ITEM_MOST;
    put_group(l, kind, stack + at, count);
    at += count;
  }
  t->grey[kind] -= at;
  memmove(stack, stack + at, t->grey[kind] * sizeof *stack);
}

/* What is too much of a kind goes into the queue. */
static void spill_groups(struct loop *l) {
  for (uint32_t kind = TD_KIND_SLOTS_1; kind < TD_KINDS; kind++)
    if (l->marker->tester->grey[kind] > TD_TEST_KEPT) put_groups(l, kind, TD_TEST_KEPT / 2);
}

/* Tests what waits. This is where grey objects become many: so none comes without. */
static __attribute__((noinline)) void turn(struct loop *l) {
  struct td_tester *t = l->marker->tester;
  uint32_t over = 0;
  td_tester_turn(t);
#pragma GCC unroll 32
  for (uint32_t kind = TD_KIND_SLOTS_1; kind < TD_KINDS; kind++)
    over |= TD_TEST_KEPT - t->grey[kind];
  if (__builtin_expect(over >> 31, 0)) spill_groups(l);
}

TD_INLINE void add_reference(void *context, uintptr_t word) {
  struct loop *l = context;
  if (td_tester_add(l->marker->tester, word)) turn(l);
}

/* Scans the slots of an array, or of a part of one. */
static __attribute__((noinline)) void test_array(struct loop *l, struct td_array part) {
  struct td_tester *t = l->marker->tester;
  while (part.from < part.to) {
    const uintptr_t *slots = part.slots + part.from;
    const size_t left = part.to - part.from, count = left < TD_TEST_STEP ? left : TD_TEST_STEP;
    if (part.conservative)
      td_tester_add_words(t, slots, count);
    else
      t->loops->add_slots(t, slots, count);
    part.from += count;
    if (t->count >= TD_TEST_BATCH) turn(l);
  }
}

/* A reference that may lead into an object, though none is conservative: from a root or the queue.
 */
TD_INLINE void add_outside(void *context, uintptr_t word) {
  struct loop *l = context;
  l->marker->tester->count_inside = true;
  add_reference(l, word);
}

static __attribute__((noinline)) void add_item(struct loop *l, uint64_t item) {
  struct td_tester *t = l->marker->tester;
  if (item & TD_ITEM_SLICE) {
    if (td_item_is_group(item)) {
      take_group_item(l, item);
    } else {
      test_array(l, cut_slice(l, item));
      note_slice(l);
    }
  } else if (item & TD_ITEM_GREY) {
    td_tester_add_grey(t, (uint32_t)td_view_granule(&l->v, item));
  } else {
    add_outside(l, item);
  }
}

/* Takes items from the queue until there is a group, or none is left. */
static __attribute__((noinline)) void refill_groups(struct loop *l, uint32_t sum) {
  struct td_tester *t = l->marker->tester;
  uint64_t item;
  while (sum < TD_TEST_GROUP && (item = Q(get)(l->queue, &l->o)) != 0) {
    if (!(item & (TD_ITEM_SLICE | TD_ITEM_GREY)) && t->count + t->waiting >= TD_TEST_BATCH) {
      /* A reference that is not tested is no grey object: so the loop goes on with these. */
      add_item(l, item);
      return;
    }
    add_item(l, item);
    sum = look_at_grey(t).sum;
  }
  if (sum < TD_TEST_GROUP) l->mode.groups = 0; /* the queue is empty */
}

/* The newest objects of a kind, as many as make a group, come next. */
TD_INLINE void choose_group(struct td_tester *t, uint32_t kind) {
  const uint32_t count = t->grey[kind] < TD_TEST_GROUP ? t->grey[kind] : TD_TEST_GROUP;
  const uint32_t *from = &t->stack[kind][t->grey[kind] -= count];
  t->next->kind = kind;
  t->next->size = t->next->count = count;
  memcpy(t->next->at, from, sizeof t->next->at); /* a known length is short to copy */
}

/* Scans an array, or an object of a rare kind. */
static __attribute__((noinline)) void scan_one_long(struct loop *l, uint32_t kind) {
  struct td_tester *t = l->marker->tester;
  uintptr_t object = td_view_object(&l->v, t->stack[kind][--t->grey[kind]]);
  t->scanned++;
  if (td_kind_is_array((uint8_t)kind))
    test_array(l, cut_array(l, object));
  else
    scan_rest(l, object, (uint8_t)kind, add_reference);
}

/* A marker asks for work and the queue has none: about a half of the objects of one kind goes
 * there, in two items, because the owner keeps one of them. */
static void share_groups(struct loop *l) {
  struct td_tester *t = l->marker->tester;
  const struct grey g = look_at_grey(t);
  l->sharing.spill = false;
  const uint32_t part = (g.most + 3) / 4;
  if (g.most >= 2) {
    put_groups(l, g.kind, g.most - part);
    put_groups(l, g.kind, g.most - 2 * part);
  }
  grant(l);
}

/* Adds up what the tester has done since the last time. Returns how many objects it has scanned. */
static uint64_t count_tested(struct loop *l) {
  struct td_tester *t = l->marker->tester;
  const uint64_t scanned = t->scanned;
  l->objects += t->objects;
  l->marker->stats.test_objects += t->objects;
  l->marker->stats.test_references += t->tested;
  t->objects = t->tested = t->scanned = 0;
  return scanned;
}

/* Returns true if the mode has to be left. */
static __attribute__((noinline)) bool test_poll(struct loop *l) {
  l->sharing.effort += count_tested(l) - TD_POLL_OBJECTS;
  bool over = at_poll(l, TEST);
  if (!l->sharing.spill) return over;
  share_groups(l);
  return mode_of(l) != TEST;
}

/* What was chosen and not scanned goes back, and all grey objects go into the queue. */
static void leave_test(struct loop *l) {
  struct td_tester *t = l->marker->tester;
  for (unsigned i = 0; i < 2; i++) {
    struct td_grey_group *group = &t->groups[i];
    for (uint32_t k = 0; k < group->count; k++)
      td_tester_add_grey(t, group->at[k]);
    group->count = 0;
  }
  while (t->count + t->waiting > 0)
    turn(l);
  for (uint32_t kind = TD_KIND_SLOTS_1; kind < TD_KINDS; kind++)
    put_groups(l, kind, 0);
  count_tested(l);
  l->grey = 0;
}

/* Scans the group `now`. */
TD_INLINE void scan_group(struct loop *l, struct td_tester *t) {
  for (td_tester_scan(t); t->now->count > 0; td_tester_scan(t))
    turn(l);
}

/* One turn. Returns false if nothing is left. */
TD_INLINE bool test_turn(struct loop *l, struct td_tester *t) {
  struct grey g = look_at_grey(t);
  if (g.sum < TD_TEST_GROUP) {
    refill_groups(l, g.sum);
    g = look_at_grey(t);
  }
  l->grey = g.sum;
  t->next->size = t->next->count = 0;
  if (g.sum + t->now->count < TD_TEST_FEW) {
    if (t->now->count) scan_group(l, t);
    if (t->count + t->waiting > 0)
      turn(l);
    else if (g.sum == 0)
      return false;
    else if (td_kind_has_map(g.kind))
      td_tester_follow(t, g.kind);
    else
      scan_one_long(l, g.kind);
    l->grey = look_at_grey(t).sum;
    return true;
  }
  if (g.sum > 0 && !td_kind_has_map(g.kind)) {
    scan_one_long(l, g.kind);
    return true;
  }
  if (g.sum > 0) choose_group(t, g.kind);
  scan_group(l, t);
  if (t->count >= TD_TEST_BATCH || g.sum < TD_TEST_GROUP) turn(l);
  struct td_grey_group *scanned = t->now;
  t->now = t->next;
  t->next = scanned;
  return true;
}

/* Other modes leave references in the queue that were not tested. They are tested first, so that
 * there is room for groups. */
static __attribute__((noinline)) void test_queued(struct loop *l) {
  uint64_t items[TD_TEST_FIRST];
  uint32_t count = 0;
  while (l->window.count > 0)
    add_item(l, td_window_take(&l->window));
  while (count < TD_TEST_FIRST && (items[count] = Q(get)(l->queue, &l->o)) != 0)
    count++;
  while (count > 0) {
    const uint64_t item = items[--count];
    add_item(l, item);
    if (item & (TD_ITEM_SLICE | TD_ITEM_GREY)) spill_groups(l); /* the others wait for a turn */
  }
}

/* Marks until nothing is left, or the mode has to be left. */
static __attribute__((noinline)) void drain_test(struct loop *l) {
  struct td_tester *t = l->marker->tester;
  const uint64_t since = td_plat_now_ns();
  td_event_at(&l->marker->events, since, TIDE_TIMELINE_TEST_BEGIN, 0, 0);
  td_tester_begin(t);
  if (l->next) add_item(l, l->next);
  l->next = 0;
  test_queued(l);
  while (test_turn(l, t))
    if (t->scanned >= TD_POLL_OBJECTS && test_poll(l)) break;
  leave_test(l);
  const uint64_t now = td_plat_now_ns();
  l->marker->stats.test_ns += now - since;
  td_event_at(&l->marker->events, now, TIDE_TIMELINE_TEST_END, 0, l->marker->stats.test_objects);
}

#endif
