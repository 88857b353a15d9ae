/* Many objects at once. */
#ifndef TD_BDWGC_ALLOC_MANY_H
#define TD_BDWGC_ALLOC_MANY_H

#include <stdbool.h>
#include <stddef.h>

/* Returns about a page of objects, linked through their first words; NULL: out of memory. */
void *td_bdwgc_alloc_many(size_t bytes, bool atomic);

#endif
