/* SPDX-License-Identifier: MIT */
/* Layouts: what the collector must know of an object's inside. <tide/tide.h> includes this. */
#ifndef TIDE_LAYOUT_H
#define TIDE_LAYOUT_H
#include "tide/base.h"

TIDE_BEGIN
/* Equal layouts share one number. A layout belongs to the heap that made it and lives as long.
 * The functions that make one return TIDE_LAYOUT_INVALID on failure and say why in *error:
 *   TIDE_ERROR_ARGUMENT  zero, or a description that contradicts itself
 *   TIDE_ERROR_LIMIT     over TIDE_LAYOUT_MAX layouts, or over TIDE_LAYOUT_WORDS_MAX words */
#define TIDE_LAYOUT_INVALID ((tide_layout)0)
#define TIDE_LAYOUT_LEAF ((tide_layout)1)         /* no references: never looked into */
#define TIDE_LAYOUT_REFS ((tide_layout)2)         /* every word is a reference slot */
#define TIDE_LAYOUT_CONSERVATIVE ((tide_layout)3) /* any word may point at or into an object */
#define TIDE_LAYOUT_MAX 4096u
#define TIDE_LAYOUT_WORDS_MAX 4096u /* longest bitmap, in 8-byte words */
#define TIDE_LAYOUT_NAME_MAX 63u    /* longest name, in bytes */

/* The reference slots of a structure of `bytes` bytes, by offset: multiples of 8, distinct, inside.
 * Larger objects have references only there; tide_alloc_array repeats the structure. */
TIDE_API tide_layout tide_layout_offsets(struct tide_heap *heap, size_t bytes,
                                         const size_t *offsets, size_t count,
                                         struct tide_error *error);
/* The same as a bitmap: bit i of bits[i / 64] says that word i is a reference slot. */
TIDE_API tide_layout tide_layout_bitmap(struct tide_heap *heap, const uint64_t *bits, size_t words,
                                        struct tide_error *error);
/* A bitmap of the words that may point at or into an object, where it is not known what they hold.
 * It describes `words` words and is repeated to the end of the object, so arrays of such structures
 * need nothing else. The last structure may have fewer words. */
TIDE_API tide_layout tide_layout_bitmap_conservative(struct tide_heap *heap, const uint64_t *bits,
                                                     size_t words, struct tide_error *error);
/* prefix_words words without references, then references to the end (a vector with a header). */
TIDE_API tide_layout tide_layout_prefixed(struct tide_heap *heap, size_t prefix_words,
                                          struct tide_error *error);
/* Objects that your function reads: it calls tide_trace for each reference, on marking threads,
 * several at once, mutators stopped. It is called for an object at least once in a collection that
 * reaches it, and by checks and snapshots: it only reads. `bytes` is the cell's size. */
typedef void (*tide_trace_fn)(void *object, size_t bytes, struct tide_tracer *tracer,
                              void *context);
TIDE_API tide_layout tide_layout_traced(struct tide_heap *heap, tide_trace_fn trace, void *context,
                                        struct tide_error *error);
/* The same for a function that may run while mutators change the object (tide_options.concurrent):
 * - it reads each slot once, in one piece; tide_trace_range does so;
 * - what it reads is valid in every moment, such as a length that never exceeds its slots;
 * - memory outside of the heap that a mutator takes away stays until the collection has ended;
 * - whoever overwrites a reference that it reads, wherever that lies, calls tide_write before, or
 *   tide_write_begin. Where the word there is no plain reference, but one that is encoded, or a
 *   number, this calls the function for the whole object while marking goes on: where that is long,
 *   hand tide_write_begin the address of a copy that is plain. */
TIDE_API tide_layout tide_layout_traced_concurrent(struct tide_heap *heap, tide_trace_fn trace,
                                                   void *context, struct tide_error *error);

/* The four below make a layout like the one given, but for one thing.
 *
 * Only references to their first 4096 bytes keep objects alive: conservative words that point
 * further into one do not count, wherever they lie. For large objects, which false pointers retain
 * easily; the program holds the beginning of those that it uses. */
TIDE_API tide_layout tide_layout_held_by_first_page(struct tide_heap *heap, tide_layout layout,
                                                    struct tide_error *error);
/* Objects are not zeroed when they are handed out: they hold what was there before, perhaps an
 * earlier object's bytes. For strings and buffers written at once; the layout given has no
 * references, as TIDE_LAYOUT_LEAF. What tide_resize_in_place adds is zeroed all the same. */
TIDE_API tide_layout tide_layout_unzeroed(struct tide_heap *heap, tide_layout layout,
                                          struct tide_error *error);
/* Objects have a name: snapshots, verification and logs call them by it, and they have blocks of
 * their own. It is copied: UTF-8 without control characters, 1 to TIDE_LAYOUT_NAME_MAX bytes. */
TIDE_API tide_layout tide_layout_named(struct tide_heap *heap, tide_layout layout, const char *name,
                                       struct tide_error *error);
/* The function is told of each object that has died, with its contents as they were left: to free
 * what hangs on it outside of the heap. Once for each, before its memory is used again, and for all
 * that are left by tide_heap_destroy. It runs on a thread that allocates from the heap, between
 * collections, for the objects of a block of 64 KiB at a time; on several threads at once. Other
 * layouts pay nothing for it. It may call tide_external_add with its thread's mutator, and
 * statistics; other calls are refused, and fork ends the process. What it refers to may be gone. An
 * object that was never written to, or freed by tide_free, which does not call it, is all zeroes;
 * so the layout given is none of tide_layout_unzeroed. An array is one object. `bytes` is the
 * cell's size. */
typedef void (*tide_reclaim_fn)(void *object, size_t bytes, void *context);
TIDE_API tide_layout tide_layout_on_reclaim(struct tide_heap *heap, tide_layout layout,
                                            tide_reclaim_fn function, void *context,
                                            struct tide_error *error);
/* Calls them for the dead of up to `most` blocks. Returns how many are left. No safepoint. */
TIDE_API size_t tide_reclaim(struct tide_mutator *mutator, size_t most);
/* Returns the name, which lives as long as the heap, or NULL if the layout has none. */
TIDE_API const char *tide_layout_name(struct tide_heap *heap, tide_layout layout);

/* Inside a trace function or root callback only. Values that are not references are ignored. */
TIDE_API void tide_trace(struct tide_tracer *tracer, const void *reference);
/* count reference slots at slots. */
TIDE_API void tide_trace_range(struct tide_tracer *tracer, void *const *slots, size_t count);
/* A word that may point at or into an object. */
TIDE_API void tide_trace_conservative(struct tide_tracer *tracer, uintptr_t word);
TIDE_END
#endif
