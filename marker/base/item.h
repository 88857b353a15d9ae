/* What a marking queue holds: items of 64 bits. An item is an object or a slice of an array; 0 is
 * no item. */
#ifndef TD_MARKER_BASE_ITEM_H
#define TD_MARKER_BASE_ITEM_H

#include <stdint.h>

#include "marker/base/tuning.h"

/* ---- Objects ---- */

/* The item of an object is its address. Objects are 16-byte aligned, so bit 0 is free. If it is
 * set, the object is grey: it is marked and counted, and still has to be scanned. If it is clear,
 * nobody has looked at the object's mark yet. */
#define TD_ITEM_GREY ((uint64_t)1)

/* ---- Slices ---- */

/* No address has bit 63; an item that has it is a slice. Bits 58 to 62 hold the level of the slice,
 * bits 36 to 57 its index, bits 0 to 35 the granule at which the array begins. The slice covers the
 * slots [index * S, (index + 1) * S) of the array, where S = TD_SLICE_SLOTS << level. */
#define TD_ITEM_SLICE ((uint64_t)1 << 63)
#define TD_ITEM_GRANULE_BITS 36u
#define TD_ITEM_INDEX_BITS 22u

static inline uint64_t td_slice_item(uint64_t granule, unsigned level, uint64_t index) {
  return TD_ITEM_SLICE | (uint64_t)level << (TD_ITEM_GRANULE_BITS + TD_ITEM_INDEX_BITS) |
         index << TD_ITEM_GRANULE_BITS | granule;
}

static inline uint64_t td_item_granule(uint64_t item) {
  return item & (((uint64_t)1 << TD_ITEM_GRANULE_BITS) - 1);
}
static inline uint64_t td_item_index(uint64_t item) {
  return item >> TD_ITEM_GRANULE_BITS & (((uint64_t)1 << TD_ITEM_INDEX_BITS) - 1);
}
static inline unsigned td_item_level(uint64_t item) {
  return (unsigned)(item >> (TD_ITEM_GRANULE_BITS + TD_ITEM_INDEX_BITS)) & 31u;
}

#endif
