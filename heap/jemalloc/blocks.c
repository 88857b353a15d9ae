/* The pool of blocks over slabs that jemalloc chooses. What is taken from the arena at once, one
 * slab mostly, several for a long run, is given back at once: it is a group. A free block has its
 * bit set whether its slab is the heap's or not, as in the other pool; only blocks of slabs that
 * are the heap's are given out. Slabs do not lie side by side, so no run crosses from one group
 * into another. */
#include "heap/blocks.h"

#include <stdlib.h>

#include "heap/jemalloc/arena.h"
#include "heap/slabs.h"

/* In slab_committed. */
enum { NOT_OURS = 0, GROUP_FIRST = 1, GROUP_OTHER = 2 };

_Static_assert(TD_SLAB_BLOCKS == 32, "a word of 32 bits tells which blocks of a slab are free");

struct td_slabs {
  struct td_arena *arena;
};

/* ---- The arena ---- */

/* jemalloc puts a page behind each large allocation, so that every other slab's addresses are
 * left out, and a chunk of its own bookkeeping into the range. */
size_t td_slabs_range_bytes(size_t wanted) {
  size_t margin = 8 * TD_SLAB_BYTES;
  return wanted <= (SIZE_MAX - margin) / 4 ? 2 * wanted + margin : wanted;
}

bool td_slabs_open(struct td_heap *heap) {
  struct td_slabs *slabs = calloc(1, sizeof *slabs);
  if (!slabs) return false;
  /* Block 0 is never given out; without its slab, every group is whole. */
  slabs->arena =
      td_arena_open((char *)heap->base + TD_SLAB_BYTES, heap->reserved_bytes - TD_SLAB_BYTES);
  if (!slabs->arena) {
    free(slabs);
    return false;
  }
  heap->slabs = slabs;
  return true;
}

void td_slabs_close(struct td_heap *heap) {
  if (!heap->slabs) return;
  td_arena_close(heap->slabs->arena);
  free(heap->slabs);
  heap->slabs = NULL;
}

void td_slabs_tick(struct td_heap *heap) {
  td_arena_decay(heap->slabs->arena);
}

size_t td_slabs_cached_bytes(const struct td_heap *heap) {
  size_t all = td_arena_committed_bytes(heap->slabs->arena);
  /* relaxed: a figure of some moment. */
  size_t ours = atomic_load_explicit(&heap->committed_slabs, memory_order_relaxed);
  return all > ours * TD_SLAB_BYTES ? all - ours * TD_SLAB_BYTES : 0;
}

/* ---- Groups ---- */

static uint32_t free_blocks_of(const struct td_heap *heap, uint32_t slab) {
  return (uint32_t)(heap->free_bits[slab / 2] >> (slab % 2 * 32));
}

static void set_free(struct td_heap *heap, uint32_t first, uint32_t count, bool is_free) {
  for (uint32_t b = first; b < first + count; b++) {
    uint64_t bit = (uint64_t)1 << (b % 64);
    heap->free_bits[b / 64] = (heap->free_bits[b / 64] & ~bit) | (is_free ? bit : 0);
  }
}

/* Blocks below it are free or used, never unknown. */
static void raise_frontier(struct td_heap *heap, uint32_t end) {
  if (end <= heap->frontier) return;
  set_free(heap, heap->frontier, end - heap->frontier, true);
  if (heap->frontier == 0) set_free(heap, 0, 1, false);
  heap->frontier = end;
}

/* With what jemalloc keeps. */
static void note_peak(struct td_heap *heap) {
  size_t all = td_arena_committed_bytes(heap->slabs->arena);
  uint32_t slabs = (uint32_t)((all + TD_SLAB_BYTES - 1) / TD_SLAB_BYTES);
  if (slabs > heap->peak_committed_slabs) heap->peak_committed_slabs = slabs;
}

/* The first block of a new group for so many; 0: no memory. */
static uint32_t take_group(struct td_heap *heap, uint32_t count) {
  size_t bytes = ((size_t)count + TD_SLAB_BLOCKS - 1) / TD_SLAB_BLOCKS * TD_SLAB_BYTES;
  bool zero;
  uintptr_t at = (uintptr_t)td_arena_take(heap->slabs->arena, &bytes, TD_SLAB_BYTES, &zero);
  if (at && !heap->small_pages) td_plat_advise_huge((void *)at, bytes);
  if (!at) return 0;
  uint32_t slab = (uint32_t)((at - heap->base) / TD_SLAB_BYTES);
  uint32_t slabs = (uint32_t)(bytes / TD_SLAB_BYTES), first = slab * (uint32_t)TD_SLAB_BLOCKS;
  raise_frontier(heap, first + slabs * (uint32_t)TD_SLAB_BLOCKS);
  for (uint32_t i = 0; i < slabs; i++)
    heap->slab_committed[slab + i] = i == 0 ? GROUP_FIRST : GROUP_OTHER;
  for (uint32_t b = first; b < first + slabs * TD_SLAB_BLOCKS; b++)
    heap->infos[b].zeroed = zero;
  /* relaxed: under the lock. */
  atomic_fetch_add_explicit(&heap->committed_slabs, slabs, memory_order_relaxed);
  note_peak(heap);
  if (first < heap->single_hint) heap->single_hint = first;
  return first;
}

