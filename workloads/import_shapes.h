/* SPDX-License-Identifier: MIT */
/* A table of shapes in which each shape stands once. */
#ifndef TD_WORKLOADS_IMPORT_SHAPES_H
#define TD_WORKLOADS_IMPORT_SHAPES_H

#include "workloads/hash.h"
#include "workloads/thg.h"

struct td_import_shapes {
  struct td_thg_shape *shapes; /* handed over to the graph in the end */
  uint32_t *table;             /* open addressing: shape number + 1, or 0 */
  uint64_t table_mask;
  struct td_hash_key hash_key; /* bitmaps come from the file */
  uint64_t capacity;
  uint32_t count;
};

#define TD_SHAPES_NO_MEMORY UINT32_MAX

/* Returns the number of a shape like *shape, whose bitmap is copied if it is new. */
uint32_t td_shapes_find(struct td_import_shapes *shapes, const struct td_thg_shape *shape);

uint32_t td_shapes_leaf(struct td_import_shapes *shapes);
uint32_t td_shapes_prefix(struct td_import_shapes *shapes, uint32_t prefix_words);

/* Returns the shape of that bitmap of `words` words.  The last ones may be 0; all 0 is a leaf. */
uint32_t td_shapes_bitmap(struct td_import_shapes *shapes, uint64_t *bitmap, uint32_t words);

/* Gives the shapes to the graph and frees the rest. */
void td_shapes_hand_over(struct td_import_shapes *shapes, struct td_thg *graph);

void td_shapes_free(struct td_import_shapes *shapes);

#endif
