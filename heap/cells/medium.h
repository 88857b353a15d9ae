/* SPDX-License-Identifier: MIT */
/* Medium objects: of over half a block up to 512 KiB. In blocks of their own, one of 33,000 bytes
 * would take 65,536. So where there are several of a layout and a similar size, they share a span:
 * neighbouring blocks without a remainder, divided into equal cells of whole pages. A cell wastes
 * at most an eighth of the object.
 *
 * To markers a medium object is like a large one that begins at any page: every block of a span has
 * the layout's entry, and its large_bytes is that of a cell. The first block's info describes the
 * span; the others are tails. `reserved` of a span is the number of the cell from which free ones
 * are searched, `held` tells that the span is listed. */
#ifndef TD_HEAP_CELLS_MEDIUM_H
#define TD_HEAP_CELLS_MEDIUM_H

#include "heap/cells/alive.h"
#include "heap/space/space.h"

#define TD_MEDIUM_BYTES_MAX ((size_t)512 << 10)

/* Returns the smallest medium class that holds `bytes`, which is in (TD_SMALL_BYTES_MAX,
 * TD_MEDIUM_BYTES_MAX], and the size of a class's cells. */
unsigned td_medium_class(size_t bytes);
size_t td_medium_bytes(unsigned medium_class);

/* Returns an object, zeroed unless its layout does without, of at least `bytes` in a cell of a
 * span, or NULL: there have been few objects of the kind so far, or there is no room for a span. It
 * may have one as a large object. */
void *td_space_alloc_medium(struct td_space *space, tide_layout layout, size_t bytes);
/* Returns an object of over half a block, or of any size if it is to begin `in_blocks`: medium if
 * may be, else large. Zeroed as above. NULL if there is no room, and then *room says why. */
void *td_space_alloc_long(struct td_space *space, tide_layout layout, size_t bytes, bool in_blocks,
                          enum td_room *room);
/* Frees the cell of an object. */
void td_space_free_medium(struct td_space *space, uintptr_t object);
/* For sorting; under the lock. Lists a span that has room. Returns how many of its cells hold live
 * objects, and whether any cell is in use: those in quarantine are. */
uint32_t td_medium_sort(struct td_space *space, uint32_t first, struct td_alive alive,
                        bool *in_use);
/* Before that, after a young marking: takes the span off its list and clears the marks of young
 * objects that are dead. */
void td_medium_begin_young_sort(struct td_space *space, uint32_t first);
/* Empties all lists. */
void td_medium_unlist(struct td_space *space);

#endif
