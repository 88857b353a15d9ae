/* SPDX-License-Identifier: MIT */
/* Arrays in pages of the system, for what may grow while the world stands still: a thread that was
 * stopped by a signal may be inside malloc and hold its locks. */
#ifndef TD_GC_ARRAYS_PAGES_H
#define TD_GC_ARRAYS_PAGES_H

#include <stddef.h>

/* Returns zeroed memory, NULL if there is none. */
void *td_pages_take(size_t bytes);
/* Returns `bytes` bytes that begin with the `old_bytes` at `old`, which are given back, and end
 * with zeroes; NULL if there is no memory, and then nothing has changed. `old` may be NULL. */
void *td_pages_grow(void *old, size_t old_bytes, size_t bytes);
/* `bytes` as it was asked for; NULL is allowed. */
void td_pages_give(void *pages, size_t bytes);

#endif
