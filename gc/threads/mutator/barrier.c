/* SPDX-License-Identifier: MIT */
/* The write barrier behind its inlined part. */
#include "gc/threads/mutator/barrier.h"

#include "gc/check/caller/check.h"
#include "gc/object/find.h"
#include "gc/state/error.h"
#include "gc/threads/inside.h"
#include "gc/threads/mutator/written.h"
#include "heap/space/find.h"
#include "heap/young/log.h"
#include "heap/young/young.h"

/* Debug builds hear of every store, because no mark is below what tide_write sees there. */
#ifdef TD_DEBUG
static const bool is_debug = true;
#else
static const bool is_debug = false;
#endif

/* What tide_write sees where it has nothing to tell, and where it tells everything. */
static const signed char never = 0, always = TIDE_MARK_OLD;

/* relaxed: the thread itself is stopped, or calls. */
static void set_mask(struct tide_mutator *mutator, uintptr_t mask) {
  __atomic_store_n(&mutator->fast.mark_mask, mask, __ATOMIC_RELAXED);
}

void td_barrier_open(struct tide_mutator *mutator) {
  const struct td_space *space = &mutator->heap->space;
  set_mask(mutator, 0);
  mutator->fast.marks = is_debug                    ? &always
                        : space->has_young          ? (const signed char *)space->marks
                        : mutator->heap->concurrent ? &mutator->heap->beside
                                                    : &never;
  td_barrier_switch(mutator);
}

void td_barrier_close(struct tide_mutator *mutator) {
  set_mask(mutator, 0);
  mutator->fast.marks = is_debug ? &always : &never;
}

/* The thread may have been stopped by a signal between the two loads of tide_write_begin, so only
 * one of both words changes. The mark that the mask 0 leads to is the first one's, of a block that
 * never holds objects. */
void td_barrier_switch(struct tide_mutator *mutator) {
  const struct td_space *space = &mutator->heap->space;
  bool looks = !is_debug && td_young_are_born(space) && !mutator->heap->beside;
  set_mask(mutator, looks ? space->mark_span - 1 : 0);
}

/* Does the object exist, and do the slots lie inside of it? A trace function may read its slots
 * anywhere. */
static bool check_write(const struct tide_mutator *mutator, const void *object, uintptr_t slots,
                        size_t count) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin(); /* the object's mark is looked at */
  if (!td_mutator_check(mutator, "tide_write")) return false;
  const char *wrong = NULL;
  uintptr_t offset = slots - (uintptr_t)object;
  struct td_found found;
  bool exists = object && td_object_look(mutator, (uintptr_t)object, &found);
  size_t bytes = exists ? td_space_object_bytes(&mutator->heap->space, (uintptr_t)object) : 0;
  if (!object)
    wrong = "the object is NULL";
  else if (!exists)
    wrong = "no object of this heap begins there";
  else if (found.block->kind != TD_KIND_TRACED &&
           (offset > bytes || count > (bytes - offset) / sizeof(void *)))
    wrong = "the slot lies outside of the object";
  else
    return true;
  td_misuse("tide_write: object %p, slot %p: %s", object, (void *)slots, wrong);
  return false;
}

/* Marking finds what was reachable when it began, and of that only what is still reachable the same
 * way when a marker comes along. So a mutator that is about to overwrite a reference first marks
 * what it leads to (Yuasa's snapshot at the beginning). */
static void keep_overwritten(struct tide_mutator *mutator, uintptr_t object, const uintptr_t *slots,
                             size_t count) {
  const struct td_space *space = &mutator->heap->space;
  const bool is_traced = td_overwritten_is_traced(space, object);
  bool is_encoded = false;
  for (size_t i = 0; i < count; i++) {
    /* relaxed: [mark]; what is there was reachable. */
    uintptr_t word = __atomic_load_n(&slots[i], __ATOMIC_RELAXED);
    mutator->overwritten += td_mark_from_outside(mutator->heap->markers, word);
    is_encoded |= is_traced && word && !td_is_reference(space, word);
  }
  if (is_encoded) td_overwritten_keep_all(mutator, object);
}

void td_barrier_keep(struct tide_mutator *mutator, const void *object) {
  struct tide_heap *heap = mutator->heap;
  if (TIDE_LIKELY(!heap->beside)) return;
  if (!td_mark_from_outside(heap->markers, (uintptr_t)object)) return;
  mutator->overwritten++;
  /* relaxed, both: the next stop carries it. */
  if (!atomic_load_explicit(&heap->gave, memory_order_relaxed))
    atomic_store_explicit(&heap->gave, true, memory_order_relaxed);
}

/* Returns whether it was not logged before, as far as is known. */
static bool log_write(struct tide_mutator *mutator, uintptr_t object, uintptr_t slots,
                      size_t count) {
  if (mutator->heap->beside) return td_written_note(mutator, object, slots, count);
  return td_log_write(&mutator->heap->space, object, slots, count);
}

/* Stops are held off: a collection in between would find an object half logged, or the epoch that
 * it is logged with past. */
void tide_write_slow(struct tide_mutator *mutator, void *object, const void *slots, size_t count) {
  if (is_debug && !check_write(mutator, object, (uintptr_t)slots, count)) return;
  struct td_space *space = &mutator->heap->space;
  td_allocation_begin(mutator);
  if (mutator->heap->beside) keep_overwritten(mutator, (uintptr_t)object, slots, count);
  /* In a callback of a marking nothing need be told: what lives is old afterwards. */
  if (td_young_are_born(space) && !mutator->heap->marking &&
      log_write(mutator, (uintptr_t)object, (uintptr_t)slots, count) &&
      ++mutator->logged % TD_YOUNG_LOGGED_STEP == 0)
    td_young_note_logged(space);
  td_allocation_end(mutator);
}
