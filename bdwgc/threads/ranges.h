/* SPDX-License-Identifier: MIT */
/* Ranges of addresses in order, one for each beginning. They may overlap. */
#ifndef TD_BDWGC_THREADS_RANGES_H
#define TD_BDWGC_THREADS_RANGES_H

#include <stddef.h>
#include <stdint.h>

struct td_range {
  uintptr_t low, high; /* [low, high) */
};
struct td_ranges {
  struct td_range *at;
  size_t count, capacity;
};

/* Adds a range, or makes the one that begins there as long. Ends the process if memory runs out.
 * low < high. */
void td_ranges_add(struct td_ranges *ranges, uintptr_t low, uintptr_t high);
/* Removes the ranges that lie fully in [low, high). */
void td_ranges_remove(struct td_ranges *ranges, uintptr_t low, uintptr_t high);

/* Calls visit for the parts of [low, high) that are in none of the ranges. */
void td_ranges_without(const struct td_ranges *ranges, uintptr_t low, uintptr_t high,
                       void (*visit)(uintptr_t low, uintptr_t high, void *context), void *context);

#endif
