/* SPDX-License-Identifier: MIT */
/* Reading the slots of an object. Each function that gets `visit` calls visit(context, word) for
 * every slot, the last one first, so that a stack returns the first child first, but for slices of
 * long arrays. Everything is inlined into the loop that uses it, so `visit` must be a constant. */
#ifndef TD_MARKER_SCAN_SCAN_H
#define TD_MARKER_SCAN_SCAN_H

#include <stddef.h>
#include <stdint.h>

#include "heap/view.h"
#include "marker/base/tuning.h"

#define TD_INLINE static inline __attribute__((always_inline))

/* Asks for the cache lines that an object probably has. */
TD_INLINE void td_fetch_object(uintptr_t object) {
  __builtin_prefetch((const void *)object);
  __builtin_prefetch((const void *)(object + TD_FETCH_BYTES));
}

typedef void (*td_visit)(void *context, uintptr_t word);

/* Visits a slot. If it holds a word that may be a pointer, it visits the reference which that goes
 * on as. It need not lead to the beginning of an object: its mark tells, when it has arrived
 * (td_view_meet). `conservative` is a constant. */
TD_INLINE void td_scan_slot(const struct td_view *v, uintptr_t word, bool conservative,
                            td_visit visit, void *context) {
  if (conservative) {
    word = td_view_word(v, word);
    if (!word) return;
    if (!td_view_is_reference(v, word)) __builtin_unreachable(); /* `visit` need not ask again */
  }
  visit(context, word);
}

TD_INLINE void td_scan_words(const struct td_view *v, const uintptr_t *slots, size_t from,
                             size_t to, bool conservative, td_visit visit, void *context) {
  for (size_t i = to; i-- > from;)
    td_scan_slot(v, td_slot_load(&slots[i]), conservative, visit, context);
}

/* The same from the first slot on: for slices of long arrays, which follow each other. A processor
 * that sees addresses rise asks for the next lines of slots and marks by itself; at the beginning
 * of each slice it would have to learn anew that they fall. */
TD_INLINE void td_scan_words_upwards(const struct td_view *v, const uintptr_t *slots, size_t from,
                                     size_t to, bool conservative, td_visit visit, void *context) {
  for (size_t i = from; i < to; i++)
    td_scan_slot(v, td_slot_load(&slots[i]), conservative, visit, context);
}

/* Visits the slots that have a bit in the map. Pairs, links and short maps are handled by branches,
 * which the processor predicts. A slot number computed from the map would make the address of the
 * next object wait for the load of the map. */
TD_INLINE void td_scan_map(const struct td_view *v, const uintptr_t *slots, uint64_t map,
                           bool conservative, td_visit visit, void *context) {
  if (map == 3) {
    td_scan_slot(v, td_slot_load(&slots[1]), conservative, visit, context);
    td_scan_slot(v, td_slot_load(&slots[0]), conservative, visit, context);
    return;
  }
  if (map == 1) {
    td_scan_slot(v, td_slot_load(&slots[0]), conservative, visit, context);
    return;
  }
  if (map < 16) {
    if (map & 8) td_scan_slot(v, td_slot_load(&slots[3]), conservative, visit, context);
    if (map & 4) td_scan_slot(v, td_slot_load(&slots[2]), conservative, visit, context);
    if (map & 2) td_scan_slot(v, td_slot_load(&slots[1]), conservative, visit, context);
    if (map & 1) td_scan_slot(v, td_slot_load(&slots[0]), conservative, visit, context);
    return;
  }
  if (conservative) { /* nearly always all of them */
    for (unsigned i = 64u - (unsigned)__builtin_clzll(map); i-- > 0;)
      if (map >> i & 1) td_scan_slot(v, td_slot_load(&slots[i]), true, visit, context);
    return;
  }
  while (map) {
    unsigned i = 63u - (unsigned)__builtin_clzll(map);
    map ^= (uint64_t)1 << i;
    td_scan_slot(v, td_slot_load(&slots[i]), false, visit, context);
  }
}

#endif
