/* SPDX-License-Identifier: MIT */
#include "marker/scan/rare.h"

#include "heap/space/find.h"
#include "heap/space/marks.h"
#include "marker/base/deferred.h"

void td_trace_buffer_flush(struct td_trace_buffer *buffer) {
  for (uint32_t i = 0; i < buffer->count; i++)
    td_defer(buffer->marker, buffer->items[i]);
  buffer->count = 0;
}

static void add(struct td_trace_buffer *buffer, uintptr_t word) {
  const struct td_space *space = buffer->marker->set->space;
  if (td_granule_of(space->base, word) >= space->granules) return;
  if (buffer->count == TD_TRACE_BUFFER) td_trace_buffer_flush(buffer);
  buffer->items[buffer->count++] = word;
}

static void add_slots(struct tide_tracer *tracer, const uintptr_t *slots, size_t count) {
  for (size_t i = count; i-- > 0;)
    add((struct td_trace_buffer *)tracer, td_slot_load(&slots[i]));
}

static void add_conservative(struct tide_tracer *tracer, uintptr_t word) {
  struct td_trace_buffer *buffer = (struct td_trace_buffer *)tracer;
  uintptr_t object = td_space_find_before(buffer->marker->set->space, word, TD_FROM_HEAP);
  if (object) add(buffer, object);
}

void td_trace_buffer_init(struct td_trace_buffer *buffer, struct td_marker *marker) {
  buffer->tracer = (struct tide_tracer){.slots = add_slots, .conservative = add_conservative};
  buffer->marker = marker;
  buffer->count = 0;
}

static void scan_long_bitmap(const struct td_layout *layout, const uintptr_t *slots, size_t words,
                             struct td_trace_buffer *buffer) {
  for (size_t i = layout->words < words ? layout->words : words; i-- > 0;)
    if (layout->bits[i / 64] >> (i % 64) & 1) add(buffer, td_slot_load(&slots[i]));
}

/* An array of objects: the map of an element holds for every one of them. */
static void scan_repeated(const struct td_layout *layout, const uintptr_t *slots, size_t words,
                          struct td_trace_buffer *buffer) {
  for (size_t at = words / layout->words * layout->words; at > 0;) {
    at -= layout->words;
    for (uint64_t map = layout->element; map; map &= map - 1)
      add(buffer, td_slot_load(&slots[at + (unsigned)__builtin_ctzll(map)]));
  }
}

/* ---- Weak references and ephemerons ----
 *
 * They are chained by their link words. When all that is strongly reachable is marked, the
 * collector takes the chains and decides.
 *
 * [weak.chain] Two markers may scan the same object at once. The one that changes `claimed` to the
 * number of this collection chains the object, on a chain of its own. */

bool td_mark_claim(struct td_markers *set, _Atomic(uint64_t) *claimed) {
  /* relaxed, both: only one marker may win; the chain is read after the phase: [term.leave]. */
  uint64_t seen = atomic_load_explicit(claimed, memory_order_relaxed);
  return seen != set->cycle &&
         atomic_compare_exchange_strong_explicit(claimed, &seen, set->cycle, memory_order_relaxed,
                                                 memory_order_relaxed);
}

/* Chains a weak reference. */
static void meet_weak(struct td_marker *marker, uintptr_t address) {
  struct td_weak_object *weak = (struct td_weak_object *)address;
  if (!td_mark_claim(marker->set, &weak->claimed)) return;
  weak->link = marker->weak;
  marker->weak = address;
}

/* Returns true if the key is marked or no reference: the value is an ordinary reference then.
 * Otherwise chains the ephemeron. */
static bool meet_ephemeron(struct td_marker *marker, uintptr_t address) {
  const struct td_space *space = marker->set->space;
  struct td_ephemeron_object *ephemeron = (struct td_ephemeron_object *)address;
  uint64_t key = td_granule_of(space->base, td_slot_load(&ephemeron->key));
  if (key >= space->granules ||
      (td_mark_load(&space->marks[key]) & (TD_DEFERRED - 1)) == space->epoch)
    return true;
  if (!td_mark_claim(marker->set, &ephemeron->claimed)) return false;
  ephemeron->link = marker->ephemerons;
  marker->ephemerons = address;
  return false;
}

/* Joins the chains of all markers. */
static uintptr_t take(struct td_markers *set, bool weak) {
  uintptr_t all = 0;
  for (unsigned i = 0; i < set->limit; i++) {
    uintptr_t *head = weak ? &set->marker[i]->weak : &set->marker[i]->ephemerons;
    while (*head) {
      uintptr_t address = *head;
      uintptr_t *link = weak ? &((struct td_weak_object *)address)->link
                             : &((struct td_ephemeron_object *)address)->link;
      *head = *link;
      *link = all;
      all = address;
    }
  }
  return all;
}

uintptr_t td_mark_take_weak(struct td_markers *set) {
  return take(set, true);
}

uintptr_t td_mark_take_ephemerons(struct td_markers *set) {
  return take(set, false);
}

/* ---- All of them ---- */

void td_scan_rare_into(struct td_marker *marker, uintptr_t object, struct td_trace_buffer *buffer) {
  const struct td_space *space = marker->set->space;
  const struct td_block *block = &space->blocks[(object - space->base) >> TD_BLOCK_LOG2];
  const struct td_layout *layout = &space->layouts.at[block->layout];
  td_trace_buffer_init(buffer, marker);
  switch (block->kind) {
  case TD_KIND_BITMAP_LONG:
    scan_long_bitmap(layout, (const uintptr_t *)object,
                     td_space_object_bytes(space, object) / sizeof(uintptr_t), buffer);
    break;
  case TD_KIND_REPEATED:
    scan_repeated(layout, (const uintptr_t *)object,
                  td_space_object_bytes(space, object) / sizeof(uintptr_t), buffer);
    break;
  case TD_KIND_TRACED:
    layout->trace((void *)object, td_space_object_bytes(space, object), &buffer->tracer,
                  layout->context);
    break;
  case TD_KIND_WEAK:
    meet_weak(marker, object);
    break;
  case TD_KIND_EPHEMERON:
    if (meet_ephemeron(marker, object))
      add(buffer, td_slot_load(&((struct td_ephemeron_object *)object)->value));
    break;
  default: /* a free block: the reference dangles; tide_check_marks will name it */
    break;
  }
}
