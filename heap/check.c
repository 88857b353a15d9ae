/* SPDX-License-Identifier: MIT */
/* The check of a space's structures. */
#include "heap/check.h"

#include <stdio.h>

#include "heap/cells/medium.h"
#include "heap/memory/ahead.h"
#include "heap/memory/blocks.h"
#include "heap/space/find.h"
#include "heap/space/marks.h"
#include "heap/young/log.h"
#include "heap/young/young.h"

static bool fault(struct tide_error *error, uint32_t block, const char *what) {
  if (error) {
    error->status = TIDE_ERROR_CHECK;
    snprintf(error->text, sizeof error->text, "heap check: block %u: %s", block, what);
  }
  return false;
}

static bool check_free(const struct td_space *space, uint32_t b, struct tide_error *error) {
  if (space->infos[b].state != TD_BLOCK_FREE) return fault(error, b, "free bit of a used block");
  if (space->blocks[b].kind != TD_KIND_NONE) return fault(error, b, "free block with a kind");
  return true;
}

/* Nothing is deferred outside of collections but what is logged, and its page is flagged. */
static const char *fault_of_deferred(const struct td_space *space, uint64_t granule) {
  uint8_t mark = space->marks[granule];
  if (!space->has_young) return "deferred object left";
  if (mark != TD_CARD && mark != (space->epoch | TD_DEFERRED))
    return "deferred object that is not old";
  if (!td_flag_peek(space, granule / TD_PAGE_GRANULES))
    return "logged object on a page without a flag";
  return NULL;
}

/* [start] */
static const char *fault_of_mark(const struct td_space *space, uint32_t b, uint64_t granule) {
  uintptr_t address = td_granule_address(space->base, granule);
  uint8_t state = space->infos[b].state, mark = space->marks[granule];
  if (state == TD_BLOCK_SMALL && mark & TD_DEFERRED) {
    const char *what = fault_of_deferred(space, granule);
    if (what) return what;
  }
  if (td_holds_object(space, granule) && td_space_cell(space, address) != address)
    return "mark of an object where none begins";
  bool is_young = mark == TD_YOUNG && space->has_young && state != TD_BLOCK_FREE;
  return is_young && !td_young_is_touched(space, b) ? "young object in an untouched block" : NULL;
}

static bool check_marks(const struct td_space *space, uint32_t b, struct tide_error *error) {
  uint64_t first = td_block_granule(b);
  for (uint64_t i = first; i < first + TD_BLOCK_GRANULES; i++) {
    if (i % 8 == 0 && td_mark_load_word(&space->marks[i]) == 0) {
      i += 7;
      continue;
    }
    const char *what = space->marks[i] ? fault_of_mark(space, b, i) : NULL;
    if (what) return fault(error, b, what);
  }
  return true;
}

static bool check_small(const struct td_space *space, uint32_t b, struct tide_error *error) {
  const struct td_block *block = &space->blocks[b];
  const struct td_block_info *info = &space->infos[b];
  if (block->layout == 0 || block->layout >= space->layouts.count)
    return fault(error, b, "unknown layout");
  const struct td_layout *described = &space->layouts.at[block->layout];
  struct td_block fresh = td_small_block(described, block->layout, block->cell_granules);
  if (block->kind != fresh.kind || block->map != fresh.map)
    return fault(error, b, "kind or map differs from the layout's");
  if (block->recip != fresh.recip) return fault(error, b, "wrong reciprocal of the cell size");
  if ((size_t)block->cell_granules << TD_GRANULE_LOG2 != td_class_bytes(info->size_class))
    return fault(error, b, "cell size differs from the class's");
  if (info->cells != TD_BLOCK_GRANULES / block->cell_granules)
    return fault(error, b, "wrong number of cells");
  return true;
}

static bool check_large(const struct td_space *space, uint32_t b, struct tide_error *error) {
  const struct td_block_info *info = &space->infos[b];
  if (info->extent_blocks == 0 || info->extent_blocks > space->frontier - b)
    return fault(error, b, "large object leaves the heap");
  size_t bytes = (size_t)info->extent_blocks << TD_BLOCK_LOG2;
  if (info->state == TD_BLOCK_LARGE && info->large_bytes > bytes)
    return fault(error, b, "large object longer than its blocks");
  if (info->state == TD_BLOCK_MEDIUM && (info->large_bytes != td_medium_bytes(info->size_class) ||
                                         info->cells * info->large_bytes != bytes))
    return fault(error, b, "cells of a span do not fill it");
  for (uint32_t i = 1; i < info->extent_blocks; i++)
    if (space->infos[b + i].state != TD_BLOCK_TAIL || space->infos[b + i].extent_offset != i)
      return fault(error, b, "broken tail of a large object");
  return true;
}

static bool check_block(const struct td_space *space, uint32_t b, struct tide_error *error) {
  if (!space->slab_committed[b / TD_SLAB_BLOCKS]) return fault(error, b, "used but not committed");
  for (size_t page = b * TD_BLOCK_PAGES; page < (b + 1) * TD_BLOCK_PAGES; page++)
    if (!space->has_young && td_flag_peek(space, page)) /* else it may be the log's */
      return fault(error, b, "deferred flag left");
  switch (space->infos[b].state) {
  case TD_BLOCK_SMALL:
    return check_small(space, b, error);
  case TD_BLOCK_LARGE:
  case TD_BLOCK_MEDIUM:
    return check_large(space, b, error);
  case TD_BLOCK_TAIL: {
    uint32_t head = b - space->infos[b].extent_offset;
    return space->infos[b].extent_offset <= b && (space->infos[head].state == TD_BLOCK_LARGE ||
                                                  space->infos[head].state == TD_BLOCK_MEDIUM)
               ? true
               : fault(error, b, "tail without a head");
  }
  default:
    return fault(error, b, "used block without a state");
  }
}

static bool check_blocks(const struct td_space *space, struct tide_error *error) {
  uint32_t used = 0;
  for (uint32_t b = 1; b < space->frontier; b++) {
    bool is_free = td_block_is_free(space, b) || td_ahead_has(space, b);
    used += !is_free;
    if (!(is_free ? check_free(space, b, error) : check_block(space, b, error))) return false;
    if (!check_marks(space, b, error)) return false;
  }
  return used == space->used_blocks || fault(error, 0, "count of used blocks is wrong");
}

/* The lock, because memory may be made ready meanwhile. */
bool td_space_check(struct td_space *space, struct tide_error *error) {
  pthread_mutex_lock(&space->lock);
  bool right = check_blocks(space, error);
  pthread_mutex_unlock(&space->lock);
  return right;
}
