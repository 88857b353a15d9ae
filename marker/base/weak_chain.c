/* SPDX-License-Identifier: MIT */
/* [weak.chain] Two markers may scan the same object at once. The one that changes `claimed` to the
 * number of this collection chains the object, on a chain of its own. */
#include "marker/base/weak_chain.h"

#include "heap/space/marks.h"

bool td_mark_claim(struct td_markers *set, _Atomic(uint64_t) *claimed) {
  /* relaxed, both: only one marker may win; the chain is read after the phase: [term.leave]. */
  uint64_t seen = atomic_load_explicit(claimed, memory_order_relaxed);
  return seen != set->cycle &&
         atomic_compare_exchange_strong_explicit(claimed, &seen, set->cycle, memory_order_relaxed,
                                                 memory_order_relaxed);
}

void td_weak_met(struct td_marker *marker, uintptr_t address) {
  struct td_weak_object *weak = (struct td_weak_object *)address;
  if (!td_mark_claim(marker->set, &weak->claimed)) return;
  weak->link = marker->weak;
  marker->weak = address;
}

bool td_ephemeron_met(struct td_marker *marker, uintptr_t address) {
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
