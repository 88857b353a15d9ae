/* SPDX-License-Identifier: MIT */
/* Weak references, finalizers and ephemerons between marking and sweeping. */
#include "gc/cycle/reclaim.h"

#include "gc/foreign/weak_slots.h"
#include "gc/weak/ephemeron.h"
#include "gc/weak/order.h"

static bool dead(const struct tide_heap *heap, uintptr_t word) {
  return td_is_reference(&heap->space, word) && !td_object_is_marked(&heap->space, word);
}

/* Goes through a chain: clears references of kind BEFORE whose target is dead, and returns the
 * chain of the others with dead targets, put in front of `rest`. */
static uintptr_t clear_before(struct tide_heap *heap, uintptr_t chain, uintptr_t rest) {
  for (uintptr_t x = chain, next; x; x = next) {
    struct td_weak_object *weak = (struct td_weak_object *)x;
    next = weak->link;
    if (!dead(heap, weak->target)) continue;
    if (weak->weak_kind == TIDE_WEAK_AFTER) {
      weak->link = rest;
      rest = x;
    } else {
      weak->target = 0;
    }
  }
  return rest;
}

/* Weak references met since the last call, by markers and by the serial closure. */
static uintptr_t take_and_clear_before(struct tide_heap *heap, uintptr_t rest) {
  rest = clear_before(heap, td_mark_take_weak(heap->markers), rest);
  rest = clear_before(heap, heap->ephemerons->weak, rest);
  heap->ephemerons->weak = 0;
  return rest;
}

static void clear_dying_in(struct tide_heap *heap, uint32_t b) {
  const struct td_space *h = &heap->space;
  uint64_t granule = (uint64_t)b << TD_BLOCK_GRANULES_LOG2;
  for (uint32_t i = 0; i < h->infos[b].cells; i++, granule += h->blocks[b].cell_granules) {
    if (h->marks[granule] != h->epoch_before) continue;
    struct td_weak_object *weak = (struct td_weak_object *)td_granule_address(h->base, granule);
    if (weak->weak_kind == TIDE_WEAK_BEFORE && dead(heap, weak->target)) weak->target = 0;
  }
}

/* Before anything that dies is marked: see step 2. */
static void clear_dying(struct tide_heap *heap) {
  const struct td_space *h = &heap->space;
  for (uint32_t b = 1; b < h->frontier; b++)
    if (h->blocks[b].kind == TD_KIND_WEAK) clear_dying_in(heap, b);
}

/* References and objects to which nothing refers but what dies itself. */
static bool begin(struct tide_heap *heap, struct td_reclaim *reclaim) {
  reclaim->after = take_and_clear_before(heap, 0);
  td_weak_slots_clear(heap, TIDE_WEAK_BEFORE);
  bool dying = td_order_dying(heap), settling = td_settle_needed(heap);
  reclaim->settling = settling ? TD_SETTLE_CONTENTS : TD_SETTLED;
  if (dying || settling) clear_dying(heap);
  if (dying) td_order_queue(heap);
  return dying;
}

bool td_reclaim_next(struct tide_heap *heap, struct td_reclaim *reclaim) {
  bool begins = !reclaim->begun;
  reclaim->begun = true;
  if (begins && begin(heap, reclaim)) return true;
  if (reclaim->settling == TD_SETTLED) return false;
  td_settle(heap, reclaim->settling++);
  return true;
}

void td_reclaim_finish(struct tide_heap *heap, struct td_reclaim *reclaim) {
  uintptr_t after = take_and_clear_before(heap, reclaim->after);
  td_ephemerons_clear(heap);
  td_weak_slots_clear(heap, TIDE_WEAK_AFTER);
  td_weak_slots_forget_dead(heap);
  for (uintptr_t x = after; x; x = ((struct td_weak_object *)x)->link) {
    struct td_weak_object *weak = (struct td_weak_object *)x;
    if (dead(heap, weak->target)) weak->target = 0;
  }
}

void td_reclaim(struct tide_heap *heap) {
  struct td_reclaim reclaim = {0};
  while (td_reclaim_next(heap, &reclaim))
    continue;
  td_reclaim_finish(heap, &reclaim);
}
