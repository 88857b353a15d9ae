/* SPDX-License-Identifier: MIT */
/* The write barrier: how references get into objects that a collection has seen. See tide/tide.h.
 *
 * In a heap with tide_options.write_barrier a young collection looks into what was allocated since
 * the last one, and of what an earlier one found alive only into what the program says it has
 * written to. So the program promises: every store of a reference into an object that a collection
 * may have seen goes through tide_write, tide_write_range or a call of Tidemark's own. That is
 * every store but those between an object's allocation and this thread's next safepoint, as every
 * allocation is. Threads with TIDE_STOP_SIGNAL, which stop anywhere, use it for every store.
 *
 * Roots, handles and stacks need none: every collection sees them. Conservative and traced objects
 * need it for what their layout takes for a reference; other words, with tide_options.concurrent.
 *
 * A forgotten store lets its target be reclaimed while it is in use: TIDE_VERIFY=1 finds it at the
 * next collection and names object, layout and slot. Without the promise they just store. */
#ifndef TIDE_WRITE_H
#define TIDE_WRITE_H
#include "tide/tide.h"

TIDE_BEGIN
/* A slot of an object, of whatever pointer type it is declared. */
typedef void *__attribute__((__may_alias__)) tide_slot;
/* The least mark of what was found alive and is not known to have been written to since. */
#define TIDE_MARK_OLD 64
TIDE_API void tide_write_slow(struct tide_mutator *mutator, void *object, const void *slots,
                              size_t count);

/* Tells that count slots of the object, from `slots` on, are about to get references, by an atomic
 * exchange, say. No safepoint may lie between this and the store. */
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

/* Stores a reference into a slot inside an object. Debug builds of the library abort if that is
 * none of the mutator's heap, or the slot outside of it; others store. */
static inline void tide_write(struct tide_mutator *mutator, void *object, void *slot, void *value) {
  tide_write_begin(mutator, object, slot, 1);
#ifdef __SANITIZE_THREAD__ /* a marker may read it meanwhile: tide_options.concurrent */
  __atomic_store_n((tide_slot *)slot, value, __ATOMIC_RELAXED);
#else
  *(tide_slot *)slot = value;
#endif
}
/* The same for count slots of one object, which get what is at `values`; both may overlap. A
 * collection sees `values` (in the heap, a root, a stack), and no other thread writes there: a
 * signal may bring a collection midway, and what was stored since would be copied untold. */
static inline void tide_write_range(struct tide_mutator *mutator, void *object, void *slots,
                                    const void *values, size_t count) {
  if (!count) return;
  tide_write_begin(mutator, object, slots, count);
#ifdef __SANITIZE_THREAD__
  tide_slot *to = (tide_slot *)slots;
  const tide_slot *from = (const tide_slot *)values;
  for (size_t i = 0; i < count; i++) {
    size_t k = to <= from ? i : count - 1 - i;
    __atomic_store_n(&to[k], from[k], __ATOMIC_RELAXED);
  }
#else
  __builtin_memmove(slots, values, count * sizeof(void *));
#endif
}
TIDE_END
#endif
