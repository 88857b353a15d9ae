/* SPDX-License-Identifier: MIT */
#include "marker/scan/ordered.h"

static bool are_neighbours(const struct td_view *v, const uintptr_t *slots) {
  return slots[1] - slots[0] + TD_ORDERED_BYTES <= 2 * TD_ORDERED_BYTES &&
         td_leads_to_few(v, slots[0]) && td_leads_to_few(v, slots[1]);
}

/* Two of three samples decide, all of the first line of slots: what lies elsewhere may not have
 * been prefetched. */
bool td_is_ordered(const struct td_space *space, const uintptr_t *slots, size_t count) {
  if (count < TD_ORDERED_LEAST) return false;
  const struct td_view v = td_view_of(space);
  return are_neighbours(&v, slots) + are_neighbours(&v, slots + 3) +
             are_neighbours(&v, slots + 6) >=
         2;
}
