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

/* Returns the kind of block that these slots make. */
static unsigned kind_of_slots(uint64_t map) {
  unsigned slots = (unsigned)__builtin_popcountll(map);
  if (slots == 0) return TD_KIND_LEAF;
  return slots <= 8 ? TD_KIND_SLOTS_1 + slots - 1 : TD_KIND_BITMAP;
}

static unsigned kind_of_words(uint64_t map) {
  if (map == 0) return TD_KIND_LEAF;
  for (unsigned words = 2; words <= 8; words += 2)
    if (map == bits_between(0, words)) return TD_KIND_WORDS_2 + words / 2 - 1;
  return TD_KIND_WORDS;
}

static struct td_block with_map(struct td_block block, unsigned kind, uint64_t map) {
  block.kind = (kind == TD_KIND_WORDS ? kind_of_words(map) : kind_of_slots(map)) & 0xff;
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
  if (words > 64 && described->kind != TD_KIND_BITMAP) return block;
  switch (described->kind) {
  case TD_KIND_BITMAP:
    return with_map(block, TD_KIND_BITMAP, described->map);
  case TD_KIND_REPEATED:
    return with_map(block, TD_KIND_BITMAP, repeat(described->element, described->words, words));
  case TD_KIND_REFS:
    return with_map(block, TD_KIND_BITMAP, bits_between(0, words));
  case TD_KIND_PREFIXED:
    return with_map(block, TD_KIND_BITMAP, bits_between(described->map, words));
  case TD_KIND_CONSERVATIVE:
    return with_map(block, TD_KIND_WORDS, bits_between(0, words));
  case TD_KIND_TRACED: /* with words: those may be pointers, in a shorter last element too */
    if (!described->words) return block;
    return with_map(block, TD_KIND_WORDS,
                    repeat(described->bits[0], described->words, words + described->words - 1) &
                        bits_between(0, words));
  default:
    return block;
  }
}
