/* Statistics. */
#ifndef TD_BDWGC_FIGURES_H
#define TD_BDWGC_FIGURES_H

#include "tide/tide.h"

/* At the end of a collection, world stopped. */
void td_figures_note(struct tide_heap *heap);
/* Returns how many markers the last collection had at its disposal, 1 before the first. */
unsigned td_figures_markers(struct tide_heap *heap);
/* The program freed so much that the heap has not got back yet. */
void td_figures_add_freed(size_t bytes);

#endif
