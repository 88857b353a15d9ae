/* Questions about addresses, the walk, and the check of the heap's structures. */
#include <stdio.h>
#include <string.h>

#include "heap/blocks.h"
#include "heap/marks.h"

static bool holds_object(const struct td_heap *heap, uint64_t granule) {
  unsigned epoch = td_mark_load(&heap->marks[granule]) & (TD_PENDING - 1); /* markers may run */
  return epoch == heap->epoch || epoch == heap->epoch_before;
}

uintptr_t td_heap_find(const struct td_heap *heap, uintptr_t address) {
  uintptr_t offset = address - heap->base;
  if (offset >= (uintptr_t)heap->frontier << TD_BLOCK_LOG2) return 0;
  uint32_t b = (uint32_t)(offset >> TD_BLOCK_LOG2);
  const struct td_block_info *info = &heap->infos[b];
  if (info->state == TD_BLOCK_TAIL) {
    b -= info->run_blocks;
    info = &heap->infos[b];
  }
  uint64_t first = (uint64_t)b << TD_BLOCK_GRANULES_LOG2;
  uintptr_t start = td_granule_address(heap->base, first);
  if (info->state == TD_BLOCK_LARGE)
    return address - start < info->large_bytes && holds_object(heap, first) ? start : 0;
  if (info->state != TD_BLOCK_SMALL) return 0;
  uint32_t cell = td_cell_of(info, (uint32_t)((address - start) >> TD_GRANULE_LOG2));
  if (cell >= info->cells) return 0;
  uint32_t granule = cell * heap->blocks[b].cell_granules;
  return holds_object(heap, first + granule) ? td_granule_address(start, granule) : 0;
}

size_t td_heap_object_bytes(const struct td_heap *heap, uintptr_t object) {
  uint32_t b = (uint32_t)((object - heap->base) >> TD_BLOCK_LOG2);
  uint32_t granules = heap->blocks[b].cell_granules;
  return granules ? (size_t)granules << TD_GRANULE_LOG2 : heap->infos[b].large_bytes;
}

static bool walk_block(const struct td_heap *heap, uint32_t b, td_heap_visit visit, void *context) {
  const struct td_block *block = &heap->blocks[b];
  const struct td_block_info *info = &heap->infos[b];
  uint64_t first = (uint64_t)b << TD_BLOCK_GRANULES_LOG2;
  uint32_t cells = info->state == TD_BLOCK_SMALL ? info->cells : 1;
  for (uint32_t i = 0; i < cells; i++) {
    uint64_t granule = first + (uint64_t)i * block->cell_granules;
    if (!holds_object(heap, granule)) continue;
    uintptr_t object = td_granule_address(heap->base, granule);
    if (!visit(object, td_heap_object_bytes(heap, object), block->layout, context)) return false;
  }
  return true;
}

void td_heap_walk(const struct td_heap *heap, td_heap_visit visit, void *context) {
  for (uint32_t b = 1; b < heap->frontier; b++) {
    uint8_t state = heap->infos[b].state;
    if (state != TD_BLOCK_SMALL && state != TD_BLOCK_LARGE) continue;
    if (!walk_block(heap, b, visit, context)) return;
  }
}

/* ---- Check ---- */

static bool fault(struct tide_error *error, uint32_t block, const char *what) {
  if (error) {
    error->status = TIDE_ERROR_CHECK;
    snprintf(error->text, sizeof error->text, "heap check: block %u: %s", block, what);
  }
  return false;
}

static bool check_free(const struct td_heap *heap, uint32_t b, struct tide_error *error) {
  if (heap->infos[b].state != TD_BLOCK_FREE) return fault(error, b, "free bit of a used block");
  if (heap->blocks[b].kind != TD_KIND_NONE) return fault(error, b, "free block with a kind");
  return true;
}

static bool check_small(const struct td_heap *heap, uint32_t b, struct tide_error *error) {
  const struct td_block *block = &heap->blocks[b];
  const struct td_block_info *info = &heap->infos[b];
  if (block->layout == 0 || block->layout >= heap->layouts.count)
    return fault(error, b, "unknown layout");
  const struct td_layout *described = &heap->layouts.at[block->layout];
  struct td_block fresh = td_small_block(described, block->layout, block->cell_granules);
  if (block->kind != fresh.kind || block->map != fresh.map)
    return fault(error, b, "kind or map differs from the layout's");
  if ((size_t)block->cell_granules << TD_GRANULE_LOG2 != td_class_bytes(info->size_class))
    return fault(error, b, "cell size differs from the class's");
  if (info->cells != TD_BLOCK_GRANULES / block->cell_granules)
    return fault(error, b, "wrong number of cells");
  uint64_t first = (uint64_t)b << TD_BLOCK_GRANULES_LOG2;
  for (uint64_t i = 0; i < TD_BLOCK_GRANULES; i++)
    if (heap->marks[first + i] & TD_PENDING) return fault(error, b, "pending object left");
  return true;
}

static bool check_large(const struct td_heap *heap, uint32_t b, struct tide_error *error) {
  const struct td_block_info *info = &heap->infos[b];
  if (info->run_blocks == 0 || info->run_blocks > heap->frontier - b)
    return fault(error, b, "large object leaves the heap");
  if (info->large_bytes > (size_t)info->run_blocks << TD_BLOCK_LOG2)
    return fault(error, b, "large object longer than its blocks");
  for (uint32_t i = 1; i < info->run_blocks; i++)
    if (heap->infos[b + i].state != TD_BLOCK_TAIL || heap->infos[b + i].run_blocks != i)
      return fault(error, b, "broken tail of a large object");
  return true;
}

static bool check_block(const struct td_heap *heap, uint32_t b, struct tide_error *error) {
  if (!heap->slab_committed[b / TD_SLAB_BLOCKS]) return fault(error, b, "used but not committed");
  for (size_t page = b * TD_BLOCK_PAGES; page < (b + 1) * TD_BLOCK_PAGES; page++)
    for (unsigned row = 0; row < TD_FLAG_ROWS; row++)
      if (td_flag_peek(heap, row, page)) return fault(error, b, "pending flag left");
  switch (heap->infos[b].state) {
  case TD_BLOCK_SMALL:
    return check_small(heap, b, error);
  case TD_BLOCK_LARGE:
    return check_large(heap, b, error);
  case TD_BLOCK_TAIL: {
    uint32_t head = b - heap->infos[b].run_blocks;
    return heap->infos[b].run_blocks <= b && heap->infos[head].state == TD_BLOCK_LARGE
               ? true
               : fault(error, b, "tail without a head");
  }
  default:
    return fault(error, b, "used block without a state");
  }
}

bool td_heap_check(struct td_heap *heap, struct tide_error *error) {
  uint32_t used = 0;
  for (uint32_t b = 1; b < heap->frontier; b++) {
    bool is_free = td_block_is_free(heap, b);
    used += !is_free;
    if (!(is_free ? check_free(heap, b, error) : check_block(heap, b, error))) return false;
  }
  return used == heap->used_blocks || fault(error, 0, "count of used blocks is wrong");
}
