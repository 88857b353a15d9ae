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

#include "heap/view.h"
#include "marker/base/tuning.h"
#include "marker/region/region.h"

struct td_marker;

/* What a group of TD_TEST_GROUP objects refers to: they have at most eight slots each. Of longer
 * ones, a part of a group is scanned. */
#define TD_TEST_STEP (TD_TEST_GROUP * 8u)
/* A buffer is tested when it holds TD_TEST_BATCH references, and has room for what one more step
 * adds, and for cells into which as many words point. Loops write behind the last one, too. */
#define TD_TEST_ROOM (2u * (TD_TEST_BATCH + TD_TEST_STEP) + 16u)
/* Grey objects of one kind. After each batch, those beyond TD_TEST_KEPT go into the queue. Until
 * then a batch may have added TD_TEST_ROOM, and what else comes is less than TD_TEST_KEPT: the
 * objects of two groups, of a group item, or those that td_tester_follow sets aside. */
#define TD_TEST_STACK (2u * TD_TEST_KEPT + TD_TEST_ROOM)

/* Grey objects of one kind, which are scanned together. */
struct td_grey_group {
  uint32_t kind, size;
  uint32_t count;             /* those that are left to be scanned: the first ones */
  uint32_t at[TD_TEST_GROUP]; /* those behind `size` are old ones: they may be prefetched */
};

/* A group that waits in a queue, in a chunk. The item that leads to it publishes it. */
#define TD_GROUP_ITEM_MOST 125u
struct td_waiting_group {
  TD_CHUNK_WORD next; /* the chunk's */
  uint32_t kind, count;
  uint32_t at[TD_GROUP_ITEM_MOST];
};
_Static_assert(sizeof(struct td_waiting_group) == sizeof(struct td_chunk), "it lies in a chunk");

/* A marker's own. */
struct td_tester {
  struct td_marker *marker;
  struct td_view v;
  uint32_t *filling; /* the references that are being collected, `count` of them */
  uint32_t *other;   /* those that wait for their mark bytes, `waiting` of them */
  uint32_t count, waiting;
  /* Some of them may lead into objects, as words of stacks do: */
  bool count_inside, waiting_inside;
  uint64_t objects; /* marked, */
  uint64_t tested;  /* references tested, */
  uint64_t scanned; /* and objects scanned since the loop has asked */
  struct td_grey_group *now, *next;
  uint32_t grey[TD_KINDS];   /* how many grey objects of each kind wait, */
  uint32_t *stack[TD_KINDS]; /* here */
  struct td_grey_group groups[2];
  _Alignas(TD_CACHE_LINE) uint32_t memory[]; /* of the buffers, then of the stacks */
};

/* Returns NULL if there is no memory. */
struct td_tester *td_tester_make(struct td_marker *marker);
void td_tester_free(struct td_tester *tester);
static inline bool td_tester_is_empty(const struct td_tester *t) {
  uint32_t left = t->count + t->waiting + t->now->count + t->next->count;
  for (unsigned kind = 0; kind < TD_KINDS; kind++)
    left += t->grey[kind];
  return left == 0;
}

/* When marking goes on this way. The tester is empty. */
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

/* Adds an object that is marked and counted. */
static inline void td_tester_add_grey(struct td_tester *t, uint32_t granule) {
  uint32_t kind = t->v.space->blocks[granule >> TD_BLOCK_GRANULES_LOG2].kind;
  t->stack[kind][t->grey[kind]++] = granule;
  t->grey[TD_KIND_LEAF] = 0;
}

/* Adds what at most TD_TEST_STEP slots of an array refer to, or words that may be pointers. A turn
 * must come if there are enough references then. */
void td_tester_add_slots(struct td_tester *t, const uintptr_t *slots, size_t count);
void td_tester_add_words(struct td_tester *t, const uintptr_t *words, size_t count);

/* Scans objects of `now`, whose kind has a map, and asks for those of `next`. If there are enough
 * references for a turn before the end, some of `now` are left. */
void td_tester_scan(struct td_tester *t);

/* Follows the newest grey object of the kind, which has a map, its newest child, and so on: each
 * reference is tested where it is met. This is for a frontier of very few objects, and ends when it
 * is a group. */
void td_tester_follow(struct td_tester *t, uint32_t kind);

#endif
