#include "marker/scan/array.h"

struct td_array td_array_of(const struct td_space *space, uintptr_t object) {
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
