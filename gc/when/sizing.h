/* When the next collection is due. Pure: figures in, a number of blocks out. */
#ifndef TD_GC_WHEN_SIZING_H
#define TD_GC_WHEN_SIZING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tide/tide.h"

#define TD_GROWTH_DEFAULT 2.0
#define TD_GROWTH_YOUNG 1.6 /* by the default rule, of small heaps with young collections */
#define TD_GROWTH_MOST 1e6
#define TD_INITIAL_DEFAULT ((size_t)4 << 20)
#define TD_ADAPTIVE_COST_DEFAULT 0.005 /* per MiB */
#define TD_KEEP_CYCLES 8u
#define TD_SMOOTHING 0.5 /* weight of the newest observation */

struct td_sizing {
  /* Constant after creation. */
  enum tide_sizing kind;
  double growth_factor; /* 0: the usual one of the rule */
  double adaptive_cost;
  bool young; /* young collections happen */
  uint32_t initial_blocks, max_blocks;
  /* Changed by td_sizing_next; recent by td_sizing_raised too. Under the heap's lock. */
  double allocation_rate; /* bytes per ns, smoothed */
  double marking_rate;    /* bytes per ns, smoothed */
  double free_bytes;      /* free in blocks that were in use after the last collection */
  double unusable;        /* part of those that was not allocated, smoothed */
  uint32_t used_blocks;   /* after the last collection */
  /* A collection is due when used blocks and external bytes reach this. max_blocks does not bound
   * it, or a heap at its limit would collect each time that external memory is added. */
  uint64_t due_bytes;
  uint32_t recent[TD_KEEP_CYCLES]; /* budgets, for giving memory back late */
  unsigned recent_at;
};

/* What a collection and the time before it showed. */
struct td_sizing_facts {
  size_t live_bytes;
  size_t leaf_bytes;     /* of these, in objects that hold no references */
  size_t external_bytes; /* outside the heap, held by its objects */
  size_t root_bytes;     /* read from roots: they make a collection dearer, as live bytes do */
  uint32_t used_blocks;  /* after sweeping */
  uint32_t freed_blocks; /* by sweeping */
  uint64_t collect_ns;
  uint64_t mutator_ns;      /* between the last collection and this */
  uint64_t allocated_bytes; /* in that time */
  bool asked;               /* the program wanted the collection: room was left, so nothing tells
                             * that what was not used is of no use */
};

/* Returns the used_blocks that may be reached before the next collection, and sets due_bytes. */
uint32_t td_sizing_next(struct td_sizing *sizing, const struct td_sizing_facts *facts);
/* The budget was not enough and had to be raised. */
void td_sizing_raised(struct td_sizing *sizing, uint32_t budget);
/* Blocks, used or free, that should stay committed: the largest of the last few budgets, so that
 * a program whose live set swings does not return and fetch memory all the time. */
uint32_t td_sizing_keep(const struct td_sizing *sizing);

/* Returns an average, 0 before the first observation, after a fresh one. */
double td_smooth(double old, double fresh);

#endif
