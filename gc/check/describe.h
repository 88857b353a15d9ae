/* SPDX-License-Identifier: MIT */
/* What lies at an address, and what holds a reference: the words by which verification names
 * objects and roots, for people who debug. */
#ifndef TD_GC_CHECK_DESCRIBE_H
#define TD_GC_CHECK_DESCRIBE_H

#include "gc/state/heap.h"

/* Writes what is wrong with a reference to `object`, which lies in the heap's range, and what holds
 * it: the object `referrer`, or a root if that is 0. `slot` is where the reference was read, NULL
 * if that is not known. Where there is a dead object, in quarantine, its description takes the
 * place of `what`. World stopped, the roots' lock held. */
void td_difference_words(const struct tide_heap *heap, uintptr_t object, const char *what,
                         uintptr_t referrer, const void *slot, char *text, size_t room);

/* The same about an object, or one in quarantine: `what` is behind its name. */
void td_object_words(const struct tide_heap *heap, uintptr_t object, const char *what, char *text,
                     size_t room);

/* A heap with a quarantine was made or ends; *heaps is the first of those there are. As long as one
 * of them has a quarantine, a thread that faults because it used what a reclaimed object is full of
 * says so first. Under the lock of the list. */
void td_describe_faults(struct tide_heap *const *heaps);

#endif
