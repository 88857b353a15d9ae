/* SPDX-License-Identifier: MIT */
/* Blocks: what the marker sees of one. */
#include "heap/space/block.h"

/* Returns a word with the bits [from, to) of its 64 set. */
static uint64_t bits_between(uint64_t from, uint64_t to) {
  return from >= to ? 0 : UINT64_MAX >> (64 - to) >> from << from;
}

/* The elements of `each` words that fit into `words` words, which are at most 64. */
static uint64_t repeat(uint64_t element, uint64_t each, uint64_t words) {
  uint64_t map = 0;
  for (uint64_t at = 0; at + each <= words; at += each)
    map |= element << at;
  return map;
}

static struct td_block with_map(struct td_block block, unsigned kind, uint64_t map) {
  block.kind = (map ? kind : TD_KIND_LEAF) & 0xff;
  block.map = map;
  return block;
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
  switch (described->kind) {
  case TD_KIND_REPEATED:
    return with_map(block, TD_KIND_BITMAP, repeat(described->element, described->words, words));
  case TD_KIND_REFS:
    return with_map(block, TD_KIND_BITMAP, bits_between(0, words));
  case TD_KIND_PREFIXED:
    return with_map(block, TD_KIND_BITMAP, bits_between(described->map, words));
  case TD_KIND_CONSERVATIVE:
    return with_map(block, TD_KIND_WORDS, bits_between(0, words));
  case TD_KIND_TRACED: /* with words: those may be pointers */
    if (!described->words) return block;
    return with_map(block, TD_KIND_WORDS, repeat(described->bits[0], described->words, words));
  default:
    return block;
  }
}
