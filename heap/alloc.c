/* Allocation of small objects: runs of free cells for a mutator's bump cache.
 *
 * A run is handed out in pieces of a few KiB, zeroed just before use so that the zeroes are
 * still in the cache when the mutator writes its object over them. The next piece is looked for
 * from where the last one ended, without the lock, because the block is the mutator's own. */
#include "heap/heap.h"

#include <string.h>

#include "heap/blocks.h"

#define PIECE_GRANULES 256u /* 4 KiB */

/* First granule past a run's end where a free cell starts, at or after `at`; end if none. */
static uint32_t skip_live(const uint8_t *marks, uint32_t at, uint32_t end, uint32_t cell,
                          uint8_t epoch) {
  while (at < end && marks[at] == epoch)
    at += cell;
  return at;
}

static uint32_t skip_free(const uint8_t *marks, uint32_t at, uint32_t end, uint32_t cell,
                          uint8_t epoch) {
  while (at < end && marks[at] != epoch)
    at += cell;
  return at;
}

/* Looks for the next free run of the block from granule `at` of it. Returns its bytes,
 * 0 if none is left. */
static size_t next_piece(struct td_heap *heap, struct tide_bump *bump, uint32_t block,
                         uint32_t at) {
  const struct td_block_info *info = &heap->infos[block];
  uint32_t cell = heap->blocks[block].cell_granules;
  uint32_t end = info->cells * cell;
  uint64_t first = (uint64_t)block << TD_BLOCK_GRANULES_LOG2;
  uint8_t *marks = heap->marks + first;
  uint32_t start = skip_live(marks, at, end, cell, heap->epoch);
  if (start >= end) return 0;
  uint32_t most = heap->stress || cell >= PIECE_GRANULES ? cell : PIECE_GRANULES / cell * cell;
  uint32_t bound = start + most < end ? start + most : end;
  uint32_t stop = skip_free(marks, start, bound, cell, heap->epoch);
  memset(marks + start, heap->epoch, stop - start);
  uintptr_t address = td_granule_address(heap->base, first + start);
  size_t bytes = (size_t)(stop - start) << TD_GRANULE_LOG2;
  if (!info->zeroed) memset((void *)address, 0, bytes);
  bump->next = address;
  bump->limit = address + bytes;
  return bytes;
}

static void format(struct td_heap *heap, uint32_t block, tide_layout layout, unsigned size_class) {
  const struct td_layout *described = &heap->layouts.at[layout];
  uint32_t cell = (uint32_t)(td_class_bytes(size_class) >> TD_GRANULE_LOG2);
  struct td_block_info *info = &heap->infos[block];
  uint8_t zeroed = info->zeroed;
  *info = (struct td_block_info){
      .recip = (((uint32_t)1 << 24) + cell - 1) / cell,
      .cells = (uint16_t)(TD_BLOCK_GRANULES / cell),
      .size_class = (uint8_t)size_class,
      .state = TD_BLOCK_SMALL,
      .zeroed = zeroed,
  };
  heap->blocks[block] = (struct td_block){
      .map = described->map, .cell_granules = cell, .kind = described->kind, .layout = layout};
  /* Bytes of a former life could equal an epoch to come, or this one. */
  memset(heap->marks + ((uint64_t)block << TD_BLOCK_GRANULES_LOG2), 0, TD_BLOCK_GRANULES);
}

/* Takes a block of the class with perhaps some room off its unswept list, or a fresh one. */
static uint32_t take_block(struct td_heap *heap, tide_layout layout, unsigned size_class) {
  pthread_mutex_lock(&heap->lock);
  uint32_t *list = &heap->unswept[(size_t)layout * TIDE_BUMP_SLOTS + size_class];
  uint32_t block = *list;
  if (block) {
    *list = heap->infos[block].next;
  } else {
    block = td_blocks_take(heap, 1);
    if (block) format(heap, block, layout, size_class);
  }
  pthread_mutex_unlock(&heap->lock);
  return block;
}

size_t td_heap_refill(struct td_heap *heap, struct tide_bump *bump, tide_layout layout,
                      unsigned size_class) {
  size_t bytes;
  if (bump->limit) {
    uintptr_t used = bump->limit - heap->base;
    uint32_t block = (uint32_t)((used - 1) >> TD_BLOCK_LOG2);
    uint32_t at = (uint32_t)((used - ((uintptr_t)block << TD_BLOCK_LOG2)) >> TD_GRANULE_LOG2);
    if ((bytes = next_piece(heap, bump, block, at)) != 0) return bytes;
    *bump = (struct tide_bump){0};
  }
  uint32_t block;
  while ((block = take_block(heap, layout, size_class)) != 0)
    if ((bytes = next_piece(heap, bump, block, 0)) != 0) return bytes;
  return 0;
}

void td_heap_retire(struct td_heap *heap, struct tide_bump *bump) {
  if (bump->next < bump->limit) {
    uint64_t granule = (bump->next - heap->base) >> TD_GRANULE_LOG2;
    memset(heap->marks + granule, 0, (bump->limit - bump->next) >> TD_GRANULE_LOG2);
  }
  *bump = (struct tide_bump){0};
}
