/* SPDX-License-Identifier: MIT */
/* The side tables of a space: readable as far as the range reaches, and zero; writable as far as it
 * is used, but for the smallest. So a long range costs address space, and for each 44 GB of it
 * 216 KiB where the system counts what may be written, or locks it into memory. */
#ifndef TD_HEAP_SPACE_TABLES_H
#define TD_HEAP_SPACE_TABLES_H

#include "heap/space/space.h"

/* Maps the tables of a space whose numbers are set. Returns false if the system refuses. */
bool td_tables_map(struct td_space *space);
void td_tables_unmap(struct td_space *space);

/* Makes what tells of the first `blocks` blocks writable. Under the lock, or while the world is
 * stopped. Returns false without memory. */
bool td_tables_reach(struct td_space *space, uint32_t blocks);
/* The same for the lists of a layout. */
bool td_tables_reach_layout(struct td_space *space, tide_layout layout);

#endif
