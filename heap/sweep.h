/* Sweeping, which happens when a mutator needs cells and not before: a free cell is one whose first
 * byte is not of the present epoch. Both searches look at one block, from granule `at` up to the
 * granule `end`; `marks` are the bytes of the block.
 *
 * What is searched has not been handed out since the last collection, so in it the bytes of the
 * present epoch are those of live objects: see [start]. */
#ifndef TD_HEAP_SWEEP_H
#define TD_HEAP_SWEEP_H

#include "heap/marks.h"

/* Other mutators may log objects of the block meanwhile, which sets TD_DEFERRED in their bytes. So
 * bytes are loaded atomically, and compared without that bit. */
static inline bool td_sweep_is_live(const uint8_t *mark, uint8_t epoch) {
  return (td_mark_load(mark) & (TD_DEFERRED - 1)) == epoch;
}

/* Returns the first granule of [at, end) whose byte equals the epoch, or end. The bytes before `at`
 * that share its sixteen are read with them: most runs among live objects end there. */
static inline uint32_t td_sweep_next_live(const uint8_t *marks, uint32_t at, uint32_t end,
                                          uint8_t epoch) {
  typedef uint8_t lanes __attribute__((vector_size(16), may_alias));
  typedef uint64_t halves __attribute__((vector_size(16)));
  const halves low = {~TD_DEFERRED_WORD, ~TD_DEFERRED_WORD};
  const uint32_t first = at % (uint32_t)sizeof(lanes);
  uint64_t before_low = first < 8 ? ~UINT64_C(0) << 8 * first : 0;
  uint64_t before_high = first < 8 ? ~UINT64_C(0) : ~UINT64_C(0) << 8 * (first - 8);
  for (at -= first; at < end; at += (uint32_t)sizeof(lanes)) {
    const halves loaded = {td_mark_load_word(marks + at), td_mark_load_word(marks + at + 8)};
    halves equal = (halves)((lanes)(loaded & low) == epoch);
    equal &= (halves){before_low, before_high};
    before_low = before_high = ~UINT64_C(0);
    if ((equal[0] | equal[1]) == 0) continue;
    uint32_t lane = equal[0] ? (uint32_t)__builtin_ctzll(equal[0]) / 8
                             : 8 + (uint32_t)__builtin_ctzll(equal[1]) / 8;
    return at + lane < end ? at + lane : end;
  }
  return end;
}

/* Returns the first cell from the cell at `at` on that is free, or one that is not before `end`, if
 * all before it are alive. */
static inline uint32_t td_sweep_past_live(const uint8_t *marks, uint32_t at, uint32_t end,
                                          uint32_t cell, uint8_t epoch) {
  uint64_t all = UINT64_C(0x0101010101010101) * epoch;
  while (at < end && td_sweep_is_live(marks + at, epoch)) {
    at += cell;
    while (cell == 1 && at % 8 == 0 && at < end &&
           (td_mark_load_word(marks + at) & ~TD_DEFERRED_WORD) == all)
      at += 8;
  }
  return at;
}

/* Returns the first granule of the first free cell at or after the cell at `at`, or end. */
static inline uint32_t td_sweep_next_free(const uint8_t *marks, uint32_t at, uint32_t end,
                                          uint32_t cell, uint8_t epoch) {
  at = td_sweep_past_live(marks, at, end, cell, epoch);
  return at < end ? at : end;
}

#endif
