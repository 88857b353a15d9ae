/* SPDX-License-Identifier: MIT */
/* Which pointers into objects count. */
#ifndef TD_BDWGC_THREADS_INTERIOR_H
#define TD_BDWGC_THREADS_INTERIOR_H

#include "bdwgc/types.h"

/* Bytes that an object has beyond those asked for, so that a pointer one past the end keeps it: 0
 * or 1. */
extern TD_HIDDEN size_t td_interior_extra_bytes;

/* Tells the heap, which has just been made, what the program has set before. */
void td_interior_start(void);

EXPORT void GC_register_displacement(size_t bytes);
EXPORT void *GC_is_valid_displacement(void *address);

#endif
