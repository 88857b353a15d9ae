/* SPDX-License-Identifier: MIT */
/* What a marker has for testing, and the loops that testing spends its time in. There is a set of
 * them in C and one for AVX-512; both do the same, and which one is used is chosen when testing
 * begins. */
#ifndef TD_MARKER_TEST_LOOPS_H
#define TD_MARKER_TEST_LOOPS_H

#include "heap/view.h"
#include "marker/base/tuning.h"
#include "marker/region/region.h"
#include "marker/scan/scan.h"

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
#define TD_TEST_STACK (2u * TD_TEST_KEPT + TD_TEST_ROOM + 16u)

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
  const struct td_test_loops *loops;
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
  uint32_t *memory; /* of the buffers, then of the stacks */
};

/* Adds an object that is marked and counted. */
static inline void td_tester_add_grey(struct td_tester *t, uint32_t granule) {
  uint32_t kind = t->v.space->blocks[granule >> TD_BLOCK_GRANULES_LOG2].kind;
  t->stack[kind][t->grey[kind]++] = granule;
  t->grey[TD_KIND_LEAF] = 0;
}

/* Adds what at most TD_TEST_STEP words of an array refer to that may be pointers. A turn must come
 * if there are enough references then. */
void td_tester_add_words(struct td_tester *t, const uintptr_t *words, size_t count);

struct td_test_loops {
  /* Scans the objects of `now`, or the last ones of them, and asks for as many of `next`. There is
   * one at least. */
  void (*scan)(struct td_tester *t);
  /* Adds what at most TD_TEST_STEP slots of an array refer to. A turn must come if there are enough
   * references then. */
  void (*add_slots)(struct td_tester *t, const uintptr_t *slots, size_t count);
  /* Moves the references that do not lead to marked objects to the front, and returns how many
   * there are. Asks for the mark bytes of the other buffer, one for one. `words`: what leads to no
   * object's beginning stays as well. This loop only reads marks, so that lines full of marked
   * objects stay in the caches of all markers. */
  uint32_t (*sift)(struct td_tester *t, bool words);
  /* Marks the objects that the first `count` references lead to, and puts those that are not leaves
   * where grey ones of their kind wait. An object may be among them twice; few are. */
  void (*admit)(struct td_tester *t, uint32_t count);
};

/* No object begins at the granule. If it lies inside of one, that one waits. */
void td_tester_add_inside(struct td_tester *t, uint32_t granule);

extern const struct td_test_loops td_test_portable;
#ifdef __x86_64__
#define TD_TEST_AVX512
extern const struct td_test_loops td_test_avx512;
#endif

#endif
