/* SPDX-License-Identifier: MIT */
/* The side tables of a space: readable as far as the range reaches, and zero; writable as far as it
 * is used, but for the smallest. So a long range costs address space, and for each 44 GB of it
 * half a MiB where the system counts what may be written, or locks it into memory. */
#ifndef TD_HEAP_SPACE_TABLES_H
#define TD_HEAP_SPACE_TABLES_H

#include "heap/space/space.h"

/* Heaps with small pages have them for the marks of this much, too. */
#define TD_SMALL_MARKS_BYTES ((size_t)80 << 20)

/* Returns how much is to be reserved behind the range for the tables of a space whose numbers are
 * set: whole slabs. */
size_t td_tables_bytes(struct td_space *space);
/* Makes them readable, and the table of layouts ready. Returns false if the system refuses. */
bool td_tables_open(struct td_space *space);

/* Makes what tells of the first `blocks` blocks writable. Under the lock, or while the world is
 * stopped. Returns false without memory. */
bool td_tables_reach(struct td_space *space, uint32_t blocks);
/* The same for the lists of a layout. */
bool td_tables_reach_layout(struct td_space *space, tide_layout layout);

#endif
