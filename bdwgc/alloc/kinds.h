/* Objects of kinds. */
#ifndef TD_BDWGC_ALLOC_KINDS_H
#define TD_BDWGC_ALLOC_KINDS_H

#include "bdwgc/types.h"

extern EXPORT int GC_gcj_debug_kind;

EXPORT void *GC_generic_or_special_malloc(size_t bytes, int kind);

/* Returns an object of the kind, NULL if memory ran out. Ends the process if there is no such
 * kind; `function` is who asks. */
void *td_kind_alloc(const char *function, size_t bytes, unsigned kind);

#endif
