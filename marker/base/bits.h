/* SPDX-License-Identifier: MIT */
/* A bit for each marker: what the others should know of it at a glance.
 *
 * Bits are hints. A bit that is missing, or is there in vain, costs time only; so all accesses are
 * relaxed, because they order nothing. Changes look first, so that the line stays with everybody
 * while nothing changes. */
#ifndef TD_MARKER_BASE_BITS_H
#define TD_MARKER_BASE_BITS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "marker/queue/contract.h"

#ifndef TD_BITS_MOST /* tests/model has fewer markers */
#include "tide/tide.h"
#define TD_BITS_MOST TIDE_MARKERS_MAX
#endif
#define TD_BITS_NONE UINT32_MAX

#define TD_BITS_LINE 16u /* markers in a line: the more, the more wait for each other */

struct td_bits {
  /* A cache line for some markers. All markers write; relaxed: see above. */
  struct {
    _Alignas(TD_CACHE_LINE) _Atomic(uint64_t) bits;
  } of[(TD_BITS_MOST + TD_BITS_LINE - 1) / TD_BITS_LINE];
};

static inline bool td_bits_has(const struct td_bits *b, unsigned id) {
  /* relaxed: see above. */
  return atomic_load_explicit(&b->of[id / TD_BITS_LINE].bits, memory_order_relaxed) >>
             id % TD_BITS_LINE &
         1;
}

/* The bits of a line, of the first `count` markers only: others may have left theirs there when
 * there were more markers. */
static inline uint64_t td_bits_in(const struct td_bits *b, unsigned count, unsigned line) {
  const unsigned here = count - line * TD_BITS_LINE;
  /* relaxed: see above. */
  uint64_t bits = atomic_load_explicit(&b->of[line].bits, memory_order_relaxed);
  return here < TD_BITS_LINE ? bits & (((uint64_t)1 << here) - 1) : bits;
}

static inline void td_bits_set(struct td_bits *b, unsigned id) {
  if (td_bits_has(b, id)) return;
  /* relaxed: see above. */
  atomic_fetch_or_explicit(&b->of[id / TD_BITS_LINE].bits, (uint64_t)1 << id % TD_BITS_LINE,
                           memory_order_relaxed);
}

/* Returns whether this call has taken the bit away. */
static inline bool td_bits_clear(struct td_bits *b, unsigned id) {
  const uint64_t bit = (uint64_t)1 << id % TD_BITS_LINE;
  if (!td_bits_has(b, id)) return false;
  /* relaxed: see above. */
  return atomic_fetch_and_explicit(&b->of[id / TD_BITS_LINE].bits, ~bit, memory_order_relaxed) &
         bit;
}

/* Takes away the next bit of the first `count` markers from `from` on, cyclically. Returns the
 * marker; TD_BITS_NONE if none has its bit. */
static inline uint32_t td_bits_take(struct td_bits *b, unsigned count, unsigned from) {
  const unsigned words = (count + TD_BITS_LINE - 1) / TD_BITS_LINE;
  for (unsigned i = 0; i <= words; i++) {
    const unsigned word = (from / TD_BITS_LINE + i) % words;
    uint64_t bits = td_bits_in(b, count, word);
    if (i == 0) bits &= ~(uint64_t)0 << from % TD_BITS_LINE;
    if (!bits) continue;
    const uint32_t id = TD_BITS_LINE * word + (unsigned)__builtin_ctzll(bits);
    /* Another one may have taken it just now. */
    return td_bits_clear(b, id) ? id : td_bits_take(b, count, id);
  }
  return TD_BITS_NONE;
}

#endif
