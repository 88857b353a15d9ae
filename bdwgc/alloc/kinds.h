/* SPDX-License-Identifier: MIT */
/* Objects of kinds. */
#ifndef TD_BDWGC_ALLOC_KINDS_H
#define TD_BDWGC_ALLOC_KINDS_H

#include "bdwgc/types.h"

extern EXPORT int GC_gcj_debug_kind;

/* Returns an object of the kind, NULL if memory ran out. Ends the process if there is no such
 * kind. */
void *td_kind_alloc(size_t bytes, int kind);

#endif
