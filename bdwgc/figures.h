/* Statistics. */
#ifndef TD_BDWGC_FIGURES_H
#define TD_BDWGC_FIGURES_H

#include "tide/tide.h"

/* At the end of a collection, world stopped. */
void td_figures_note(struct tide_heap *heap);

#endif
