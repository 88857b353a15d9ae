/* SPDX-License-Identifier: MIT */
#include "gc/threads/mutator/overwritten.h"

#include <string.h>

#include "gc/state/mutator.h"
#include "gc/threads/mutator/callback.h"
#include "heap/space/find.h"

struct keeper {
  struct tide_tracer tracer; /* first */
  struct tide_mutator *mutator;
};

static void keep(const struct tide_tracer *tracer, uintptr_t word) {
  struct tide_mutator *mutator = ((const struct keeper *)tracer)->mutator;
  mutator->overwritten += td_mark_from_outside(mutator->heap->markers, word);
}

static void keep_slots(struct tide_tracer *tracer, const uintptr_t *slots, size_t count) {
  for (size_t i = 0; i < count; i++)
    keep(tracer, td_slot_load(&slots[i]));
}

static void keep_conservative(struct tide_tracer *tracer, uintptr_t word) {
  const struct td_space *space = &((struct keeper *)tracer)->mutator->heap->space;
  keep(tracer, td_space_find_before(space, word, TD_FROM_HEAP));
}

/* Any words of it may be references, whatever the layout says. */
static void keep_words(struct tide_mutator *mutator, const uintptr_t *words, size_t from,
                       size_t to) {
  struct keeper keeper = {{keep_slots, keep_conservative}, mutator};
  for (size_t i = from; i < to; i++)
    keep_conservative(&keeper.tracer, td_slot_load(&words[i]));
}

TD_KEEPS_CALL void td_overwritten_keep_all(struct tide_mutator *mutator, uintptr_t object) {
  const struct td_space *space = &mutator->heap->space;
  const struct td_layout *layout =
      &space->layouts.at[space->blocks[td_block_of(space, object)].layout];
  struct keeper keeper = {{keep_slots, keep_conservative}, mutator};
  struct td_call call;
  td_quiet_call_begin(&call, "a trace function");
  layout->trace((void *)object, td_space_object_bytes(space, object), &keeper.tracer,
                layout->context);
  td_quiet_call_end(&call);
}

void td_overwritten_erase(struct tide_mutator *mutator, uintptr_t object, size_t from) {
  const struct td_space *space = &mutator->heap->space;
  const size_t bytes = td_space_object_bytes(space, object), word = sizeof(uintptr_t);
  const size_t first = (from + word - 1) / word, end = bytes / word;
  uintptr_t *words = (uintptr_t *)object;
  if (!mutator->heap->beside) {
    memset((char *)object + from, 0, bytes - from);
    return;
  }
  if (td_overwritten_is_traced(space, object)) td_overwritten_keep_all(mutator, object);
  if (td_block_at(space, object)->kind != TD_KIND_LEAF) keep_words(mutator, words, first, end);
  /* relaxed, both: [mark]; a marker may be reading what is kept. */
  for (size_t i = from; i < first * word; i++)
    __atomic_store_n((char *)object + i, 0, __ATOMIC_RELAXED);
  for (size_t i = first; i < end; i++)
    __atomic_store_n(&words[i], 0, __ATOMIC_RELAXED);
}
