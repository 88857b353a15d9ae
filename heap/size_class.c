/* Size classes: conversions between sizes and classes. */
#include "heap/size_class.h"

#include "heap/block.h"
#include "tide/tide.h"

_Static_assert(TIDE_BUMP_INLINE_BYTES == TD_CLASS_LINEAR_LAST * TD_GRANULE_BYTES,
               "the public header computes linear classes itself");

/* Class 32 + 4 * d + q, with q in 1…4, holds 512 * 2^d * (1 + q / 4) bytes. */
unsigned td_class_of(size_t bytes) {
  if (bytes <= TIDE_BUMP_INLINE_BYTES) return (unsigned)((bytes + 15) / 16);
  unsigned log2 = 63u - (unsigned)__builtin_clzll(bytes - 1); /* 2^log2 < bytes <= 2^(log2+1) */
  unsigned doubling = log2 - 9;
  size_t step = (size_t)1 << (log2 - 2);
  size_t quarter = (bytes - 1 - ((size_t)1 << log2)) / step; /* 0…3 */
  return TD_CLASS_LINEAR_LAST + 4 * doubling + (unsigned)quarter + 1;
}

size_t td_class_bytes(unsigned size_class) {
  if (size_class <= TD_CLASS_LINEAR_LAST) return (size_t)size_class * 16;
  unsigned geometric = size_class - TD_CLASS_LINEAR_LAST - 1;
  size_t base = (size_t)512 << (geometric / 4);
  return base + base / 4 * (geometric % 4 + 1);
}

unsigned td_class_aligned(size_t bytes, size_t alignment) {
  for (unsigned c = td_class_of(bytes); c < TD_CLASSES; c++)
    if (td_class_bytes(c) % alignment == 0) return c;
  return 0;
}
