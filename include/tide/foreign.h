/* For runtimes whose programs were written for another collector: roots that nobody registers one
 * by one, weak slots that lie anywhere, one finalizer to an object in several orders, trace
 * functions that bear no company. Include it besides <tide/tide.h>. */
#ifndef TIDE_FOREIGN_H
#define TIDE_FOREIGN_H

#include "tide/tide.h"

/* As in stats.h. */
#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
extern "C" {
#endif

/* ---- Roots gathered afresh for each collection ------------------------------------------ */

struct tide_root_list;

/* A source tells in each collection anew which memory is to be searched for references. What it
 * reports is searched conservatively, by all markers together.
 *
 * before_stop runs on the collecting thread while the others still run, so it may take locks that
 * they hold for short: that of dl_iterate_phdr, say. stopped runs when the world stands still; it
 * may neither take such locks nor allocate, from malloc included.
 *
 * around_stop runs between the two, for what must not change before the world stands still. It
 * takes the lock for this, looks whether what before_stop told still holds, calls stop(argument),
 * and lets go of the lock. When stop returns, no attached thread runs. If around_stop does not call
 * it, all sources are asked anew from before_stop on. If there is no memory to remember their
 * answers then, TIDE_EVENT_CYCLE_BEGIN has been told and nothing follows it.
 *
 * Each may be NULL, but not all. None may use the heap but for tide_root_report, in the two that
 * get a list, and the statistics. */
struct tide_root_source {
  void (*before_stop)(struct tide_root_list *list, void *context);
  void (*stopped)(struct tide_root_list *list, void *context);
  void *context;
  void (*around_stop)(void (*stop)(void *argument), void *argument, void *context);
};
/* The structure is copied. Waits for a collection to end.
 *   TIDE_ERROR_ARGUMENT  NULL, or a source without a function; removing what was not added
 *   TIDE_ERROR_STATE     added already; in a callback of a collection
 *   TIDE_ERROR_MEMORY    no memory to remember it */
TIDE_API enum tide_status tide_root_add_source(struct tide_heap *heap,
                                               const struct tide_root_source *source);
TIDE_API enum tide_status tide_root_remove_source(struct tide_heap *heap,
                                                  const struct tide_root_source *source);
/* Inside a source only: any aligned word of [start, start + bytes) may point at or into an object.
 * The memory must be readable until the collection ends. What is short of a word is left out. If
 * there is no memory to remember it before the stop, the collection does not take place:
 * tide_collect returns TIDE_ERROR_MEMORY, and allocation goes on as if collecting were paused. */
TIDE_API void tide_root_report(struct tide_root_list *list, const void *start, size_t bytes);
/* The same for a stack: its words keep objects alive wherever they point into one, whatever
 * tide_heap_set_interior says. */
TIDE_API void tide_root_report_stack(struct tide_root_list *list, const void *start, size_t bytes);

/* ---- Weak slots in place ----------------------------------------------------------------- */

/* A weak slot is a word of yours, in an object or anywhere else, that a collection sets to NULL
 * when its target dies. What the slot holds is yours too, the target's address in disguise for
 * example: a word that markers take for a reference keeps the target alive. A slot inside an
 * object is forgotten when that object is reclaimed. Memory elsewhere must stay writable until the
 * slot is removed.
 *
 * A slot may be registered once for each kind. TIDE_WEAK_BEFORE slots are cleared before finalizers
 * are queued, TIDE_WEAK_AFTER slots when the target is reclaimed.
 *
 *   TIDE_ERROR_ARGUMENT  NULL, a slot that is not 8-byte aligned, no such kind; the target is no
 *                        object of this heap; moving or removing what is not registered
 *   TIDE_ERROR_STATE     the slot is registered already (moving: the new one); in a blocking region
 *                        or a callback of a collection; another thread's mutator
 *   TIDE_ERROR_MEMORY    no memory to remember it */
TIDE_API enum tide_status tide_weak_slot_add(struct tide_mutator *mutator, void *slot,
                                             const void *target, enum tide_weak_kind kind);
TIDE_API enum tide_status tide_weak_slot_remove(struct tide_mutator *mutator, void *slot,
                                                enum tide_weak_kind kind);
/* The word itself is not copied. */
TIDE_API enum tide_status tide_weak_slot_move(struct tide_mutator *mutator, void *from, void *to,
                                              enum tide_weak_kind kind);

/* In events from TIDE_EVENT_MARK_END to TIDE_EVENT_CYCLE_END: returns whether the object that
 * begins at this address was found alive. In MARK_END that means reached from roots; in the later
 * ones, what finalizers will want counts as well. Returns false for what is no object of this heap,
 * and outside of callbacks. */
TIDE_API bool tide_object_is_live(struct tide_heap *heap, const void *object);

/* ---- One finalizer to an object ---------------------------------------------------------- */

/* When an unreachable object's turn comes. What tide_finalizer_add registers has an order of its
 * own and is a thing apart. */
enum tide_finalizer_order {
  TIDE_FINALIZE_ORDERED = 0, /* not while an unreachable object with a finalizer reaches it, itself
                                included: objects in a cycle are never finalized. Those of order
                                TIDE_FINALIZE_NO_ORDER do not count */
  TIDE_FINALIZE_IGNORE_SELF, /* the same, but references from the object straight to itself do not
                                count */
  TIDE_FINALIZE_NO_ORDER,    /* at once, unless an object of another order reaches it */
  TIDE_FINALIZE_UNREACHABLE, /* the last of all: not while anything that waits for its finalizer
                                reaches it */
};
struct tide_finalizer_entry {
  tide_finalizer_fn call;
  void *context; /* a root, searched conservatively: what it refers to stays alive */
  enum tide_finalizer_order order;
};
/* Gives the object this finalizer in place of what it had, which goes to *before; *entry may be
 * NULL: the object has none then. entry and before may be NULL. If it had none, before->call is
 * NULL. Pending finalizers join the queue of tide_finalizers_run.
 *
 *   TIDE_ERROR_ARGUMENT  no object of this heap begins there; entry->call is NULL; no such order
 *   TIDE_ERROR_MEMORY    no memory to remember it
 *   TIDE_ERROR_STATE     blocking region, callback of a collection, another thread's mutator */
TIDE_API enum tide_status tide_finalizer_set(struct tide_mutator *mutator, void *object,
                                             const struct tide_finalizer_entry *entry,
                                             struct tide_finalizer_entry *before);
/* Takes the oldest pending finalizer off the queue without running it, for those whose finalizers
 * may leave by longjmp. Returns its object, or NULL if none is pending. From now on nothing but
 * the caller holds the object and entry->context. */
TIDE_API void *tide_finalizer_take(struct tide_mutator *mutator,
                                   struct tide_finalizer_entry *entry);

/* Puts all objects that have a finalizer by tide_finalizer_set on the queue, whatever refers
 * to them, but for those whose finalizer is `but`, which may be NULL. Returns how many. For
 * runtimes that promise to run every finalizer before they end. Those that are run may register
 * others. Returns 0 in a blocking region or a callback, and for another thread's mutator. */
TIDE_API size_t tide_finalizers_queue_all(struct tide_mutator *mutator, tide_finalizer_fn but);
/* In events from TIDE_EVENT_WEAK_END to TIDE_EVENT_CYCLE_END: calls visit for each object that this
 * collection put on the queue, in its order; once for each finalizer. At other times it does
 * nothing. */
typedef void (*tide_queued_fn)(void *object, tide_finalizer_fn finalizer, void *context);
TIDE_API void tide_finalizers_queued(struct tide_heap *heap, tide_queued_fn visit, void *context);

/* ---- A few steps that no collection comes between ----------------------------------------- */

/* Between these two calls of a thread the world is not stopped for a collection, unless the thread
 * lets it: by allocating, collecting, a safepoint or a blocking region. For threads that a signal
 * stops; those that poll are not stopped elsewhere anyway. For short stretches, such as taking the
 * disguise off a weak slot: whoever collects waits. It costs next to nothing, other than
 * tide_collect_pause, which stays good while the thread allocates or blocks. Holds nest. Wrong
 * calls do nothing, and debug builds abort. */
TIDE_API void tide_stop_hold(struct tide_mutator *mutator);
TIDE_API void tide_stop_release(struct tide_mutator *mutator);

/* ---- Threads that stand still for a while ------------------------------------------------- */

/* Makes the thread of another mutator stand still from here on as for a collection: one that a
 * signal stops wherever it is, one that polls at its next safepoint, one in a blocking region when
 * it leaves this. When it returns the thread stands still or is in such a region. Its stack and its
 * registers stay roots. There is no count: one resume ends any number of suspensions.
 *
 * Who suspends a thread answers for what it may hold. If it was inside malloc, malloc waits, and
 * fork too. `other` must stay attached for the length of the call, and be attached to this heap
 * only. A suspended thread does not detach.
 *   TIDE_ERROR_ARGUMENT  NULL; the mutator of another heap, or of the calling thread
 *   TIDE_ERROR_STATE     in a blocking region or a callback; another thread's mutator as `mutator`
 */
TIDE_API enum tide_status tide_mutator_suspend(struct tide_mutator *mutator,
                                               struct tide_mutator *other);
/* Lets it go on. TIDE_OK too if it was not suspended. */
TIDE_API enum tide_status tide_mutator_resume(struct tide_mutator *mutator,
                                              struct tide_mutator *other);

/* ---- A world that stands still for as long as the program wants ---------------------------- */

/* Stops all other threads of the heap as for a collection, until the same thread calls
 * tide_world_resume. Those in blocking regions go on, and wait when they leave these. In between
 * the thread may call what a callback of a collection may, and besides tide_heap_walk,
 * tide_mutator_suspend and tide_stack_set_other. It cannot be cancelled, must not fork or end, and
 * what the other threads may hold is as with tide_mutator_suspend: if one is inside malloc, malloc
 * waits for ever.
 *   TIDE_ERROR_ARGUMENT  NULL
 *   TIDE_ERROR_STATE     in a blocking region or a callback; another thread's mutator; stopped
 *                        already; the thread has a mutator of another heap that is in no blocking
 *                        region. Resuming: nothing was stopped so by this thread, or it is in a
 *                        visit of tide_heap_walk */
TIDE_API enum tide_status tide_world_stop(struct tide_mutator *mutator);
TIDE_API enum tide_status tide_world_resume(struct tide_mutator *mutator);

/* ---- All that is asked about an object, at once ------------------------------------------ */

struct tide_object_facts {
  size_t bytes; /* that may be used, as tide_object_bytes tells */
  tide_layout layout;
  bool pinned;   /* by tide_object_pin */
  bool may_grow; /* tide_resize_in_place may get it more than `bytes` */
};
/* Tells about the object that begins at this address, for the price of one look-up and
 * without a lock. Returns false, and leaves *facts alone, if none begins there, if it was freed, as
 * far as its memory still tells, if an argument is NULL, and where the mutator may not act:
 * blocking region, callback of a collection, another thread. */
TIDE_API bool tide_object_look(struct tide_mutator *mutator, const void *object,
                               struct tide_object_facts *facts);

/* Returns an object of the same layout with `bytes` bytes, which begin with those of `object` as
 * far as there is room, and frees that one as tide_free does. It is for what is done often: small
 * objects that get longer, or shorter than half, where cells of the new size are at hand. Else it
 * returns NULL, and nothing has changed; allocating, copying and freeing may still be possible.
 * What lies behind the old bytes is zeroed unless the layout is one of tide_layout_unzeroed. No
 * safepoint. */
TIDE_API void *tide_object_replace(struct tide_mutator *mutator, void *object, size_t bytes);

/* Returns the start of the cell, or of the large object, that the address points into, and stores
 * in *bytes, unless that is NULL, how many bytes it has. Whether it holds an object, or one that
 * was freed, is not asked, so this takes less than tide_object_find and tide_object_bytes: on a
 * thread with a mutator of the heap cells of up to 32 KiB are found without a lock. Returns NULL,
 * and leaves *bytes alone, if the address lies in no cell, or heap is NULL. */
TIDE_API void *tide_cell_find(struct tide_heap *heap, const void *address, size_t *bytes);
/* Returns only the bytes, 0 if there is no cell, for still less. What lies behind the last cell of
 * 64 KiB, because it is too short for one, counts as one. */
TIDE_API size_t tide_cell_bytes(struct tide_heap *heap, const void *address);

/* ---- Many objects at once ------------------------------------------------------------------ */

/* Returns a list of at least one and at most `most` objects as tide_alloc makes them: the first
 * word of each refers to the next, that of the last is NULL. Nothing but the list holds them, so
 * with a layout that does not look into the first word only the first object is held. Fails as
 * tide_alloc. A safepoint, before the list is made. */
TIDE_API void *tide_alloc_list(struct tide_mutator *mutator, tide_layout layout, size_t bytes,
                               size_t most);

/* ---- Trace functions, growth ------------------------------------------------------------- */

/* As tide_layout_traced, for functions that are not written to run on several threads: of all
 * functions of this heap that were given here, one at a time runs. Different threads call them. */
TIDE_API tide_layout tide_layout_traced_serially(struct tide_heap *heap, tide_trace_fn trace,
                                                 void *context, struct tide_error *error);

/* No collection begins while *variable is not 0, as between tide_collect_pause and
 * tide_collect_resume. It is read whenever one would begin, and what it says counts besides those.
 * For runtimes whose programs write such a variable themselves. NULL: there is none any more.
 *   TIDE_ERROR_ARGUMENT  heap is NULL
 *   TIDE_ERROR_STATE     in a callback of a collection */
TIDE_API enum tide_status tide_collect_pause_by(struct tide_heap *heap, const int *variable);
/* Waits for a running collection to end. If the thread has raised that variable before, by a
 * sequentially consistent operation, no collection runs when this returns, and none begins until
 * it is 0 again. Costs next to nothing where no collection runs. Does nothing if heap is NULL, and
 * in a callback of a collection. */
TIDE_API void tide_collect_await(struct tide_heap *heap);

/* A few of the figures that tide_heap_stats and tide_cycle_stats fill in, for a hundredth of the
 * price: as a rule no lock is taken, so two of them may be of different moments. */
struct tide_figures {
  uint64_t heap_bytes, committed_bytes, peak_committed_bytes, allocated_bytes, freed_bytes;
  uint64_t markers; /* that the last collection was allowed */
};
/* Fills them in, zeroes if heap is NULL. */
TIDE_API void tide_figures_sized(struct tide_heap *heap, struct tide_figures *figures,
                                 size_t struct_bytes);
static inline void tide_figures(struct tide_heap *heap, struct tide_figures *figures) {
  tide_figures_sized(heap, figures, sizeof *figures);
}

/* Lets the heap grow by this much before the next collection, up to its hard limit. Memory is
 * taken from the system when it is used. Returns false if the limit is reached or heap is NULL. */
TIDE_API bool tide_heap_grow(struct tide_heap *heap, size_t bytes);

#ifdef __cplusplus
}
#pragma GCC diagnostic pop
#endif
#endif
