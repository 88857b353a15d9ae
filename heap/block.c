/* Blocks: what the marker sees of one. */
#include "heap/block.h"

/* Returns a word with the bits [from, to) of its 64 set. */
static uint64_t bits_between(uint64_t from, uint64_t to) {
  return from >= to ? 0 : UINT64_MAX >> (64 - to) >> from << from;
}

/* The elements that fit into `words` words, which are at most 64. */
static uint64_t repeat(const struct td_layout *described, uint64_t words) {
  uint64_t map = 0;
  for (uint64_t at = 0; at + described->words <= words; at += described->words)
    map |= described->element << at;
  return map;
}

struct td_block td_small_block(const struct td_layout *described, tide_layout layout,
                               uint32_t cell_granules) {
  struct td_block block = {.map = described->map,
                           .recip = td_recip_of(cell_granules) & 0xffffffu,
                           .kind = described->kind,
                           .cell_granules = (uint16_t)cell_granules,
                           .layout = layout};
  uint64_t words = (uint64_t)cell_granules * 2;
  if (words > 64) return block;
  if (block.kind == TD_KIND_REPEATED)
    block.map = repeat(described, words);
  else if (block.kind == TD_KIND_REFS || block.kind == TD_KIND_PREFIXED)
    block.map = bits_between(block.kind == TD_KIND_PREFIXED ? block.map : 0, words);
  else
    return block;
  block.kind = block.map ? TD_KIND_BITMAP : TD_KIND_LEAF;
  return block;
}
