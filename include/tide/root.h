/* SPDX-License-Identifier: MIT */
/* Roots: where a collection begins, beside the stacks of mutators. <tide/tide.h> includes this. */
#ifndef TIDE_ROOT_H
#define TIDE_ROOT_H
#include "tide/base.h"

TIDE_BEGIN
/* ---- Registered roots ------------------------------------------------------------------ */
/* Roots of the heap, for as long as they are registered. The memory stays readable, and only
 * running mutators write it. TIDE_VERIFY=1 names a root whose memory is gone.
 *   TIDE_ERROR_ARGUMENT  not 8-byte aligned; an empty or overflowing range; inside an object of
 *                        this heap (x was given instead of &x); removing what was not added
 *   TIDE_ERROR_STATE     the same address is registered already
 * A slot is the address of a pointer: tide_root_add(heap, &list). In C and C++ a pointer to
 * anything that is no word, as in tide_root_add(heap, list), does not compile. */
TIDE_API enum tide_status tide_root_add(struct tide_heap *heap, void *slot);
TIDE_API enum tide_status tide_root_remove(struct tide_heap *heap, void *slot);
/* An array of count slots. */
TIDE_API enum tide_status tide_root_add_range(struct tide_heap *heap, void *slots, size_t count);
TIDE_API enum tide_status tide_root_remove_range(struct tide_heap *heap, void *slots);
/* Memory [start, start + bytes) in which any aligned word may point at or into an object. */
TIDE_API enum tide_status tide_root_add_conservative(struct tide_heap *heap, const void *start,
                                                     size_t bytes);
TIDE_API enum tide_status tide_root_remove_conservative(struct tide_heap *heap, const void *start);
/* Calls tide_trace for its references, once in each collection, check and snapshot, all stopped. */
typedef void (*tide_root_fn)(struct tide_tracer *tracer, void *context);
TIDE_API enum tide_status tide_root_add_callback(struct tide_heap *heap, tide_root_fn callback,
                                                 void *context);
TIDE_API enum tide_status tide_root_remove_callback(struct tide_heap *heap, tide_root_fn callback,
                                                    void *context);

/* ---- Pinned objects -------------------------------------------------------------------- */
/* A pinned object is alive, and so is what it refers to, until it is unpinned or freed (tide_free),
 * whether something refers to it or not. Hundreds of thousands may be.
 *   TIDE_ERROR_ARGUMENT  no object of the heap begins there; or it is not pinned
 *   TIDE_ERROR_STATE     it is pinned already */
TIDE_API enum tide_status tide_object_pin(struct tide_mutator *mutator, void *object);
TIDE_API enum tide_status tide_object_unpin(struct tide_mutator *mutator, void *object);

/* ---- Handles --------------------------------------------------------------------------- */
/* Handles: precise roots of one mutator, in scopes that close in reverse order.
 *   size_t scope = tide_scope_open(m);
 *   struct node **n = (struct node **)tide_handle(m, tide_alloc(m, node, sizeof **n));
 *   …
 *   tide_scope_close(m, scope);
 * A handle is a slot that you may read and write, valid until its scope closes, or until the detach
 * if none was open. Where tide_scope_open fails (SIZE_MAX), handles belong to the scope outside. */
TIDE_API size_t tide_scope_open(struct tide_mutator *mutator);
TIDE_API void **tide_handle(struct tide_mutator *mutator, void *reference);
/*   TIDE_ERROR_ARGUMENT  the scope is not the innermost */
TIDE_API enum tide_status tide_scope_close(struct tide_mutator *mutator, size_t scope);
/* Closes the scope and all inside it, for those who left functions by longjmp or an exception.
 *   TIDE_ERROR_ARGUMENT  the scope is not open */
TIDE_API enum tide_status tide_scope_unwind(struct tide_mutator *mutator, size_t scope);
TIDE_END

/* ---- Has the compiler check that an address of a slot is given ------------------------- */
/* What is given must point at something as large as a word; a computed void * passes. A
 * foreign-function interface, or (tide_root_add)(heap, address), calls them without this check. */
#ifdef __cplusplus
extern "C++" {
template <class Word> inline enum tide_status tide_root_add(struct tide_heap *heap, Word *slot) {
  static_assert(sizeof(Word) == sizeof(void *), "the address of a slot is wanted: &x, not x");
  return tide_root_add(heap, static_cast<void *>(slot));
}
template <class Word> inline enum tide_status tide_root_remove(struct tide_heap *heap, Word *slot) {
  static_assert(sizeof(Word) == sizeof(void *), "the address of a slot is wanted: &x, not x");
  return tide_root_remove(heap, static_cast<void *>(slot));
}
}
#else
#define TIDE_POINTS_AT_WORD(slot)                                                                  \
  (sizeof(*_Generic((slot), void * : (void **)0, default : (slot))) == sizeof(void *))
#define TIDE_SLOT(slot)                                                                            \
  ((void)sizeof(struct {                                                                           \
     _Static_assert(TIDE_POINTS_AT_WORD(slot), "the address of a slot is wanted: &x, not x");      \
     char checked;                                                                                 \
   }),                                                                                             \
   (void *)(slot))
#define tide_root_add(heap, slot) (tide_root_add)(heap, TIDE_SLOT(slot))
#define tide_root_remove(heap, slot) (tide_root_remove)(heap, TIDE_SLOT(slot))
#endif
#endif
