/* SPDX-License-Identifier: MIT */
#include "gc/threads/mutator/overwritten.h"

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
