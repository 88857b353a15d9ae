/* SPDX-License-Identifier: MIT */
/* What a marking queue holds: items of 64 bits. An item is an object or a slice of an array; 0 is
 * no item. */
#ifndef TD_MARKER_BASE_ITEM_H
#define TD_MARKER_BASE_ITEM_H

#include <stdbool.h>
#include <stdint.h>

#include "heap/space/block.h"
#include "marker/base/tuning.h"

/* ---- Objects ---- */

/* The item of an object is its address. Objects are 16-byte aligned, so bit 0 is free. If it is
 * set, the object is grey: it is marked and counted, and still has to be scanned. If it is clear,
 * the object's mark has not been looked at yet. */
#define TD_ITEM_GREY ((uint64_t)1)

/* ---- Slices ---- */

/* No address has bit 63; an item that has it is a slice. Bits 44 to 62 hold the number of the
 * slice, bits 0 to 43 the granule at which the array begins, which is enough for every range that a
 * space can have. Slices are numbered as the nodes of a binary tree: 1 is the whole array, 2n and
 * 2n + 1 are the halves of slice n. How many slots that makes follows from the length of the array,
 * so no array is too long. Slices of the last numbers are not cut any further. */
#define TD_ITEM_SLICE ((uint64_t)1 << 63)
/* Number 0 is that of no slice: such an item is a group of grey objects, in the chunk whose number
 * stands in place of the granule. */
#define TD_ITEM_GRANULE_BITS (TD_RANGE_LOG2 - TD_GRANULE_LOG2)
#define TD_ITEM_NUMBER_BITS (63u - TD_ITEM_GRANULE_BITS)

static inline uint64_t td_slice_item(uint64_t granule, uint64_t number) {
  return TD_ITEM_SLICE | number << TD_ITEM_GRANULE_BITS | granule;
}

static inline uint64_t td_item_granule(uint64_t item) {
  return item & (((uint64_t)1 << TD_ITEM_GRANULE_BITS) - 1);
}
static inline uint64_t td_item_number(uint64_t item) {
  return item >> TD_ITEM_GRANULE_BITS & (((uint64_t)1 << TD_ITEM_NUMBER_BITS) - 1);
}
static inline uint64_t td_group_item(uint32_t chunk) {
  return td_slice_item(chunk, 0);
}
static inline bool td_item_is_group(uint64_t item) {
  return td_item_number(item) == 0;
}
/* Returns how often the array was cut in halves to make slice `number`. */
static inline unsigned td_slice_depth(uint64_t number) {
  return 63u - (unsigned)__builtin_clzll(number);
}
/* Returns whether slice `number` has halves that are slices. */
static inline bool td_slice_can_be_cut(uint64_t number) {
  return number < (uint64_t)1 << (TD_ITEM_NUMBER_BITS - 1);
}

#endif
