/* The pool of blocks. Slabs of 32 blocks are committed as the frontier moves up; a free block
 * below the frontier has its bit set, whether its slab is committed or was given back. */
#include "heap/blocks.h"

#include <string.h>

static void set_free(struct td_heap *heap, uint32_t block, bool is_free) {
  uint64_t bit = (uint64_t)1 << (block % 64);
  if (is_free)
    heap->free_bits[block / 64] |= bit;
  else
    heap->free_bits[block / 64] &= ~bit;
}

static bool commit_slab(struct td_heap *heap, uint32_t slab) {
  char *start = (char *)heap->base + (size_t)slab * TD_SLAB_BYTES;
  if (!td_plat_commit(start, TD_SLAB_BYTES)) return false;
  if (heap->small_pages)
    td_plat_populate(start, TD_SLAB_BYTES);
  else
    td_plat_advise_huge(start, TD_SLAB_BYTES);
  heap->slab_committed[slab] = 1;
  /* relaxed: under the lock. */
  uint32_t slabs = 1 + atomic_fetch_add_explicit(&heap->committed_slabs, 1, memory_order_relaxed);
  if (slabs > heap->peak_committed_slabs) heap->peak_committed_slabs = slabs;
  for (uint32_t b = 0; b < TD_SLAB_BLOCKS; b++)
    heap->infos[slab * TD_SLAB_BLOCKS + b].zeroed = 1;
  return true;
}

/* The slabs of [first, first + count) are committed, or nothing is changed that matters. */
static bool commit_range(struct td_heap *heap, uint32_t first, uint32_t count) {
  uint32_t last = (uint32_t)((first + count - 1) / TD_SLAB_BLOCKS);
  for (uint32_t slab = (uint32_t)(first / TD_SLAB_BLOCKS); slab <= last; slab++)
    if (!heap->slab_committed[slab] && !commit_slab(heap, slab)) return false;
  return true;
}

static bool move_frontier(struct td_heap *heap) {
  uint32_t next = heap->frontier + (uint32_t)TD_SLAB_BLOCKS;
  if (next > heap->block_count) return false;
  for (uint32_t b = heap->frontier; b < next; b++)
    set_free(heap, b, b != 0);
  heap->frontier = next;
  return true;
}

/* The first free block at or above `from`, or the frontier. */
static uint32_t next_free(const struct td_heap *heap, uint32_t from) {
  uint32_t word = from / 64;
  uint64_t bits = heap->free_bits[word] & ~(uint64_t)0 << (from % 64);
  uint32_t words = (heap->frontier + 63) / 64;
  while (bits == 0) {
    if (++word >= words) return heap->frontier;
    bits = heap->free_bits[word];
  }
  uint32_t block = word * 64 + (uint32_t)__builtin_ctzll(bits);
  return block < heap->frontier ? block : heap->frontier;
}

/* The lowest run of `count` free blocks; it may end above the frontier, which then moves. */
static uint32_t find_run(struct td_heap *heap, uint32_t count) {
  uint32_t start = next_free(heap, heap->single_hint);
  heap->single_hint = start;
  uint32_t end = start;
  for (;;) {
    while (end < heap->frontier && end - start < count && td_block_is_free(heap, end))
      end++;
    if (end - start == count) return start;
    if (end == heap->frontier) {
      if (!move_frontier(heap)) return 0;
      if (start == 0) start = end = 1; /* block 0 is never given out */
    } else {
      start = end = next_free(heap, end + 1);
    }
  }
}

uint32_t td_blocks_take(struct td_heap *heap, uint32_t count) {
  if (count > heap->budget_blocks || heap->used_blocks > heap->budget_blocks - count) return 0;
  uint32_t first = find_run(heap, count);
  if (first == 0 || !commit_range(heap, first, count)) return 0;
  for (uint32_t b = first; b < first + count; b++)
    set_free(heap, b, false);
  heap->used_blocks += count;
  return first;
}

void td_blocks_give(struct td_heap *heap, uint32_t first, uint32_t count) {
  for (uint32_t b = first; b < first + count; b++) {
    heap->blocks[b] = (struct td_block){0};
    heap->infos[b] = (struct td_block_info){0};
    set_free(heap, b, true);
  }
  heap->used_blocks -= count;
  if (first < heap->single_hint) heap->single_hint = first;
}

size_t td_heap_trim(struct td_heap *heap, size_t keep_bytes) {
  pthread_mutex_lock(&heap->lock);
  size_t keep = keep_bytes / TD_SLAB_BYTES, given = 0;
  for (uint32_t slab = 0; slab < heap->frontier / TD_SLAB_BLOCKS; slab++) {
    uint32_t first = slab * (uint32_t)TD_SLAB_BLOCKS;
    uint32_t bits = (uint32_t)(heap->free_bits[first / 64] >> (first % 64));
    if (!heap->slab_committed[slab] || bits != UINT32_MAX) continue;
    if (keep > 0) {
      keep--;
      continue;
    }
    td_plat_decommit((char *)heap->base + (size_t)slab * TD_SLAB_BYTES, TD_SLAB_BYTES);
    heap->slab_committed[slab] = 0;
    /* relaxed: under the lock. */
    atomic_fetch_sub_explicit(&heap->committed_slabs, 1, memory_order_relaxed);
    given += TD_SLAB_BYTES;
  }
  pthread_mutex_unlock(&heap->lock);
  return given;
}
