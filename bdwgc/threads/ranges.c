/* SPDX-License-Identifier: MIT */
/* Ranges of addresses. They are few: a program adds a handful of roots. */
#include "bdwgc/threads/ranges.h"

#include <stdlib.h>
#include <string.h>

#include "bdwgc/heap.h"
#include "bdwgc/say.h"

static void insert(struct td_ranges *ranges, size_t at, uintptr_t low, uintptr_t high) {
  if (ranges->count == ranges->capacity) {
    size_t capacity = ranges->capacity ? ranges->capacity * 2 : 16;
    struct td_range *larger = realloc(ranges->at, capacity * sizeof *larger);
    if (!larger) td_bdwgc_die("no memory for another %zu ranges of roots", capacity);
    ranges->at = larger;
    ranges->capacity = capacity;
  }
  memmove(&ranges->at[at + 1], &ranges->at[at], (ranges->count - at) * sizeof *ranges->at);
  ranges->at[at] = (struct td_range){low, high};
  ranges->count++;
}

void td_ranges_add(struct td_ranges *ranges, uintptr_t low, uintptr_t high) {
  size_t i = 0;
  while (i < ranges->count && ranges->at[i].low < low)
    i++;
  if (i == ranges->count || ranges->at[i].low != low)
    insert(ranges, i, low, high);
  else if (ranges->at[i].high < high)
    ranges->at[i].high = high;
}

void td_ranges_remove(struct td_ranges *ranges, uintptr_t low, uintptr_t high) {
  size_t kept = 0;
  for (size_t i = 0; i < ranges->count; i++)
    if (ranges->at[i].low < low || ranges->at[i].high > high) ranges->at[kept++] = ranges->at[i];
  ranges->count = kept;
}

void td_ranges_without(const struct td_ranges *ranges, uintptr_t low, uintptr_t high,
                       void (*visit)(uintptr_t, uintptr_t, void *), void *context) {
  for (size_t i = 0; i < ranges->count && low < high; i++) {
    struct td_range out = ranges->at[i];
    if (out.high <= low || out.low >= high) continue;
    if (out.low > low) visit(low, out.low, context);
    low = out.high;
  }
  if (low < high) visit(low, high, context);
}
