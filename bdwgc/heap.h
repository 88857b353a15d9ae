/* SPDX-License-Identifier: MIT */
/* The one heap of the process, and the calling thread's part in it. */
#ifndef TD_BDWGC_HEAP_H
#define TD_BDWGC_HEAP_H

#include "bdwgc/types.h"
#include "tide/dropin.h"

/* Thread-local variables must not be allocated by a first use under the stop. */
#define TD_TLS _Thread_local __attribute__((tls_model("initial-exec")))

extern TD_HIDDEN struct tide_heap *td_bdwgc_heap; /* NULL until td_bdwgc_start; constant then */

/* The layout of atomic objects, which hold whatever their memory held. It has this number because
 * td_bdwgc_start makes it before any other: where it is allocated the number is a constant. */
#define TD_LAYOUT_ATOMIC ((tide_layout)8)

extern TD_HIDDEN TD_TLS struct tide_mutator
    *td_bdwgc_self; /* NULL until the thread is registered */
/* The thread is inside GC_do_blocking, and not inside GC_call_with_gc_active. */
extern TD_HIDDEN TD_TLS bool td_bdwgc_away;

/* What the collector refuses ends a program in debug builds: there, the caller asks first. */
#ifdef TD_DEBUG
#define TD_ASKS_FIRST true
#else
#define TD_ASKS_FIRST false
#endif

#endif
