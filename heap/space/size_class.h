/* SPDX-License-Identifier: MIT */
/* Size classes: the sizes that cells of a block may have.
 *
 * Up to 512 bytes there is a class for every 16 bytes (class = size / 16). Above, there are four
 * classes to each doubling, up to half a block. Rounding a size up to its class wastes at most a
 * fifth of the cell. Class 0 is not used. */
#ifndef TD_HEAP_SPACE_SIZE_CLASS_H
#define TD_HEAP_SPACE_SIZE_CLASS_H

#include <stddef.h>

#include "tide/tide.h"

#define TD_CLASS_LINEAR_LAST 32u
#define TD_CLASSES 57u
_Static_assert(TIDE_BUMP_INLINE_BYTES == TD_CLASS_LINEAR_LAST * 16,
               "the public header computes linear classes itself");

/* Returns the smallest class that holds `bytes`, which is in [1, TD_SMALL_BYTES_MAX]. Class
 * 32 + 4 * d + q, with q in 1…4, holds 512 * 2^d * (1 + q / 4) bytes. */
static inline unsigned td_class_of(size_t bytes) {
  if (bytes <= TIDE_BUMP_INLINE_BYTES) return (unsigned)((bytes + 15) / 16);
  unsigned log2 = 63u - (unsigned)__builtin_clzll(bytes - 1); /* 2^log2 < bytes <= 2^(log2+1) */
  unsigned doubling = log2 - 9;
  size_t step = (size_t)1 << (log2 - 2);
  size_t quarter = (bytes - 1 - ((size_t)1 << log2)) / step; /* 0…3 */
  return TD_CLASS_LINEAR_LAST + 4 * doubling + (unsigned)quarter + 1;
}

/* Returns the size of the class's cells. */
static inline size_t td_class_bytes(unsigned size_class) {
  if (size_class <= TD_CLASS_LINEAR_LAST) return (size_t)size_class * 16;
  unsigned geometric = size_class - TD_CLASS_LINEAR_LAST - 1;
  size_t base = (size_t)512 << (geometric / 4);
  return base + base / 4 * (geometric % 4 + 1);
}

/* Returns the smallest class that holds `bytes` and whose cells are all aligned to `alignment`, or
 * 0 if there is none. */
static inline unsigned td_class_aligned(size_t bytes, size_t alignment) {
  for (unsigned c = td_class_of(bytes); c < TD_CLASSES; c++)
    if (td_class_bytes(c) % alignment == 0) return c;
  return 0;
}

#endif
