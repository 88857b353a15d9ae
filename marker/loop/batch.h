/* SPDX-License-Identifier: MIT */
/* Testing references in batches. A reference that was found in an object waits until its mark byte
 * is in the cache. There are two buffers: one is filled while the mark bytes for the references in
 * the other one are on their way. When the first is full, the other one is flushed and they change
 * places. So every mark byte has as long to arrive as it takes to scan a few dozen references.
 *
 * Its owner keeps the structure in a local variable. */
#ifndef TD_MARKER_LOOP_BATCH_H
#define TD_MARKER_LOOP_BATCH_H

#include "heap/view.h"
#include "marker/base/tuning.h"
#include "marker/scan/scan.h"

/* A batch is full at TD_BATCH references. Code that fills it need not look after each: it has room
 * for TD_BATCH_STEP more, and for a word behind the last that is no reference. */
#define TD_BATCH_STEP 64u
#define TD_BATCH_ROOM (TD_BATCH + TD_BATCH_STEP + 8u)

struct td_batch {
  uintptr_t *filling; /* the buffer that is being filled, */
  uintptr_t *other;   /* and the one whose references wait */
  size_t count;       /* references in `filling` */
  uint32_t waiting;   /* references in `other` */
};

static inline struct td_batch td_batch_of(uintptr_t *buffers) {
  return (struct td_batch){.filling = buffers, .other = buffers + TD_BATCH_ROOM};
}

/* Adds a word if it is a reference. Any other word is overwritten by the next one: that is cheaper
 * than a branch. */
static inline void td_batch_add(struct td_batch *batch, const struct td_view *v, uintptr_t word) {
  batch->filling[batch->count] = word;
  batch->count += td_view_is_reference(v, word);
}

/* The same for a word of a conservative object: td_view_word, without a branch for each. */
static inline void td_batch_add_word(struct td_batch *batch, const struct td_view *v,
                                     uintptr_t word) {
  bool anywhere = v->looked_up == 0;
  uintptr_t reference = anywhere ? word & ~(TD_GRANULE_BYTES - 1) : td_view_word(v, word);
  batch->filling[batch->count] = reference;
  batch->count += reference - v->base < v->bytes;
}

static inline bool td_batch_is_full(const struct td_batch *batch) {
  return batch->count >= TD_BATCH;
}

static inline bool td_batch_is_empty(const struct td_batch *batch) {
  return batch->count + batch->waiting == 0;
}

/* Moves the references to white objects to the front and returns how many there are. An object may
 * be among them twice. Where there are conservative objects, references that lead to no object's
 * beginning stay, too. This and the next are out of line: they are called once per batch and need
 * all registers. */
uint32_t td_batch_sift(const struct td_view *v, uintptr_t *references, uint32_t count);
/* Asks for the mark bytes of the references. */
void td_batch_fetch(const struct td_view *v, const uintptr_t *references, uint32_t count);

/* When the waiting references are done: those that were added since then wait now. */
static inline void td_batch_turn(struct td_batch *batch, const struct td_view *v) {
  uintptr_t *empty = batch->other;
  batch->other = batch->filling;
  batch->waiting = (uint32_t)batch->count;
  batch->filling = empty;
  batch->count = 0;
  td_batch_fetch(v, batch->other, batch->waiting);
}

/* Marks and counts a white object. A leaf is done then; any other object gets the mark byte `grey`.
 * Returns whether the object has to be scanned. That cannot be predicted, so here is no branch. */
TD_INLINE bool td_batch_admit(const struct td_view *v, uintptr_t object, uint8_t grey,
                              uint64_t *objects) {
  *objects += 1;
  bool scan = td_view_block(v, object)->kind != TD_KIND_LEAF;
  td_mark_store(td_view_mark(v, object), scan ? grey : v->epoch);
  return scan;
}

#endif
