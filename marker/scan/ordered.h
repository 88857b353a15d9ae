/* SPDX-License-Identifier: MIT */
/* Arrays whose objects lie in the order of the slots, as those do that a program made one after the
 * other. */
#ifndef TD_MARKER_SCAN_ORDERED_H
#define TD_MARKER_SCAN_ORDERED_H

#include "heap/view.h"
#include "marker/base/tuning.h"

/* Does the word lead to an object whose slots are few? It need not be a reference. */
static inline bool td_leads_to_few(const struct td_view *v, uintptr_t word) {
  if (!td_view_is_reference(v, word)) return false;
  const struct td_block *block = td_view_block(v, word);
  return td_kind_has_map(block->kind) && block->map >> TD_ORDERED_SLOTS == 0;
}

/* Looks at the first slots. Returns whether they are likely to lead to objects with few slots in
 * the order of their addresses. */
bool td_is_ordered(const struct td_space *space, const uintptr_t *slots, size_t count);

#endif
