/* SPDX-License-Identifier: MIT */
/* The write barrier: how references get into objects that a collection has seen. <tide/tide.h>
 * includes this.
 *
 * A heap created with tide_options.write_barrier collects young objects apart. A young collection
 * looks into what was allocated since the last one, and of what an earlier one found alive only
 * into what the program has said to have written to. So the program promises: every store of a
 * reference into an object that a collection may have seen goes through tide_write,
 * tide_write_range or a call of Tidemark's own. That is every store but those between the
 * allocation of an object and this thread's next safepoint; and every allocation is a safepoint. A
 * thread that is stopped by a signal (TIDE_STOP_SIGNAL) may be stopped anywhere: it uses the
 * barrier for every store, also into fresh objects.
 *
 * Roots of all kinds, handles and stacks need no barrier: every collection looks at them. Objects
 * with a conservative or traced layout need it for stores of whatever their layout takes for a
 * reference. A store of what is no reference needs none, but for tide_options.concurrent.
 *
 * A store that was forgotten lets its target be reclaimed while it is in use. TIDE_VERIFY=1 finds
 * it at the next collection and names object, layout and slot. Without the promise the functions
 * store, and that is all. Programs may use them everywhere. */
#ifndef TIDE_WRITE_H
#define TIDE_WRITE_H
#include "tide/tide.h"

TIDE_BEGIN
/* A slot of an object, of whatever pointer type it is declared. */
typedef void *__attribute__((__may_alias__)) tide_slot;
/* An object that was found alive and is not known to have been written to has at least this mark;
 * others have less. */
#define TIDE_MARK_OLD 64
TIDE_API void tide_write_slow(struct tide_mutator *mutator, void *object, const void *slots,
                              size_t count);

/* Tells that count slots of the object, from `slots` on, are about to get references: for stores
 * that the functions below cannot make, such as an atomic exchange. No safepoint may lie between
 * this and the store. */
static inline void tide_write_begin(struct tide_mutator *mutator, void *object, const void *slots,
                                    size_t count) {
  struct tide_mutator_fast *fast = (struct tide_mutator_fast *)mutator;
  /* No instruction: a mask that was loaded before will not do, because a signal may have stopped
   * this thread since, and a collection may have changed it. If a collection comes between here and
   * the store, the object to be referred to is old afterwards, and nothing need be told. */
  __asm__ volatile("" : "+m"(fast->mark_mask));
  uintptr_t at = (uintptr_t)object >> 4 & fast->mark_mask;
  /* relaxed: others may be telling of the same object, which comes to the same. What a collection
   * has changed was published when it let this thread go on. */
  if (!TIDE_LIKELY(__atomic_load_n(&fast->marks[at], __ATOMIC_RELAXED) < TIDE_MARK_OLD))
    tide_write_slow(mutator, object, slots, count);
}

/* Stores a reference into a slot of an object. `slot` is the address of the slot, inside `object`.
 * Debug builds of the library abort if the object is none of the mutator's heap or the slot lies
 * outside of it; others store. */
static inline void tide_write(struct tide_mutator *mutator, void *object, void *slot, void *value) {
  tide_write_begin(mutator, object, slot, 1);
#ifdef __SANITIZE_THREAD__ /* a marker may read it meanwhile: tide_options.concurrent */
  __atomic_store_n((tide_slot *)slot, value, __ATOMIC_RELAXED);
#else
  *(tide_slot *)slot = value;
#endif
}
/* The same for count slots of one object, which get what is at `values`. Both may overlap. A
 * collection must see what `values` holds, in the heap, a root or a stack, and no other thread may
 * write there meanwhile: where threads are stopped by a signal, a collection may come in the
 * middle, and a young reference that gets there afterwards would be copied untold. */
static inline void tide_write_range(struct tide_mutator *mutator, void *object, void *slots,
                                    const void *values, size_t count) {
  if (!count) return;
  tide_write_begin(mutator, object, slots, count);
  __builtin_memmove(slots, values, count * sizeof(void *));
}
TIDE_END
#endif
