/* SPDX-License-Identifier: MIT */
/* Ways to allocate. */
#ifndef TD_BDWGC_ALLOC_ALLOC_H
#define TD_BDWGC_ALLOC_ALLOC_H

#include "bdwgc/detour.h"
#include "bdwgc/heap.h"
#include "bdwgc/threads/interior.h"
#include "bdwgc/threads/stack.h"

EXPORT void *GC_malloc(size_t bytes);
EXPORT void *GC_malloc_atomic(size_t bytes);
EXPORT void *GC_malloc_uncollectable(size_t bytes);
EXPORT void *GC_malloc_atomic_uncollectable(size_t bytes);
EXPORT void *GC_realloc(void *object, size_t bytes);
EXPORT void GC_free(void *object);

/* The way round: starts, registers, runs finalizers, asks hooks. */
void *td_bdwgc_alloc_slow(size_t bytes, tide_layout layout);

/* Whether the thread, whose mutator is `self` or NULL, may allocate `bytes` the short way. */
static inline bool td_bdwgc_goes_straight(const struct tide_mutator *self, size_t bytes) {
  return TIDE_LIKELY(self && bytes < TIDE_BUMP_INLINE_BYTES && !td_detour_has(UINT8_MAX) &&
                     GC_stackbottom == td_stack_bottom && !(TD_ASKS_FIRST && td_bdwgc_away));
}

/* Returns `bytes` zeroed bytes and the extra one, or what the program's out-of-memory hook does. */
static inline void *td_bdwgc_alloc(size_t bytes, tide_layout layout) {
  struct tide_mutator *self = td_bdwgc_self;
  if (td_bdwgc_goes_straight(self, bytes)) {
    void *object = tide_alloc(self, layout, bytes + td_interior_extra_bytes);
    if (TIDE_LIKELY(object)) return object;
  }
  return td_bdwgc_alloc_slow(bytes, layout);
}

/* Returns about a page of objects, linked through their first words; NULL: out of memory. */
void *td_bdwgc_alloc_many(size_t bytes, bool atomic);

/* Fills in a new string, or says that there is no memory for it. */
char *td_bdwgc_fill_text(char *copy, const char *text, size_t length);

/* Warns, and returns what the program's hook does. */
void *td_bdwgc_out_of_memory(size_t bytes);

/* Lets the object live until it is freed, and returns it; NULL if there is no memory for that. NULL
 * is allowed. Freeing lets go by itself. */
void *td_bdwgc_hold(void *object);

#endif
