/* SPDX-License-Identifier: MIT */
/* The objects that a visit has found and has to scan: a bit for each granule of the region, and a
 * summary with a bit for each word of those. Listing them brings them into the order of their
 * addresses, which is worth more than the order in which they were found. */
#ifndef TD_MARKER_REGION_FRESH_H
#define TD_MARKER_REGION_FRESH_H

#include <stdint.h>

#define TD_FRESH_WORD 6u  /* log2 of the granules of a word */
#define TD_FRESH_PART 12u /* log2 of the granules of a word of the summary */

static inline void td_fresh_add(uint64_t *fresh, uint64_t *summary, uint32_t granule) {
  fresh[granule >> TD_FRESH_WORD] |= (uint64_t)1 << granule % 64;
  summary[granule >> TD_FRESH_PART] |= (uint64_t)1 << (granule >> TD_FRESH_WORD) % 64;
}

/* Adds those of the 64 granules from `granule` on that have a bit. */
static inline void td_fresh_add_word(uint64_t *fresh, uint64_t *summary, uint32_t granule,
                                     uint64_t bits) {
  if (!bits) return;
  fresh[granule >> TD_FRESH_WORD] |= bits;
  summary[granule >> TD_FRESH_PART] |= (uint64_t)1 << (granule >> TD_FRESH_WORD) % 64;
}

/* Writes the granules of a part to `end`, takes their bits away and returns the new end. */
static inline uint32_t *td_fresh_list(uint64_t *fresh, uint64_t *summary, uint32_t part,
                                      uint32_t *end) {
  uint64_t words = summary[part];
  summary[part] = 0;
  for (; words; words &= words - 1) {
    uint32_t word = (part << (TD_FRESH_PART - TD_FRESH_WORD)) + (uint32_t)__builtin_ctzll(words);
    uint64_t bits = fresh[word];
    fresh[word] = 0;
    for (; bits; bits &= bits - 1)
      *end++ = (word << TD_FRESH_WORD) + (uint32_t)__builtin_ctzll(bits);
  }
  return end;
}

#endif
