/* From an address to the object that it points at or into. */
#include "heap/find.h"

uintptr_t td_space_find(const struct td_space *space, uintptr_t address) {
  uintptr_t offset = address - space->base;
  if (offset >= (uintptr_t)space->frontier << TD_BLOCK_LOG2) return 0;
  uint32_t b = (uint32_t)(offset >> TD_BLOCK_LOG2);
  const struct td_block_info *info = &space->infos[b];
  if (info->state == TD_BLOCK_TAIL) {
    b -= info->extent_offset;
    info = &space->infos[b];
  }
  uint64_t first = (uint64_t)b << TD_BLOCK_GRANULES_LOG2;
  uintptr_t start = td_granule_address(space->base, first);
  if (info->state == TD_BLOCK_LARGE)
    return address - start < info->large_bytes && td_holds_object(space, first) ? start : 0;
  if (info->state != TD_BLOCK_SMALL) return 0;
  uint32_t cell = td_cell_of(info, (uint32_t)((address - start) >> TD_GRANULE_LOG2));
  if (cell >= info->cells) return 0;
  uint32_t granule = cell * space->blocks[b].cell_granules;
  return td_holds_object(space, first + granule) ? td_granule_address(start, granule) : 0;
}

size_t td_space_object_bytes(const struct td_space *space, uintptr_t object) {
  uint32_t b = (uint32_t)((object - space->base) >> TD_BLOCK_LOG2);
  uint32_t granules = space->blocks[b].cell_granules;
  return granules ? (size_t)granules << TD_GRANULE_LOG2 : space->infos[b].large_bytes;
}
