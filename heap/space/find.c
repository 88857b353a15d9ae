/* SPDX-License-Identifier: MIT */
/* From an address to the object that it points at or into. */
#include "heap/space/find.h"

static uintptr_t cell_in_extent(const struct td_space *space, uint32_t b, uintptr_t address) {
  const struct td_block_info *info = &space->infos[b];
  if (info->state == TD_BLOCK_TAIL) {
    b -= info->extent_offset;
    info = &space->infos[b];
  }
  uintptr_t start = td_block_start(space, b), offset = address - start;
  if (info->state == TD_BLOCK_LARGE) return offset < info->large_bytes ? start : 0;
  if (info->state != TD_BLOCK_MEDIUM) return 0;
  /* Spans are short (heap/cells/medium.h), and dividing 32 bits is cheaper. */
  return address - (uint32_t)offset % (uint32_t)info->large_bytes;
}

uintptr_t td_space_cell(const struct td_space *space, uintptr_t address) {
  if (address - space->base >= space->reserved_bytes) return 0;
  uint32_t b = td_block_of(space, address);
  if (space->infos[b].state != TD_BLOCK_SMALL) return cell_in_extent(space, b, address);
  return td_space_cell_of_small(space, b, address);
}

static bool is_near(const struct td_space *space, uintptr_t cell, uintptr_t address) {
  if (address - cell < TD_DISPLACEMENTS) return true;
  return !space->layouts.at[space->blocks[td_block_of(space, cell)].layout].held_by_first_page;
}

bool td_space_counts(const struct td_space *space, uintptr_t cell, uintptr_t address) {
  uintptr_t offset = address - cell;
  if (offset == 0) return true;
  if (!space->base_only) return is_near(space, cell, address);
  return offset < TD_DISPLACEMENTS && space->displacements[offset / 64] >> (offset % 64) & 1;
}

uintptr_t td_space_find(const struct td_space *space, uintptr_t word, enum td_from from) {
  uintptr_t cell = td_space_cell(space, word);
  if (!cell || !td_holds_object(space, td_granule_of(space->base, cell))) return 0;
  bool means =
      from == TD_FROM_ANYWHERE ||
      (from == TD_FROM_STACK ? is_near(space, cell, word) : td_space_counts(space, cell, word));
  return means ? cell : 0;
}

uintptr_t td_space_find_before(const struct td_space *space, uintptr_t word, enum td_from from) {
  if (word - space->base >= space->reserved_bytes) return 0;
  return td_space_was_used(space, td_block_of(space, word)) ? td_space_find(space, word, from) : 0;
}

static bool is_registered(const struct td_space *space, size_t offset) {
  return offset == 0 || (space->displacements[offset / 64] >> (offset % 64) & 1);
}

/* Does it make no difference whether a word points at the first byte of a granule or `behind` bytes
 * further? */
static bool is_alike(const struct td_space *space, size_t behind) {
  for (size_t offset = 0; offset < TD_DISPLACEMENTS; offset += TD_GRANULE_BYTES)
    if (is_registered(space, offset) != is_registered(space, offset + behind)) return false;
  return true;
}

void td_space_set_words(struct td_space *space) {
  uint64_t bits = 0;
  for (size_t behind = 1; behind < TD_GRANULE_BYTES; behind++)
    if (space->base_only && !is_alike(space, behind))
      bits |= UINT64_C(0x0001000100010001) << behind;
  space->looked_up = bits;
}

struct td_cells td_space_cells(const struct td_space *space, uint32_t block) {
  const struct td_block_info *info = &space->infos[block];
  switch (info->state) {
  case TD_BLOCK_SMALL:
    return (struct td_cells){info->cells, space->blocks[block].cell_granules};
  case TD_BLOCK_MEDIUM:
    return (struct td_cells){info->cells, (uint32_t)(info->large_bytes >> TD_GRANULE_LOG2)};
  default:
    return (struct td_cells){info->state == TD_BLOCK_LARGE, 0};
  }
}

size_t td_space_object_bytes(const struct td_space *space, uintptr_t object) {
  uint32_t b = td_block_of(space, object);
  return td_block_object_bytes(&space->blocks[b], &space->infos[b]);
}
