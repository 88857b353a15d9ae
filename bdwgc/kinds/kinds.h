/* Kinds of objects. */
#ifndef TD_BDWGC_KINDS_KINDS_H
#define TD_BDWGC_KINDS_KINDS_H

#include "bdwgc/types.h"

#define TD_KIND_COUNT 24u

/* Returns an object of the kind, NULL if memory ran out. Ends the process if there is no such
 * kind; `function` is who asks. */
void *td_kind_alloc(const char *function, size_t bytes, unsigned kind);

#endif
