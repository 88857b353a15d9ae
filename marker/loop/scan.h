/* Reading an object: calls visit(context, word) for each of its reference slots, last first, so
 * that a stack gives the first child back first. Everything is inlined into the loop around it:
 * visit must be a constant. Arrays with more than TD_SLICE_SLOTS slots are the caller's business
 * (td_scan_slots). */
#ifndef TD_MARKER_LOOP_SCAN_H
#define TD_MARKER_LOOP_SCAN_H

#include "heap/space.h"
#include "heap/view.h"
#include "marker/base/state.h"

#define TD_INLINE static inline __attribute__((always_inline))

typedef void (*td_visit)(void *context, uintptr_t word);

/* Slots are read while nobody writes them: the world is stopped. */
TD_INLINE void td_scan_words(const uintptr_t *slots, size_t from, size_t to, td_visit visit,
                             void *context) {
  for (size_t i = to; i-- > from;)
    visit(context, slots[i]);
}

/* Pairs and links are tested for first, then short maps bit by bit: branches that are predicted,
 * where a computed index would put the block's entry between one object's address and the next. */
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

TD_INLINE void td_scan_conservative(const struct td_space *space, const uintptr_t *words,
                                    size_t from, size_t to, td_visit visit, void *context) {
  for (size_t i = to; i-- > from;) {
    uintptr_t object = td_space_find(space, words[i]);
    if (object) visit(context, object);
  }
}

TD_INLINE bool td_kind_is_array(uint8_t kind) {
  return kind == TD_KIND_REFS || kind == TD_KIND_PREFIXED || kind == TD_KIND_CONSERVATIVE;
}

/* Where the slots of an array layout begin and end, in words; false: not an array layout. */
static inline bool td_array_slots(const struct td_space *space, uint32_t b, size_t *from,
                                  size_t *to) {
  const struct td_block *block = &space->blocks[b];
  switch (block->kind) {
  case TD_KIND_REFS:
  case TD_KIND_CONSERVATIVE:
    *from = 0;
    break;
  case TD_KIND_PREFIXED:
    *from = block->map;
    break;
  default:
    return false;
  }
  size_t bytes = block->cell_granules ? (size_t)block->cell_granules << TD_GRANULE_LOG2
                                      : space->infos[b].large_bytes;
  *to = bytes / sizeof(uintptr_t);
  if (*from > *to) *from = *to;
  return true;
}

#endif
