/* SPDX-License-Identifier: MIT */
/* Collecting, and what is left to do afterwards. */
#ifndef TD_BDWGC_ALLOC_COLLECT_H
#define TD_BDWGC_ALLOC_COLLECT_H

#include "bdwgc/types.h"

EXPORT void GC_gcollect(void);

/* Outside of all locks: what a collection, or the start, has left to do on a thread of the program.
 */
void td_bdwgc_after_collection(void);

#endif
