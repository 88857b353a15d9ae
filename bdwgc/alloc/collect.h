/* Collections as the program sees them. */
#ifndef TD_BDWGC_ALLOC_COLLECT_H
#define TD_BDWGC_ALLOC_COLLECT_H

#include "bdwgc/types.h"

void td_bdwgc_collect_start(bool print);
/* Outside of all locks: what a collection has left to do on a thread of the program. */
void td_bdwgc_after_collection(void);

#endif
