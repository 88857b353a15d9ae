/* SPDX-License-Identifier: MIT */
/* What mutators write into old objects while a collection marks beside the program and objects are
 * born young: the log of the young collections that happen meanwhile (gc/cycle/young_beside.h).
 *
 * heap/young/log.h keeps its log in mark bytes and page flags, which are the markers' then. So this
 * one is a list of parts. Each mutator fills one of its own, without a lock. */
#ifndef TD_GC_THREADS_MUTATOR_WRITTEN_H
#define TD_GC_THREADS_MUTATOR_WRITTEN_H

#include "gc/object/scan.h"
#include "gc/state/heap.h"

#define TD_WRITTEN_PART 682u /* makes a part 16 KiB */
struct td_written_part {
  struct td_written_part *next;
  size_t count;
  struct td_span at[TD_WRITTEN_PART]; /* of slots, of words, or a whole object: TD_SPAN_OBJECTS */
};

struct td_written {
  pthread_mutex_t lock; /* of what follows; held for short, and no other is taken under it */
  struct td_written_part *full, *empty;
  bool lost; /* there was no memory for a part */
};

/* The mutator is about to write `count` slots of the object, at least one. Does nothing if it is
 * young or has no slots. Returns whether. Stops are held off. */
bool td_written_note(struct tide_mutator *mutator, uintptr_t object, uintptr_t slots, size_t count);
/* An event has come between an object's allocation and its first stores, which need no barrier: it
 * may be old by now. In any heap that tells young objects from old ones. */
void td_written_note_fresh(struct tide_mutator *mutator, const void *object);
/* Under the world's lock: the mutator writes nothing more. */
void td_written_leave(struct tide_mutator *mutator);

/* World stopped: takes what was written, in a list of parts. Returns false if some was lost. */
bool td_written_take(struct tide_heap *heap, struct td_written_part **parts);
/* They are empty from here on. */
void td_written_put(struct tide_heap *heap, struct td_written_part *parts);
/* Frees the empty ones. Any thread. */
void td_written_trim(struct tide_heap *heap);

/* ---- What is about to be overwritten in an object with a trace function, while marking goes on
 * beside the program. The function alone knows a reference that is encoded, in a NaN box, say ----
 */

/* Has the object a trace function that may be called now? One with another has been born since
 * marking began, or it would not go on beside the program: so nothing of it has to be kept. */
static inline bool td_overwritten_is_traced(const struct td_space *space, uintptr_t object) {
  const struct td_block *block = td_block_at(space, object);
  return block && block->kind == TD_KIND_TRACED && space->layouts.at[block->layout].beside;
}

/* By the owner: marks all that the function of such an object tells. */
void td_overwritten_keep_all(struct tide_mutator *mutator, uintptr_t object);
/* By the owner: zeroes the object from there on, and keeps what lies there if a collection goes on
 * beside the program. */
void td_overwritten_erase(struct tide_mutator *mutator, uintptr_t object, size_t from);

#endif
