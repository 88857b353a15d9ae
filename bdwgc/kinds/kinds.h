/* SPDX-License-Identifier: MIT */
/* Kinds of objects. */
#ifndef TD_BDWGC_KINDS_KINDS_H
#define TD_BDWGC_KINDS_KINDS_H

#include "bdwgc/heap.h"

#define TD_KIND_COUNT 24

EXPORT unsigned GC_new_kind(void **list, GC_word descriptor, int add_size, int clear);

/* Ends the process if there is no such kind. */
tide_layout td_kind_layout(int kind);
int td_kind_of(const struct tide_object_facts *facts);

/* Returns the kind of the object that the address points into, and stores how many bytes it has,
 * 0 if there is no object. `bytes` may be NULL. */
EXPORT int GC_get_kind_and_size(const void *object, size_t *bytes);

#endif
