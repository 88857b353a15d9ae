/* SPDX-License-Identifier: MIT */
/* Statistics. */
#ifndef TD_BDWGC_FIGURES_H
#define TD_BDWGC_FIGURES_H

#include "bdwgc/types.h"

/* At the end of a collection, world stopped. Returns how many markers it had at its disposal
 * besides one. */
unsigned td_figures_note(void);
/* The program freed `bytes` that the heap has not got back yet. */
void td_figures_add_freed(size_t bytes);
/* The heap is told as larger by `bytes`, until the next collection. */
void td_figures_expand(size_t bytes);

EXPORT size_t GC_get_heap_size(void);

#endif
