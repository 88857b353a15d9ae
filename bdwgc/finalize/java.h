/* Toggle references. */
#ifndef TD_BDWGC_FINALIZE_JAVA_H
#define TD_BDWGC_FINALIZE_JAVA_H

#include "tide/tide.h"

/* Marking is over: weak ones whose object is dead are dropped. */
void td_java_forget_dead(struct tide_heap *heap);
/* The world stands still: tells the program which objects wait for their finalizers now. */
void td_java_tell_queued(struct tide_heap *heap);

#endif
