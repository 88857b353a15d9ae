/* SPDX-License-Identifier: MIT */
/* The numbers that marking was tuned with, all in one place. docs/notes/marker.md has the
 * measurements behind them. */
#ifndef TD_MARKER_BASE_TUNING_H
#define TD_MARKER_BASE_TUNING_H

/* Arrays and roots are scanned in slices of this many slots, so that markers can share them. */
#define TD_SLICE_SLOTS 512u
/* How much work a slice is, counted in objects. */
#define TD_SLICE_EFFORT (TD_SLICE_SLOTS / 8)

/* How many objects ahead of the scan are prefetched where objects are given as roots. */
#define TD_OBJECTS_AHEAD 8u
/* How many deferred objects are scanned before their children are marked. */
#define TD_WALK_OBJECTS 64u

/* Objects that wait in the prefetch window. A power of two. */
#define TD_WINDOW 32u
/* An object closer than this to the one scanned before it is not worth a prefetch. */
#define TD_NEAR_BYTES 256u
/* Marking that moves on in even steps prefetches this many steps ahead. */
#define TD_NEAR_AHEAD 32u

/* An object whose size is not known yet is prefetched in two places: at its beginning and
 * TD_FETCH_BYTES behind it. Most objects are short, but often they do not lie in one cache line. */
#define TD_FETCH_BYTES 48u
/* And of conservative objects of more than eight words here. */
#define TD_FETCH_LONG_BYTES (TD_FETCH_BYTES + 64u)

/* A queue with more items is deep: half of what the default one holds. */
#define TD_DEEP_ITEMS 1024u

/* Testing: objects that are fetched together; */
#define TD_TEST_GROUP 64u
/* references that are tested together; */
#define TD_TEST_BATCH 128u
/* grey objects of one kind that a marker keeps for itself. */
#define TD_TEST_KEPT 384u
/* Items that are taken out of a queue when testing begins. */
#define TD_TEST_FIRST 1024u
/* A queue with this many groups is a dense frontier: 128,000 grey objects. Real heaps have a
 * quarter of that, random graphs five times as many. */
#define TD_GROUPS_MANY 1024u
/* With fewer grey objects in all, each is followed by itself. */
#define TD_TEST_FEW 16u

/* A visit of a region: how many objects ahead of the scan are prefetched, and how many are listed
 * before they are scanned. A list may get as many more as one word of the summary speaks for. */
#define TD_VISIT_AHEAD 16u
#define TD_VISIT_LIST 2048u
#define TD_VISIT_LIST_ROOM (TD_VISIT_LIST + 4096u + TD_VISIT_AHEAD)

/* Four references for each cache line of marks lead to nearly all of the lines. */
#define TD_MANY_A_LINE 4u

/* A marker looks every this many objects whether another one wants work. */
#define TD_POLL_OBJECTS 64u
/* The most items that one steal takes. */
#define TD_STEAL_MOST 32u
/* A phase begins with one marker. It wakes the first helper after TD_RECRUIT_FIRST objects, if it
 * has TD_RECRUIT_ITEMS items to share. This is before it begins to visit regions: a helper that
 * comes later finds single chunks only. */
#define TD_RECRUIT_FIRST 256u
#define TD_RECRUIT_ITEMS 4u
/* Of these CPUs one marks while the program runs. */
#define TD_BESIDE_CPUS 4u
/* While it runs, a marker yields its CPU after this many objects, some 0.5 ms: a mutator that waits
 * for it would wait for the end of a time slice, 4 ms. Not if there are as many mutators as CPUs:
 * they would leave the marker so little that room ends before the collection does. */
#define TD_BESIDE_TURN 32768u

/* Waking a thread for little does not pay: Wren's binary_trees_gc takes a sixth less time so. In
 * heaps with less than TD_RECRUIT_BYTES alive, and in phases that may have next to nothing to mark,
 * it does so after TD_RECRUIT_LATE objects. */
#define TD_RECRUIT_BYTES ((size_t)1 << 20)
#define TD_RECRUIT_LATE 16384u
/* A marker that has work to share wakes another one after TD_RECRUIT_STEP objects, then after twice
 * as many each time, up to TD_RECRUIT_MOST. */
#define TD_RECRUIT_STEP 16u
#define TD_RECRUIT_MOST 65536u

/* In a heap that uses TD_ALONE_BYTES or more it is never too early to wake helpers. */
#define TD_ALONE_BYTES ((size_t)32 << 20)

/* References from a trace function that are kept before they are deferred. */
#define TD_TRACE_BUFFER 256u

#endif
