/* Roots that are taken afresh for each collection: static data of the program and of its libraries,
 * and what the program adds. */
#ifndef TD_BDWGC_THREADS_STATIC_ROOTS_H
#define TD_BDWGC_THREADS_STATIC_ROOTS_H

#include "bdwgc/threads/ranges.h"
#include "bdwgc/types.h"

/* Both under the lock. */
extern struct td_ranges td_roots_added, td_roots_excluded;

void td_static_roots_start(void);

/* Takes [low, high) into the ranges or out of them; `how` is td_ranges_add or td_ranges_remove. */
void td_static_roots_change(struct td_ranges *ranges,
                            void (*how)(struct td_ranges *, uintptr_t, uintptr_t), void *low,
                            void *high);
void td_static_roots_clear(struct td_ranges *ranges);

#endif
