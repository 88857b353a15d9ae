/* Statistics. */
#ifndef TD_BDWGC_FIGURES_H
#define TD_BDWGC_FIGURES_H

#include "tide/tide.h"

/* At the end of a collection, world stopped. */
void td_figures_note(void);
/* Returns how many markers the last collection had at its disposal besides one. */
unsigned td_figures_other_markers(void);
/* The program freed `bytes` that the heap has not got back yet. */
void td_figures_add_freed(size_t bytes);

#endif
