/* References that wait for their marks: two buffers, one being filled while the marks of the
 * other's references are on their way. When the first is full, the second is sifted and they
 * change places; so every mark has as long to arrive as it takes to scan a few dozen references,
 * and whether a reference is new decides no branch.
 *
 * The owner keeps the structure in a local variable. */
#ifndef TD_MARKER_LOOP_BATCH_H
#define TD_MARKER_LOOP_BATCH_H

#include "heap/view.h"
#include "marker/base/state.h"

/* Full at TD_BATCH, but one more bitmap object (64 slots) may be scanned before that is looked
 * at, and a word that is no reference is written behind the last. */
#define TD_BATCH_STEP 64u
#define TD_BATCH_ROOM (TD_BATCH + TD_BATCH_STEP + 8u)

struct td_batch {
  uintptr_t *filling; /* this buffer is being filled, */
  uintptr_t *other;   /* the references in this one wait */
  size_t count;       /* references in the first */
  uint32_t waiting;   /* references in the second */
};

static inline struct td_batch td_batch_of(uintptr_t *buffers) {
  return (struct td_batch){.filling = buffers, .other = buffers + TD_BATCH_ROOM};
}

/* Words that are no references are overwritten by the next. */
static inline void td_batch_add(struct td_batch *batch, const struct td_view *v, uintptr_t word) {
  batch->filling[batch->count] = word;
  batch->count += td_view_is_reference(v, word);
}

static inline bool td_batch_is_full(const struct td_batch *batch) {
  return batch->count >= TD_BATCH;
}

static inline bool td_batch_is_empty(const struct td_batch *batch) {
  return batch->count + batch->waiting == 0;
}

/* Moves those references forward that lead to unmarked objects; how many. One may be there twice.
 * Out of line, as the next: they run once per batch and want all registers. */
uint32_t td_batch_sift(const struct td_view *v, uintptr_t *references, uint32_t count);
void td_batch_fetch(const struct td_view *v, const uintptr_t *references, uint32_t count);

/* When the waiting references have been dealt with: those just gathered wait now. */
static inline void td_batch_turn(struct td_batch *batch, const struct td_view *v) {
  uintptr_t *empty = batch->other;
  batch->other = batch->filling;
  batch->waiting = (uint32_t)batch->count;
  batch->filling = empty;
  batch->count = 0;
  td_batch_fetch(v, batch->other, batch->waiting);
}

#endif
