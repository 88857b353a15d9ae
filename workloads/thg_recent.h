/* SPDX-License-Identifier: MIT */
/* What reader and writer remember of the targets of every slot, so that most need one byte. */
#ifndef TD_WORKLOADS_THG_RECENT_H
#define TD_WORKLOADS_THG_RECENT_H

#include "inspect/thg/format.h"
#include "workloads/thg.h"

/* Shape s has the slots from first[s] on, first[s + 1] - first[s] of them: one for each reference
 * of a bitmap, one for all of an array. */
struct td_thg_memory {
  struct td_thg_recent *recent;
  uint64_t *first; /* [shape_count + 1] */
};

/* false: no memory. To be freed in either case. */
bool td_thg_memory_new(struct td_thg_memory *memory, const struct td_thg_shape *shapes,
                       uint32_t shape_count);
void td_thg_memory_free(struct td_thg_memory *memory);

#endif
