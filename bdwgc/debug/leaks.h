/* SPDX-License-Identifier: MIT */
/* Finding leaks: objects that nothing refers to and nobody freed.
 *
 * While leaks are being found each object has a finalizer of ours, which tells of it and frees it.
 * That is why the program's own finalizers and disappearing links are refused meanwhile. */
#ifndef TD_BDWGC_DEBUG_LEAKS_H
#define TD_BDWGC_DEBUG_LEAKS_H

#include <stdbool.h>

/* Begins to find leaks, or ends, if GC_find_leak says so. */
void td_leaks_notice(void);
/* Returns a new object of the heap, or NULL for NULL; it is watched from now on if need be. */
void *td_leaks_watch(void *object);
/* Debugging objects that the program frees keep their memory until nothing refers to them, so that
 * writing to them is found: GC_FINDLEAK_DELAY_FREE. */
bool td_leaks_delay_free(void);
/* When all that a collection found has been told. */
void td_leaks_end_collection(void);

#endif
