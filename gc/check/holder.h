/* SPDX-License-Identifier: MIT */
/* What holds a reference: the words by which verification names objects and roots. */
#ifndef TD_GC_CHECK_HOLDER_H
#define TD_GC_CHECK_HOLDER_H

#include "gc/state/heap.h"

#define TD_HOLDER_BYTES 176

/* Writes "layout 'name'", or "layout 7" for one without a name, into text. Returns text. */
const char *td_layout_words(const struct tide_heap *heap, tide_layout layout,
                            char text[TD_HOLDER_BYTES]);

/* Writes what is wrong with a reference to `object`, which lies in the heap's range, and what holds
 * it: the object `referrer`, or a root if that is 0. `slot` is where the reference was read, NULL
 * if that is not known. Where there is a dead object, in quarantine, its description takes the
 * place of `what`. World stopped, the roots' lock held. */
void td_difference_words(const struct tide_heap *heap, uintptr_t object, const char *what,
                         uintptr_t referrer, const void *slot, char *text, size_t room);

/* The same about an object, or one in quarantine: `what` is behind its name. */
void td_object_words(const struct tide_heap *heap, uintptr_t object, const char *what, char *text,
                     size_t room);

#endif
