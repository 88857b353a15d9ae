/* SPDX-License-Identifier: MIT */
/* Arrays in pages of the system, for what may grow while the world stands still: a thread that was
 * stopped by a signal may be inside malloc and hold its locks. */
#ifndef TD_GC_ARRAYS_PAGES_H
#define TD_GC_ARRAYS_PAGES_H

#include <stddef.h>

/* Returns zeroed memory, NULL if there is none. */
void *td_pages_take(size_t bytes);
/* Returns the array at `old`, which has *capacity entries of bytes_each bytes, with room for
 * `count`: where it was, or twice as long as often as it takes, from `least` on. Behind what was
 * there are zeroes. NULL if there is no memory, and then nothing has changed. `old` may be NULL, or
 * `first`, which is no such memory and is not given back. */
void *td_pages_room(void *old, const void *first, size_t *capacity, size_t count, size_t least,
                    size_t bytes_each);
/* `bytes` as it was asked for; NULL is allowed. */
void td_pages_give(void *pages, size_t bytes);

#endif
