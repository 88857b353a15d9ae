/* Size classes: the sizes that cells of a block may have.
 *
 * Up to 512 bytes there is a class for every 16 bytes (class = size / 16). Above, there are four
 * classes to each doubling, up to half a block. Rounding a size up to its class wastes at most a
 * fifth of the cell. Class 0 is not used. */
#ifndef TD_HEAP_SIZE_CLASS_H
#define TD_HEAP_SIZE_CLASS_H

#include <stddef.h>

#define TD_CLASS_LINEAR_LAST 32u
#define TD_CLASSES 57u

/* Returns the smallest class that holds `bytes`, which is in [1, TD_SMALL_BYTES_MAX]. */
unsigned td_class_of(size_t bytes);
/* Returns the size of the class's cells. */
size_t td_class_bytes(unsigned size_class);
/* Returns the smallest class that holds `bytes` and whose cells are all aligned to `alignment`, or
 * 0 if there is none. */
unsigned td_class_aligned(size_t bytes, size_t alignment);

#endif
