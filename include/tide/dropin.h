/* SPDX-License-Identifier: MIT */
/* What the drop-in libgc.so.1 needs beyond tide/foreign.h, with the conventions of tide/tide.h. No
 * promise goes with this header: names and meanings may change in any version. */
#ifndef TIDE_DROPIN_H
#define TIDE_DROPIN_H
#include "tide/foreign.h"

TIDE_BEGIN
/* Makes the thread of another mutator stand still from here on as for a collection: one that a
 * signal stops wherever it is, one that polls at its next safepoint, one in a blocking section when
 * it leaves this. When it returns the thread stands still or is in such a section. Its stack and
 * its registers stay roots. One resume ends any number of suspensions.
 *
 * The caller answers for what the other may hold: if it was inside malloc, malloc waits, and fork
 * too. `other` must be and stay attached, to this heap only. A suspended thread does not detach.
 *   TIDE_ERROR_ARGUMENT  the mutator of another heap, or of the calling thread */
TIDE_API enum tide_status tide_mutator_suspend(struct tide_mutator *mutator,
                                               struct tide_mutator *other);
/* Lets it go on. TIDE_OK too if it was not suspended. */
TIDE_API enum tide_status tide_mutator_resume(struct tide_mutator *mutator,
                                              struct tide_mutator *other);

/* Stops all other threads of the heap as for a collection, until this one calls tide_world_resume.
 * Those in blocking sections wait when they leave these. In between the thread may call what a
 * callback of a collection may, tide_heap_walk, tide_mutator_suspend and tide_stack_set_other. It
 * cannot be cancelled, must not fork or end, and answers for what others hold.
 *   TIDE_ERROR_STATE     stopped already; the thread's mutator of another heap is in no blocking
 *                        section. Resuming: not stopped by this thread, or in a tide_heap_walk */
TIDE_API enum tide_status tide_world_stop(struct tide_mutator *mutator);
TIDE_API enum tide_status tide_world_resume(struct tide_mutator *mutator);

/* As tide_stack_set_own for another thread's mutator of the heap, or for `mutator` itself. Stops
 * the world, unless it stands still already: it may be called in the `stopped` of a root source,
 * and holds for the collection that is under way. The other thread stands on that stack, or is
 * about to switch to it from the one that the system gave it, and stays attached.
 *   TIDE_ERROR_ARGUMENT  they are of two heaps; or as for tide_stack_set_own
 *   TIDE_ERROR_STATE     `other` runs on a registered stack, or its stack is precise */
TIDE_API enum tide_status tide_stack_set_other(struct tide_mutator *mutator,
                                               struct tide_mutator *other, void *low, void *high);
/* Returns the high end of the mutator's own stack; NULL for another thread's, or a precise one. */
TIDE_API void *tide_stack_own_high(const struct tide_mutator *mutator);

struct tide_object_facts {
  size_t bytes; /* that may be used, as tide_object_bytes tells */
  tide_layout layout;
  bool pinned;   /* by tide_object_pin */
  bool may_grow; /* tide_resize_in_place may get it more than `bytes` */
};
/* Tells about the object that begins here, by one look-up without a lock. False, with *facts as it
 * was, if none begins there or, as far as its memory still tells, it was freed. */
TIDE_API bool tide_object_look(struct tide_mutator *mutator, const void *object,
                               struct tide_object_facts *facts);
/* Returns an object of the same layout with `bytes` bytes, beginning with those of `object` as far
 * as there is room, and frees that one as tide_free does. For small objects that get longer, or
 * shorter than half, where cells of the new size are at hand; else NULL, and the three steps may be
 * possible. Behind the old bytes it is zeroed (but for tide_layout_unzeroed). No safepoint. */
TIDE_API void *tide_object_replace(struct tide_mutator *mutator, void *object, size_t bytes);

/* Returns the start of the cell, or of the large object, that the address points into, and stores
 * its bytes in *bytes, unless that is NULL. Does not ask whether it holds an object, or one that
 * was freed: on a thread with a mutator of the heap cells of up to 32 KiB are found without a lock.
 * If the address lies in no cell, returns NULL and leaves *bytes alone. */
TIDE_API void *tide_cell_find(struct tide_heap *heap, const void *address, size_t *bytes);
/* Returns only the bytes (0: no cell), for less. What is left behind a block's last cell is one. */
TIDE_API size_t tide_cell_bytes(struct tide_heap *heap, const void *address);

/* Returns a list of 1 to `most` objects of tide_alloc, each with the next in its first word, the
 * last with NULL. A layout that does not look there holds the first only. A safepoint, before. */
TIDE_API void *tide_alloc_list(struct tide_mutator *mutator, tide_layout layout, size_t bytes,
                               size_t most);

/* In events from WEAK_END to CYCLE_END: visits, in order, each finalizer this collection queued. */
typedef void (*tide_queued_fn)(void *object, tide_finalizer_fn finalizer, void *context);
TIDE_API void tide_finalizers_queued(struct tide_heap *heap, tide_queued_fn visit, void *context);

/* The same as tide_finalizer_take, of those whose finalizer is `only`, unless that is NULL. */
TIDE_API void *tide_finalizer_take_only(struct tide_mutator *mutator, tide_finalizer_fn only,
                                        struct tide_finalizer_entry *entry);

/* No collection begins while *variable, read whenever one would begin, is not 0. NULL ends that. */
TIDE_API enum tide_status tide_collect_pause_by(struct tide_heap *heap, const int *variable);
/* Waits for a running collection to end, next to nothing where none runs. If the thread has raised
 * that variable before, by a sequentially consistent operation, none begins until it is 0 again. */
TIDE_API void tide_collect_await(struct tide_heap *heap);

/* Figures of tide_heap_stats and tide_cycle_stats, cheap, mostly without a lock: of two moments. */
struct tide_figures {
  uint64_t heap_bytes, committed_bytes, peak_committed_bytes, allocated_bytes, freed_bytes;
  uint64_t markers; /* that the last collection was allowed */
};
/* Fills them in, zeroes if heap is NULL. */
TIDE_API void tide_figures(struct tide_heap *heap, struct tide_figures *figures);
/* allocated_bytes, to the cell for what the calling thread has allocated, unless it is in a
 * blocking section; of others' up to 0.3 MiB each are missing until the next collection. */
TIDE_API uint64_t tide_allocated_bytes(struct tide_heap *heap);

/* Lets the heap grow by this much before the next collection; false at its hard limit, or for
 * more than that. */
TIDE_API bool tide_heap_grow(struct tide_heap *heap, size_t bytes);
/* Gives free memory back to the system now that would be kept for some collections. Events tell of
 * it when memory is taken next. Does nothing in callbacks, or while a collection goes on. */
TIDE_API void tide_heap_trim(struct tide_heap *heap);
TIDE_END
#endif
