/* SPDX-License-Identifier: MIT */
/* What happens when objects die: weak references, ephemerons, weak tables, finalizers, for
 * <tide/tide.h>. What only looks (…_get, _key, _value, _count) is allowed in callbacks. */
#ifndef TIDE_WEAK_H
#define TIDE_WEAK_H
#include "tide/base.h"

TIDE_BEGIN
/* ---- Weak references ------------------------------------------------------------------- */
enum tide_weak_kind {
  TIDE_WEAK_BEFORE = 0, /* cleared before finalizers are queued: a dying object is not seen again */
  TIDE_WEAK_AFTER,      /* cleared when the object is reclaimed: survives resurrection */
};
/* A weak reference is itself an object of the heap. Keep it reachable as any other. */
struct tide_weak;
/* A target that is no object of this heap (a tagged integer, another's object) is never cleared. */
TIDE_API struct tide_weak *tide_weak_new(struct tide_mutator *mutator, void *target,
                                         enum tide_weak_kind kind);
/* Returns the target, strong from then on; NULL if it was cleared, and for no weak reference. */
TIDE_API void *tide_weak_get(struct tide_mutator *mutator, struct tide_weak *weak);

/* ---- Ephemerons ------------------------------------------------------------------------ */
/* An ephemeron keeps its value alive only while its key is alive otherwise (Hayes, OOPSLA 1997).
 * When the key dies both become NULL, and setting the value does nothing any more. A key that is
 * no object of this heap lives for ever. If the key is NULL, no value can be set later. */
struct tide_ephemeron;
TIDE_API struct tide_ephemeron *tide_ephemeron_new(struct tide_mutator *mutator, void *key,
                                                   void *value);
/* Return NULL for an ephemeron whose key died, and for what is no ephemeron of this heap. */
TIDE_API void *tide_ephemeron_key(struct tide_mutator *mutator, struct tide_ephemeron *ephemeron);
TIDE_API void *tide_ephemeron_value(struct tide_mutator *mutator, struct tide_ephemeron *ephemeron);
TIDE_API void tide_ephemeron_set(struct tide_mutator *mutator, struct tide_ephemeron *ephemeron,
                                 void *value);

/* ---- Weak tables ----------------------------------------------------------------------- */
/* A hash table of ephemerons, itself an object of the heap, for any number of mutators: an entry
 * goes when its key dies. Keys are compared by identity or content. A set has NULL for values. */
struct tide_weak_table;
TIDE_API struct tide_weak_table *tide_weak_table_new(struct tide_mutator *mutator);
/* Both may only read memory, and must return; calls in them are refused. Of two keys that are equal
 * the hash is the same, and stays so; others may differ in any of its bits. A key that only looks a
 * table up need not be an object. `inside` is a key of the table. With a NULL function
 * tide_alloc_status is TIDE_ERROR_ARGUMENT. */
typedef uint64_t (*tide_hash_fn)(const void *key, void *context);
typedef bool (*tide_equal_fn)(const void *inside, const void *key, void *context);
TIDE_API struct tide_weak_table *tide_weak_table_new_by_content(struct tide_mutator *mutator,
                                                                tide_hash_fn hash,
                                                                tide_equal_fn equal, void *context);
/* Adds, or replaces the value of an equal key, which stays. */
TIDE_API bool tide_weak_table_put(struct tide_mutator *mutator, struct tide_weak_table *table,
                                  void *key, void *value);
/* Returns the equal key in the table, or adds this one with the value; NULL without memory. */
TIDE_API void *tide_weak_table_intern(struct tide_mutator *mutator, struct tide_weak_table *table,
                                      void *key, void *value);
/* Return the value of the equal key, or that key itself; NULL if there is none. */
TIDE_API void *tide_weak_table_get(struct tide_mutator *mutator, struct tide_weak_table *table,
                                   const void *key);
TIDE_API void *tide_weak_table_key(struct tide_mutator *mutator, struct tide_weak_table *table,
                                   const void *key);
/* Returns whether there was such an entry. */
TIDE_API bool tide_weak_table_remove(struct tide_mutator *mutator, struct tide_weak_table *table,
                                     const void *key);
/* Counts the entries that are alive, looking at every slot. */
TIDE_API size_t tide_weak_table_count(struct tide_mutator *mutator, struct tide_weak_table *table);
/* Calls visit for each entry that is alive, in no order. Others wait meanwhile; visit may do what a
 * hash function may, and says what becomes of the entry. Returns how many were visited. */
enum tide_weak_visit { TIDE_WEAK_KEEP = 0, TIDE_WEAK_REMOVE, TIDE_WEAK_STOP };
typedef enum tide_weak_visit (*tide_weak_table_fn)(void *key, void *value, void *context);
TIDE_API size_t tide_weak_table_each(struct tide_mutator *mutator, struct tide_weak_table *table,
                                     tide_weak_table_fn visit, void *context);

/* ---- Finalizers ------------------------------------------------------------------------ */
/* Finalizers never run by themselves. A registered object that has become unreachable is put on a
 * queue, alive with all that it reaches until you take it off; it may be registered again then.
 *
 * The order is from the outside in: an object that another dying registered object reaches waits
 * until that one was taken off and a later collection finds it dying still. Of the members of a
 * cycle the one registered first comes first, and the others wait likewise. Values of ephemerons do
 * not count. Several finalizers of one object run in the order of registration.
 *   TIDE_ERROR_ARGUMENT  it is no object of this heap */
typedef void (*tide_finalizer_fn)(void *object, void *context);
TIDE_API enum tide_status tide_finalizer_add(struct tide_mutator *mutator, void *object,
                                             tide_finalizer_fn finalizer, void *context);
/* Removes those that tide_finalizer_add gave, but for what is on the queue. Returns how many. */
TIDE_API size_t tide_finalizer_remove(struct tide_mutator *mutator, void *object);
/* Returns the length of the queue. Any thread. */
TIDE_API size_t tide_finalizers_pending(struct tide_heap *heap);
/* Runs up to `most` pending finalizers on the calling thread, the oldest first. Returns how many
 * ran. They may allocate, collect, register and run finalizers. */
TIDE_API size_t tide_finalizers_run(struct tide_mutator *mutator, size_t most);
/* For the end of a program: runs all finalizers, whatever refers to their objects: pending ones,
 * then in order of registration, new ones in up to TIDE_FINALIZER_ROUNDS. Returns how many. */
TIDE_API size_t tide_finalizers_run_all(struct tide_mutator *mutator);
#define TIDE_FINALIZER_ROUNDS 16
TIDE_END
#endif
