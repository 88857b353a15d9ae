/* SPDX-License-Identifier: MIT */
/* Ephemerons during a collection: which values are reached because their keys are.
 *
 * Markers follow an ephemeron's value when they find its key marked, and chain the ephemeron
 * otherwise. Here the chained ones are closed: a value whose key was marked after all is marked
 * with all that it reaches, which may mark further keys. Doing that in rounds over all chained
 * ephemerons is parallel but quadratic on a chain of them; so rounds go on only while the
 * ephemerons looked at stay within a multiple of the heap's size, and then a serial closure
 * takes over that finds the ephemerons of a newly marked key in a hash table: linear. */
#ifndef TD_GC_WEAK_EPHEMERON_H
#define TD_GC_WEAK_EPHEMERON_H

#include "gc/object/scan.h"
#include "gc/state/heap.h"

/* The collecting thread's. */
#define TD_VALUES_MAX 1024u
#define TD_BUCKETS_FIRST 512u
#define TD_WORKLIST_FIRST 1024u

/* What a collection has if there is no more memory. Zero or not. */
struct td_ephemeron_room {
  uintptr_t values[TD_VALUES_MAX]; /* to be marked in the next run */
  uintptr_t buckets[TD_BUCKETS_FIRST];
  uintptr_t list[TD_WORKLIST_FIRST];
};

struct td_ephemerons {
  uintptr_t unresolved; /* ephemerons whose key is unmarked, chained by their links */
  size_t count;
  size_t work;             /* ephemerons looked at in this cycle's rounds */
  uintptr_t *buckets;      /* the same by key, while the serial closure runs */
  size_t bucket_count;     /* power of two */
  struct td_worklist list; /* empty between uses; gc/weak/order.c borrows it */
  size_t value_count;
  struct td_ephemeron_room *first;
  uintptr_t weak;   /* weak references that the serial closure met */
  uint64_t objects; /* marked by the serial closure, and in stops */
  uint64_t cleared; /* in all collections; mutators read it between stops */
};

void td_ephemerons_init(struct td_ephemerons *ephemerons, struct td_ephemeron_room *first);
void td_ephemerons_deinit(struct td_ephemerons *ephemerons);

/* Marking has begun. */
void td_ephemerons_begin(struct tide_heap *heap);
/* Marks all that is reached through ephemerons with marked keys. Allocates, but gets by without
 * when there is no memory. Beside the program some may be left, because mutators mark keys too. */
void td_ephemerons_close(struct tide_heap *heap);
/* The same in a stop of a marking beside the program: what the values reach is left to that.
 * Returns whether a value was marked, which may be the key of another one. */
bool td_ephemerons_defer(struct tide_heap *heap);
/* Empties those whose keys stay unmarked. */
void td_ephemerons_clear(struct tide_heap *heap);

#endif
