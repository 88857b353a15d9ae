/* SPDX-License-Identifier: MIT */
/* Guards of debugging objects: a header in front that says which line of the program asked for how
 * many bytes, and guard words behind the header and at both ends of what lies behind these bytes.
 *
 * An object has guards if one of the two outer words is right: they depend on its address, so that
 * no other object has them by chance. The size in the header of one that was freed is its cell's.
 */
#ifndef TD_BDWGC_DEBUG_GUARD_H
#define TD_BDWGC_DEBUG_GUARD_H

#include "bdwgc/types.h"

/* Programs reckon with these fields: they get its size by name, and may look into it. */
struct td_guard {
  const char *file;
  intptr_t line;
  size_t bytes; /* asked for */
  GC_word begin;
};
/* What guards add to an object, in bytes: the header and one word. */
#define TD_GUARD_BYTES (sizeof(struct td_guard) + sizeof(GC_word))

enum td_guard_state { TD_GUARD_NONE, TD_GUARD_FREED, TD_GUARD_IN_USE };

/* Puts guards around what has `bytes` bytes, and returns where these begin. If it is NULL,
 * `function` tells so and returns NULL. What an out-of-memory hook gave stays as it is. */
void *td_guard_put(const char *function, void *object, size_t bytes, const char *file, int line);

/* Takes away the guards that a new object has found in its memory, if that was not zeroed. */
void td_guard_forget(void *object);

/* Looks at the guards of an object whose cell has cell_bytes. */
enum td_guard_state td_guard_look(const void *object, size_t cell_bytes);

/* Returns the first word in which another value was written than the guard's, or NULL. */
const void *td_guard_smashed(const struct td_guard *guard, size_t cell_bytes);
/* Tells of it; `where` is the call or the event that found it. */
void td_guard_tell(const char *where, const struct td_guard *guard, const void *smashed);

/* Fills a freed object with what is no pointer and seldom a number. */
void td_guard_fill(struct td_guard *guard, size_t cell_bytes);
/* Returns the first word of a freed object that was written to, or NULL. */
const void *td_guard_touched(const struct td_guard *guard, size_t cell_bytes);

/* Room for a line about an object. */
#define TD_GUARD_TEXT_BYTES 300
/* Writes what is known of an object, with guards or without, in one line. */
void td_guard_describe(const void *object, char *text, size_t text_bytes);

/* Once after each collection: checks all objects with guards and tells of smashed ones. */
void td_guard_check_heap(void);
/* Whether a smashed object was told of since the last call. */
bool td_guard_found(void);

#endif
