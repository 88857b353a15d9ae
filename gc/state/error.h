/* SPDX-License-Identifier: MIT */
/* How a failure is told: by a status, by an error's text, or, for misuse that has no place for
 * either, by a message of the debug build. And structures that carry their size, so that programs
 * compiled with an older or a newer header keep working. */
#ifndef TD_GC_STATE_ERROR_H
#define TD_GC_STATE_ERROR_H

#include <stdbool.h>
#include <stddef.h>

#include "tide/tide.h"

/* Fills in *error unless it is NULL. Returns status. */
enum tide_status td_fail(struct tide_error *error, enum tide_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Clears *error unless it is NULL. Returns TIDE_OK. */
enum tide_status td_succeed(struct tide_error *error);

/* Writes the names name(0), name(1), … up to NULL into text, with commas between them. Returns
 * text. */
#define TD_NAMES_BYTES 160
const char *td_list_names(char text[TD_NAMES_BYTES], const char *(*name)(size_t index));

/* Reports a wrong use of the interface where no error can be returned. Debug builds print the
 * message and abort. Other builds go on, and the caller returns what its function documents. */
void td_misuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Copies the caller's structure `given`, whose first member is its size, over *to, which holds the
 * defaults in `bytes` bytes. The structure of an older header is shorter. What a newer one has
 * behind ours must not be set. Returns false, and fills in the error, if it is set, or if the size
 * means nothing: then `init` was not called. `function` is what the embedder called. */
bool td_sized_copy(void *to, size_t bytes, const void *given, const char *function,
                   const char *init, struct tide_error *error);

#endif
