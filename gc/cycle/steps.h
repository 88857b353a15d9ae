/* SPDX-License-Identifier: MIT */
/* The steps of a collection that are the same whether the program stands still or not. */
#ifndef TD_GC_CYCLE_STEPS_H
#define TD_GC_CYCLE_STEPS_H

#include "gc/state/heap.h"

/* A collection in the making. */
struct td_cycle {
  struct tide_heap *heap;
  struct tide_mutator *self;
  enum tide_cycle_kind kind;
  enum tide_cycle_cause cause;
  bool keeps;       /* what is young becomes old, unlooked at: gc/when/when.h */
  bool logged_much; /* it came for what was logged */
  bool rooted;      /* there was memory to remember the roots: it takes place */
  bool sorts;       /* blocks are sorted while the program runs */
  bool queued;      /* there are finalizers to be run that were not there before */
  void (*then)(struct tide_mutator *, void *); /* before the resume; may be NULL */
  void *argument;
  uint64_t begin_ns, stopped_ns, marked_ns, weak_ns, swept_ns;
  uint64_t worked_ns;  /* by this thread, at the beginning */
  uint64_t told_ns;    /* spent in the program's callbacks until the blocks were sorted */
  size_t root_bytes;   /* read by marking */
  uint64_t longest_ns; /* the longest stop, if more comes after it; else 0 */
};

/* The thread is about to ask the sources of roots, or has asked them: gc/cycle/turn.h. */
void td_cycle_set_asks(struct tide_heap *heap, bool asks);
/* Stops the world. Returns false if there is no memory to remember the roots. */
bool td_cycle_stop_with_roots(struct td_cycle *cycle);
/* World stopped: may blocks be sorted while the program runs? */
bool td_cycle_may_sort_beside(const struct tide_heap *heap);
/* After marking, the world stopped: sorts the blocks, or leaves that to be done if `sorts`. */
void td_cycle_sort(struct td_cycle *cycle);
/* All are sorted: tells of it, and decides what is due next. */
void td_cycle_end_sorting(struct td_cycle *cycle);
/* The same where they were sorted while the program ran, under the world's lock. If objects may be
 * young again, calls `resume_young` for it inside td_stack_call, which stops the world; returns
 * whether it did. The cycle is its argument. */
bool td_cycle_end_sorting_beside(struct td_cycle *cycle, void (*resume_young)(void *));
/* The stop that was wanted at that time is over: the world goes on. Returns how long it lasted. */
uint64_t td_cycle_resume(struct td_cycle *cycle, uint64_t since_ns);
/* The figures of a collection that has ended become those of the last one. */
void td_cycle_publish(struct td_cycle *cycle);
/* Without a lock, for the program's function may take its time: one of several stops is over. */
void td_cycle_tell_resumed(struct tide_heap *heap);
/* For TIDE_LOG. May wait for a stream. */
void td_cycle_write_log(const struct tide_heap *heap, const struct tide_cycle_stats *stats);

#endif
