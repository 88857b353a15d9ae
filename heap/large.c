/* Objects over half a block: runs of neighbouring blocks of their own. */
#include <string.h>

#include "heap/blocks.h"
#include "heap/heap.h"

#define PURGE_BYTES ((size_t)1 << 20) /* from here, fresh pages are cheaper than zeroing */

static void zero(struct td_heap *heap, uint32_t first, uint32_t count, size_t bytes) {
  bool written = false;
  for (uint32_t b = first; b < first + count; b++)
    written |= !heap->infos[b].zeroed;
  char *start = (char *)heap->base + ((size_t)first << TD_BLOCK_LOG2);
  if (!written) return;
  if (bytes >= PURGE_BYTES)
    td_plat_purge(start, (size_t)count << TD_BLOCK_LOG2);
  else
    memset(start, 0, bytes);
}

void *td_heap_alloc_large(struct td_heap *heap, tide_layout layout, size_t bytes) {
  if (bytes == 0 || bytes > heap->reserved_bytes) return NULL;
  uint32_t count = (uint32_t)((bytes + TD_BLOCK_BYTES - 1) >> TD_BLOCK_LOG2);
  size_t rounded = (bytes + TD_GRANULE_BYTES - 1) & ~(TD_GRANULE_BYTES - 1);
  const struct td_layout *described = &heap->layouts.at[layout];
  pthread_mutex_lock(&heap->lock);
  uint32_t first = td_blocks_take(heap, count);
  pthread_mutex_unlock(&heap->lock);
  if (!first) return NULL;
  zero(heap, first, count, rounded);
  for (uint32_t b = first + 1; b < first + count; b++) {
    heap->blocks[b] = (struct td_block){.layout = layout};
    heap->infos[b] = (struct td_block_info){.state = TD_BLOCK_TAIL, .run_blocks = b - first};
  }
  heap->infos[first] =
      (struct td_block_info){.state = TD_BLOCK_LARGE, .run_blocks = count, .large_bytes = rounded};
  heap->blocks[first] =
      (struct td_block){.map = described->map, .kind = described->kind, .layout = layout};
  heap->marks[(uint64_t)first << TD_BLOCK_GRANULES_LOG2] = heap->epoch;
  return (char *)heap->base + ((size_t)first << TD_BLOCK_LOG2);
}
