/* SPDX-License-Identifier: MIT */
/* Testing: references wait in batches for their mark bytes, and grey objects wait, by kind, until
 * there is a group of one kind. Neither loop has a branch that the graph decides: one scans the
 * slots of a group whose objects have equally many, the other tests a batch. Real heaps, whose
 * objects are of many kinds and half of whose slots lead to nothing new, are marked best so.
 *
 * A reference is kept as the number of its granule, in 32 bits. Heaps of more than 64 GiB are not
 * marked this way.
 *
 *            scan                    test
 *   group ---------> references ------------> grey objects, by kind ----> group
 *                    (two buffers)  |          |  ^
 *                                   |          v  |  what is too much: a *group item*, a chunk in
 *                                   leaves     queue the queue, where thieves find it
 *
 * No template: nothing here knows of queues. marker/loop/test.h connects it with them. */
#ifndef TD_MARKER_TEST_TESTER_H
#define TD_MARKER_TEST_TESTER_H

#include "marker/test/loops.h"

/* Returns NULL if there is no memory. */
struct td_tester *td_tester_make(struct td_marker *marker);
void td_tester_free(struct td_tester *tester);
static inline bool td_tester_is_empty(const struct td_tester *t) {
  uint32_t left = t->count + t->waiting + t->now->count + t->next->count;
  for (unsigned kind = 0; kind < TD_KINDS; kind++)
    left += t->grey[kind];
  return left == 0;
}

/* When marking goes on this way. The tester is empty, or has what roots led to. */
void td_tester_begin(struct td_tester *t);

/* Returns whether the heap's granules can be counted in 32 bits. */
static inline bool td_tester_reaches(const struct td_view *v) {
  return v->granules <= UINT32_MAX;
}

/* Tests the references that wait: marks the new objects, and those that are not leaves become grey.
 * Then the others wait. */
void td_tester_turn(struct td_tester *t);

/* Adds a reference. Returns whether there are enough for a turn, which must come then. */
static inline bool td_tester_add(struct td_tester *t, uintptr_t reference) {
  uint64_t granule = td_granule_of(t->v.base, reference);
  t->filling[t->count] = (uint32_t)granule;
  t->count += granule < t->v.granules;
  return __builtin_expect(t->count >= TD_TEST_BATCH, 0);
}

/* Scans objects of `now`, whose kind has a map, and asks for those of `next`. If there are enough
 * references for a turn before the end, some of `now` are left. */
void td_tester_scan(struct td_tester *t);

/* Follows the newest grey object of the kind, which has a map, its newest child, and so on: each
 * reference is tested where it is met. This is for a frontier of very few objects, and ends when it
 * is a group. */
void td_tester_follow(struct td_tester *t, uint32_t kind);

#endif
