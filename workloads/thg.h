/* SPDX-License-Identifier: MIT */
/* A recorded heap graph, in memory and as a .thg file.
 *
 * A recorded graph is what a heap dump says about a heap: how large each object is, where its
 * references lie, what they point to, and which objects are roots.  Nothing else is kept.  The
 * file format is described in docs/thg-format.md.
 *
 * Invariants of a valid graph (td_thg_check):
 *  - shape_of[i] < shape_count, and size[i] is at least what the shape needs;
 *  - the references of object i are refs[first_ref[i]] up to, not including, refs[first_ref[i+1]],
 *    one per reference slot in slot order, TD_THG_NULL where the slot holds null;
 *  - first_ref[i+1] - first_ref[i] == td_thg_slots(shape, size[i]);
 *  - every reference that is not null and every root is less than object_count.
 *
 * Objects are numbered in address order as far as the dump tells it.  A root may be listed more
 * than once, as it is in dumps.
 * Threads: none of this is shared; a graph that no thread changes may be read by many. */
#ifndef TD_WORKLOADS_THG_H
#define TD_WORKLOADS_THG_H

#include <stdbool.h>
#include <stdint.h>

#include "inspect/thg/format.h"
#include "workloads/thg_error.h"

struct td_thg_shape {
  enum td_thg_shape_kind kind;
  uint32_t prefix_words; /* TD_THG_PREFIX only, else 0 */
  uint32_t bitmap_words; /* TD_THG_BITMAP: number of 64-bit words, at least 1; the last is not 0 */
  uint64_t *bitmap;      /* TD_THG_BITMAP: bit i of bitmap[i / 64] stands for word i; else NULL */
};

struct td_thg {
  struct td_thg_shape *shapes;
  uint32_t *shape_of;  /* [object_count] */
  uint64_t *size;      /* [object_count] bytes */
  uint64_t *first_ref; /* [object_count + 1]; NULL only where object_count is 0 */
  uint32_t *refs;      /* [ref_count] */
  uint32_t *roots;     /* [root_count] */
  char *about;         /* where the graph comes from: UTF-8, one line; NULL for none */
  uint32_t shape_count;
  uint32_t object_count;
  uint32_t root_count;
  uint64_t ref_count; /* slots, nulls included */
};

/* Returns the number of reference slots of an object of that shape and size. */
uint64_t td_thg_slots(const struct td_thg_shape *shape, uint64_t size_bytes);

/* Returns the smallest size that an object of that shape may have, in bytes. */
uint64_t td_thg_size_min(const struct td_thg_shape *shape);

/* Returns whether the invariants above hold; if not, *error names the first that does not. */
bool td_thg_check(const struct td_thg *graph, struct td_thg_error *error);

/* Frees what the graph holds and makes it empty.  An all-zero graph is empty; NULL is ignored. */
void td_thg_free(struct td_thg *graph);

#endif
