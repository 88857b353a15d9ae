/* The rare kinds of objects, and what trace functions hand over. */
#include "heap/find.h"
#include "heap/marks.h"
#include "marker/base/state.h"
#include "marker/base/pending.h"
#include "marker/loop/scan.h"

static void add(struct td_gather *gather, uintptr_t word) {
  const struct td_space *space = gather->marker->set->space;
  if (td_granule_of(space->base, word) >= space->granules) return;
  if (gather->count == TD_TRACER_ITEMS) {
    for (uint32_t i = 0; i < gather->count; i++)
      td_pending_defer(gather->marker, gather->items[i]);
    gather->count = 0;
  }
  gather->items[gather->count++] = word;
}

static void add_slots(struct tide_tracer *tracer, const uintptr_t *slots, size_t count) {
  for (size_t i = count; i-- > 0;)
    add((struct td_gather *)tracer, slots[i]);
}

static void add_conservative(struct tide_tracer *tracer, uintptr_t word) {
  struct td_gather *gather = (struct td_gather *)tracer;
  uintptr_t object = td_space_find(gather->marker->set->space, word);
  if (object) add(gather, object);
}

void td_gather_init(struct td_gather *gather, struct td_marker *marker) {
  gather->tracer = (struct tide_tracer){.slots = add_slots, .conservative = add_conservative};
  gather->marker = marker;
  gather->count = 0;
}

static void trace_long_bitmap(const struct td_layout *layout, const uintptr_t *slots, size_t words,
                              struct td_gather *gather) {
  for (size_t i = layout->words < words ? layout->words : words; i-- > 0;)
    if (layout->bits[i / 64] >> (i % 64) & 1) add(gather, slots[i]);
}

static void trace_repeated(const struct td_layout *layout, const uintptr_t *slots, size_t words,
                           struct td_gather *gather) {
  for (size_t at = words / layout->words * layout->words; at > 0;) {
    at -= layout->words;
    for (uint64_t map = layout->element; map; map &= map - 1)
      add(gather, slots[at + (unsigned)__builtin_ctzll(map)]);
  }
}

void td_scan_rare(struct td_marker *marker, uintptr_t object, struct td_gather *gather) {
  const struct td_space *space = marker->set->space;
  const struct td_block *block = &space->blocks[(object - space->base) >> TD_BLOCK_LOG2];
  td_gather_init(gather, marker);
  switch (block->kind) {
  case TD_KIND_BITMAP_LONG:
    trace_long_bitmap(&space->layouts.at[block->layout], (const uintptr_t *)object,
                      td_space_object_bytes(space, object) / sizeof(uintptr_t), gather);
    break;
  case TD_KIND_REPEATED:
    trace_repeated(&space->layouts.at[block->layout], (const uintptr_t *)object,
                   td_space_object_bytes(space, object) / sizeof(uintptr_t), gather);
    break;
  case TD_KIND_TRACED: {
    const struct td_layout *layout = &space->layouts.at[block->layout];
    layout->trace((void *)object, td_space_object_bytes(space, object), &gather->tracer,
                  layout->context);
    break;
  }
  case TD_KIND_WEAK:
    td_weak_met(marker, object);
    break;
  case TD_KIND_EPHEMERON:
    if (td_ephemeron_met(marker, object))
      add(gather, ((struct td_ephemeron_object *)object)->value);
    break;
  default: /* a free block: a reference that dangles; tide_check_marks names it */
    break;
  }
}
