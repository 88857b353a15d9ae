/* SPDX-License-Identifier: MIT */
#include "workloads/thg_recent.h"

#include <stdlib.h>

#include "workloads/thg_memory.h"

bool td_thg_memory_new(struct td_thg_memory *memory, const struct td_thg_shape *shapes,
                       uint32_t shape_count) {
  memory->recent = NULL;
  memory->first = td_new_array((uint64_t)shape_count + 1, sizeof *memory->first);
  if (!memory->first) return false;
  for (uint32_t s = 0; s < shape_count; s++) {
    uint64_t slots = 0;
    if (shapes[s].kind == TD_THG_PREFIX) slots = 1;
    if (shapes[s].kind == TD_THG_BITMAP) slots = td_thg_slots(&shapes[s], 0);
    memory->first[s + 1] = memory->first[s] + slots;
  }
  memory->recent = td_new_array(memory->first[shape_count], sizeof *memory->recent);
  return memory->recent != NULL;
}

void td_thg_memory_free(struct td_thg_memory *memory) {
  free(memory->recent);
  free(memory->first);
}
