/* SPDX-License-Identifier: MIT */
/* For runtimes that bring their own ways: roots that nobody registers one by one, weak slots that
 * lie anywhere, liveness, finalizers taken by hand, trace functions that run one at a time. */
#ifndef TIDE_FOREIGN_H
#define TIDE_FOREIGN_H
#include "tide/tide.h"

TIDE_BEGIN
/* ---- Roots gathered afresh for each collection ------------------------------------------ */
struct tide_root_list;
/* A source tells in each collection anew which memory all markers together search conservatively
 * for references. Each of its functions may be NULL, but not all. They use nothing of the heap but
 * statistics and, in the two that get a list, tide_root_report.
 *
 * before_stop runs on the collecting thread while the others still run, so it may take locks that
 * they hold for short: that of dl_iterate_phdr, say. stopped runs when the world stands still; it
 * may neither take such locks nor allocate, from malloc included. around_stop runs between the two,
 * for what must not change before the world stands still: it takes the lock for this, looks whether
 * what before_stop told still holds, calls stop(argument), and lets go of the lock. When stop
 * returns, no attached thread runs. If around_stop does not call it, all sources are asked anew
 * from before_stop on; without memory for answers, nothing follows TIDE_EVENT_CYCLE_BEGIN. */
struct tide_root_source {
  void (*before_stop)(struct tide_root_list *list, void *context);
  void (*stopped)(struct tide_root_list *list, void *context);
  void *context;
  void (*around_stop)(void (*stop)(void *argument), void *argument, void *context);
};
/* The structure is copied. Both wait for a collection to end.
 *   TIDE_ERROR_ARGUMENT  a source without a function; removing what was not added
 *   TIDE_ERROR_STATE     added already */
TIDE_API enum tide_status tide_root_add_source(struct tide_heap *heap,
                                               const struct tide_root_source *source);
TIDE_API enum tide_status tide_root_remove_source(struct tide_heap *heap,
                                                  const struct tide_root_source *source);
/* Inside a source only: any aligned word of [start, start + bytes) may point at or into an object.
 * The memory must be readable until the collection ends. What is short of a word is left out. If
 * there is no memory to remember it before the stop, the collection does not take place:
 * tide_collect returns TIDE_ERROR_MEMORY, and allocation goes on as if collecting were paused. */
TIDE_API void tide_root_report(struct tide_root_list *list, const void *start, size_t bytes);
/* The same for a stack: its words count wherever they point (see tide_heap_set_interior). */
TIDE_API void tide_root_report_stack(struct tide_root_list *list, const void *start, size_t bytes);

/* ---- Weak slots in place ----------------------------------------------------------------- */
/* A weak slot is a word of yours, in an object or anywhere else, that a collection sets to NULL
 * when its target dies: before finalizers are queued (TIDE_WEAK_BEFORE) or when the target is
 * reclaimed (TIDE_WEAK_AFTER). It may be registered once for each kind. What it holds is yours too,
 * the address in disguise, say: what markers take for a reference keeps the target alive. It is
 * forgotten with an object around it; memory elsewhere stays writable until it is removed.
 *   TIDE_ERROR_ARGUMENT  not 8-byte aligned; no such kind; the target is no object; not registered
 *   TIDE_ERROR_STATE     the slot is registered already (moving: the new one) */
TIDE_API enum tide_status tide_weak_slot_add(struct tide_mutator *mutator, void *slot,
                                             const void *target, enum tide_weak_kind kind);
TIDE_API enum tide_status tide_weak_slot_remove(struct tide_mutator *mutator, void *slot,
                                                enum tide_weak_kind kind);
/* The word itself is not copied. */
TIDE_API enum tide_status tide_weak_slot_move(struct tide_mutator *mutator, void *from, void *to,
                                              enum tide_weak_kind kind);

/* Between these two calls of a thread the world is not stopped for a collection, unless the thread
 * lets it: by allocating, collecting, a safepoint or a blocking section. For threads that a signal
 * stops, and short stretches, such as taking the disguise off a weak slot: a collection waits. It
 * costs next to nothing. Holds nest. Wrong calls do nothing, and debug builds abort. */
TIDE_API void tide_stop_hold(struct tide_mutator *mutator);
TIDE_API void tide_stop_release(struct tide_mutator *mutator);

/* In events from TIDE_EVENT_MARK_END to TIDE_EVENT_CYCLE_END: returns whether the object that
 * begins here was found alive: in MARK_END reached from roots, later also from what finalizers will
 * want. False for what is no object of this heap, and outside of callbacks. For tables of your own
 * that hold objects weakly. With tide_options.concurrent, whoever takes an object out of one while
 * marking goes on keeps it alive by tide_write_begin(mutator, table, &object, 1): where it is
 * stored next, marking may have been already. */
TIDE_API bool tide_object_is_live(struct tide_heap *heap, const void *object);

/* ---- One finalizer to an object ---------------------------------------------------------- */
/* When an unreachable object's turn comes. The order of tide_finalizer_add is a thing apart. */
enum tide_finalizer_order {
  /* Not while an unreachable object with one, itself included, reaches it; NO_ORDER ones do not. */
  TIDE_FINALIZE_ORDERED = 0,
  TIDE_FINALIZE_IGNORE_SELF, /* the same; references straight from the object to itself are none */
  TIDE_FINALIZE_NO_ORDER,    /* at once, unless an object of another order reaches it */
  TIDE_FINALIZE_UNREACHABLE, /* the last: not while one that waits for its finalizer reaches it */
};
struct tide_finalizer_entry {
  tide_finalizer_fn call;
  void *context; /* a root, searched conservatively: what it refers to stays alive */
  enum tide_finalizer_order order;
};
/* Gives the object the finalizer *entry, or none if entry is NULL. What it had goes to *before,
 * unless that is NULL (before->call is NULL: none). They join the queue of tide_finalizers_run.
 *   TIDE_ERROR_ARGUMENT  no object of this heap begins there; no such order */
TIDE_API enum tide_status tide_finalizer_set(struct tide_mutator *mutator, void *object,
                                             const struct tide_finalizer_entry *entry,
                                             struct tide_finalizer_entry *before);
/* Takes the oldest pending finalizer off the queue unrun, for those that may leave by longjmp.
 * Returns its object, which only the caller holds now, with entry->context; or NULL. */
TIDE_API void *tide_finalizer_take(struct tide_mutator *mutator,
                                   struct tide_finalizer_entry *entry);
/* For runtimes that run every finalizer before they end: puts all objects with one by
 * tide_finalizer_set on the queue, but for those whose finalizer is `but`. Returns how many. */
TIDE_API size_t tide_finalizers_queue_all(struct tide_mutator *mutator, tide_finalizer_fn but);

/* As tide_layout_traced, but one function of all given here runs at a time, on changing threads. */
TIDE_API tide_layout tide_layout_traced_serially(struct tide_heap *heap, tide_trace_fn trace,
                                                 void *context, struct tide_error *error);
TIDE_END
#endif
