/* Roots besides stacks and held objects. */
#ifndef TD_BDWGC_THREADS_ROOTS_H
#define TD_BDWGC_THREADS_ROOTS_H

#include "bdwgc/types.h"
#include "tide/tide.h"

void td_bdwgc_roots_start(void);

/* While a mark procedure runs on the calling thread: where GC_mark_and_push leads. Returns what
 * was there before. */
struct tide_tracer *td_bdwgc_tracer_set(struct tide_tracer *tracer);

#endif
