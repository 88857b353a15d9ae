/* Reading the slots of an object. Each function calls visit(context, word) for every slot, the last
 * one first, so that a stack returns the first child first. Everything is inlined into the loop
 * that uses it, so `visit` must be a constant. The world is stopped: nobody writes the slots. */
#ifndef TD_MARKER_SCAN_SCAN_H
#define TD_MARKER_SCAN_SCAN_H

#include <stddef.h>
#include <stdint.h>

#include "heap/space.h"
#include "heap/view.h"

#define TD_INLINE static inline __attribute__((always_inline))

typedef void (*td_visit)(void *context, uintptr_t word);

TD_INLINE void td_scan_words(const uintptr_t *slots, size_t from, size_t to, td_visit visit,
                             void *context) {
  for (size_t i = to; i-- > from;)
    visit(context, slots[i]);
}

/* Visits the slots that have a bit in the map. Pairs, links and short maps are handled by branches,
 * which the processor predicts. A slot number computed from the map would make the address of the
 * next object wait for the load of the map. */
TD_INLINE void td_scan_map(const uintptr_t *slots, uint64_t map, td_visit visit, void *context) {
  if (map == 3) {
    visit(context, slots[1]);
    visit(context, slots[0]);
    return;
  }
  if (map == 1) {
    visit(context, slots[0]);
    return;
  }
  if (map < 16) {
    if (map & 8) visit(context, slots[3]);
    if (map & 4) visit(context, slots[2]);
    if (map & 2) visit(context, slots[1]);
    if (map & 1) visit(context, slots[0]);
    return;
  }
  while (map) {
    unsigned i = 63u - (unsigned)__builtin_clzll(map);
    map ^= (uint64_t)1 << i;
    visit(context, slots[i]);
  }
}

/* Visits the cells that the words point at or into. Some may be free; what is done with them later
 * tests their marks anyway, when these have arrived (td_view_is_white). */
TD_INLINE void td_scan_conservative(const struct td_view *v, const uintptr_t *words, size_t from,
                                    size_t to, td_visit visit, void *context) {
  for (size_t i = to; i-- > from;) {
    uintptr_t cell = td_view_candidate(v, words[i]);
    if (cell) visit(context, cell);
  }
}

#endif
