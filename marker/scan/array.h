/* SPDX-License-Identifier: MIT */
/* Objects that are arrays: all references, references behind a prefix, or conservative words. */
#ifndef TD_MARKER_SCAN_ARRAY_H
#define TD_MARKER_SCAN_ARRAY_H

#include <stdbool.h>

#include "marker/scan/scan.h"

/* The slots [from, to) of an object, or of a part of it. */
struct td_array {
  const uintptr_t *slots;
  size_t from, to;
  bool conservative, is_part;
};

static inline bool td_kind_is_array(uint8_t kind) {
  return kind == TD_KIND_REFS || kind == TD_KIND_PREFIXED || kind == TD_KIND_CONSERVATIVE;
}

/* Returns the slots of an object whose kind is an array. By value, so that the compiler knows that
 * no other code keeps the address of the result. */
TD_INLINE struct td_array td_array_of(const struct td_space *space, uintptr_t object) {
  uint32_t b = (uint32_t)((object - space->base) >> TD_BLOCK_LOG2);
  const struct td_block *block = &space->blocks[b];
  size_t bytes = block->cell_granules ? (size_t)block->cell_granules << TD_GRANULE_LOG2
                                      : space->infos[b].large_bytes;
  size_t to = bytes / sizeof(uintptr_t);
  size_t from = block->kind == TD_KIND_PREFIXED ? block->map : 0;
  return (struct td_array){.slots = (const uintptr_t *)object,
                           .from = from < to ? from : to,
                           .to = to,
                           .conservative = block->kind == TD_KIND_CONSERVATIVE};
}

/* A part of a long array is scanned from its first slot on. */
TD_INLINE void td_array_scan(const struct td_array *array, const struct td_view *v, td_visit visit,
                             void *context) {
  if (array->is_part && array->conservative)
    td_scan_words_upwards(v, array->slots, array->from, array->to, true, visit, context);
  else if (array->is_part)
    td_scan_words_upwards(v, array->slots, array->from, array->to, false, visit, context);
  else if (array->conservative)
    td_scan_words(v, array->slots, array->from, array->to, true, visit, context);
  else
    td_scan_words(v, array->slots, array->from, array->to, false, visit, context);
}

#endif
