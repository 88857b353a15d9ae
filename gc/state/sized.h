/* SPDX-License-Identifier: MIT */
/* Structures that carry their size, so that programs compiled with an older or a newer header keep
 * working. */
#ifndef TD_GC_STATE_SIZED_H
#define TD_GC_STATE_SIZED_H

#include <stdbool.h>
#include <stddef.h>

#include "tide/tide.h"

/* Copies the caller's structure `given`, whose first member is its size, over *to, which holds the
 * defaults in `bytes` bytes. The structure of an older header is shorter. What a newer one has
 * behind ours must not be set. Returns false, and fills in the error, if it is set, or if the size
 * means nothing: then `init` was not called. `function` is what the embedder called. */
bool td_sized_copy(void *to, size_t bytes, const void *given, const char *function,
                   const char *init, struct tide_error *error);

#endif
