/* SPDX-License-Identifier: MIT */
/* The threads that work beside the program: one collects, one sees to it that there is memory
 * (heap/memory/ahead.h). And when they are called. */
#ifndef TD_GC_CYCLE_BESIDE_THREAD_H
#define TD_GC_CYCLE_BESIDE_THREAD_H

#include "gc/cycle/snapshot.h"
#include "platform/platform.h"

/* Under the lock of struct td_beside, but for what is constant. */
struct td_servant {
  struct tide_heap *heap;               /* constant, as the next */
  void (*work)(struct tide_heap *heap); /* without the lock, while it is wanted */
  pthread_cond_t wish;
  struct td_thread thread;
  bool started;
  bool wanted; /* until the work is done that was wished for */
};

struct td_beside {
  pthread_mutex_t lock;
  bool quit; /* under the lock, as the next three */
  struct td_servant collector, grower;
  bool awaited; /* a thread had no room, and waits for the end of the collection */
  /* The collector's. */
  struct td_snapshot snapshot;
  double taken; /* bytes allocated in a collection for each that lives, smoothed; 0 at first */
};

/* Before the first mutator. Returns false if there is no memory. `collect` is what the collector
 * does. */
bool td_beside_thread_open(struct tide_heap *heap, void (*collect)(struct tide_heap *heap));
/* Without mutators: ends the threads. Nothing collects from here on. */
void td_beside_stop(struct tide_heap *heap);
/* Afterwards, when no fork can see the heap any more. */
void td_beside_close(struct tide_heap *heap);
/* Around a fork, the world's lock held: the collector is between two collections. */
void td_beside_hold(struct tide_heap *heap);
void td_beside_let_go(struct tide_heap *heap, bool child);

/* Begins a collection, and lets the heap use all the room that its limit leaves meanwhile. Returns
 * false if collecting is paused, or there is no thread for it. */
bool td_beside_begin(struct tide_heap *heap);
/* The same for a mutator that found no room. Returns whether there may be some now. */
bool td_beside_wish(struct tide_heap *heap);
/* Makes memory ready, if there is a thread for it. */
void td_beside_grow(struct tide_heap *heap);
/* A thread that has no room is about to wait for the end of one that may go on. */
void td_beside_note_awaited(struct tide_heap *heap);
/* One that was wanted stops the program instead: before its figures are published. */
void td_beside_note_stopped(struct tide_heap *heap);
/* After a full collection of any kind, under the world's lock: the next one begins so early that it
 * ends before the room does. It will last as long as the last ones. */
void td_beside_set_pace(struct tide_heap *heap);

/* ---- For `collect` ---- */

/* Under the world's lock: does anybody still want it? */
bool td_beside_is_wanted(struct td_beside *own);
/* Had a thread no room since it was wanted? */
bool td_beside_was_awaited(struct td_beside *own);
/* It cannot be had now. */
void td_beside_give_up(struct tide_heap *heap);

#endif
