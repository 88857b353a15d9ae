/* SPDX-License-Identifier: MIT */
/* Roots that the program tells under the stop, in GC_push_other_roots and in mark procedures. */
#ifndef TD_BDWGC_THREADS_PUSHED_H
#define TD_BDWGC_THREADS_PUSHED_H

#include "bdwgc/heap.h"

void td_pushed_start(void);

/* While a mark procedure runs on the calling thread: where GC_mark_and_push leads. Returns what
 * was there before. */
struct tide_tracer *td_pushed_set_tracer(struct tide_tracer *tracer);

#endif