static uint32_t group_slabs(const struct td_heap *heap, uint32_t slab) {
  uint32_t count = 1;
  while (slab + count < heap->frontier / TD_SLAB_BLOCKS &&
         heap->slab_committed[slab + count] == GROUP_OTHER)
    count++;
  return count;
}

static bool group_is_free(const struct td_heap *heap, uint32_t slab, uint32_t slabs) {
  for (uint32_t i = 0; i < slabs; i++)
    if (free_blocks_of(heap, slab + i) != UINT32_MAX) return false;
  return true;
}

static void give_group(struct td_heap *heap, uint32_t slab, uint32_t slabs) {
  for (uint32_t i = 0; i < slabs; i++)
    heap->slab_committed[slab + i] = NOT_OURS;
  td_arena_give(heap->slabs->arena, (char *)heap->base + (size_t)slab * TD_SLAB_BYTES);
  /* relaxed: under the lock. */
  atomic_fetch_sub_explicit(&heap->committed_slabs, slabs, memory_order_relaxed);
}

/* ---- The pool ---- */

/* The lowest of `count` neighbouring set bits, -1 if there are none. */
static int run_in(uint32_t bits, uint32_t count) {
  for (uint32_t have = 1; have < count;) {
    uint32_t more = have < count - have ? have : count - have;
    bits &= bits >> more;
    have += more;
  }
  return bits ? __builtin_ctz(bits) : -1;
}

/* In a slab of the heap's; 0: in none. */
static uint32_t find_run(struct td_heap *heap, uint32_t count) {
  uint32_t slabs = heap->frontier / (uint32_t)TD_SLAB_BLOCKS;
  bool nothing_below = true;
  for (uint32_t slab = heap->single_hint / (uint32_t)TD_SLAB_BLOCKS; slab < slabs; slab++) {
    uint32_t first = slab * (uint32_t)TD_SLAB_BLOCKS;
    uint32_t bits = heap->slab_committed[slab] == NOT_OURS ? 0 : free_blocks_of(heap, slab);
    nothing_below &= bits == 0;
    if (nothing_below) heap->single_hint = first + (uint32_t)TD_SLAB_BLOCKS;
    int at = run_in(bits, count);
    if (at >= 0) return first + (uint32_t)at;
  }
  return 0;
}

/* A long run in a group that is free and has not gone yet; 0: there is none. */
static uint32_t find_group(struct td_heap *heap, uint32_t count) {
  for (uint32_t slab = 0; slab < heap->frontier / TD_SLAB_BLOCKS; slab++) {
    if (heap->slab_committed[slab] != GROUP_FIRST) continue;
    uint32_t slabs = group_slabs(heap, slab);
    if (slabs * TD_SLAB_BLOCKS >= count && group_is_free(heap, slab, slabs))
      return slab * (uint32_t)TD_SLAB_BLOCKS;
  }
  return 0;
}

uint32_t td_blocks_take(struct td_heap *heap, uint32_t count) {
  if (count > heap->budget_blocks || heap->used_blocks > heap->budget_blocks - count) return 0;
  uint32_t first = count <= TD_SLAB_BLOCKS ? find_run(heap, count) : find_group(heap, count);
  if (first == 0) first = take_group(heap, count);
  if (first == 0) return 0;
  set_free(heap, first, count, false);
  heap->used_blocks += count;
  return first;
}

void td_blocks_give(struct td_heap *heap, uint32_t first, uint32_t count) {
  for (uint32_t b = first; b < first + count; b++) {
    heap->blocks[b] = (struct td_block){0};
    heap->infos[b] = (struct td_block_info){0};
  }
  set_free(heap, first, count, true);
  heap->used_blocks -= count;
  if (first < heap->single_hint) heap->single_hint = first;
}

size_t td_heap_trim(struct td_heap *heap, size_t keep_bytes) {
  size_t keep = keep_bytes / TD_SLAB_BYTES, given = 0;
  pthread_mutex_lock(&heap->lock);
  for (uint32_t slab = 0; slab < heap->frontier / TD_SLAB_BLOCKS; slab++) {
    if (heap->slab_committed[slab] != GROUP_FIRST) continue;
    uint32_t slabs = group_slabs(heap, slab);
    if (!group_is_free(heap, slab, slabs)) continue;
    if (keep >= slabs) {
      keep -= slabs;
      continue;
    }
    give_group(heap, slab, slabs);
    given += slabs * TD_SLAB_BYTES;
  }
  pthread_mutex_unlock(&heap->lock);
  return given;
}
