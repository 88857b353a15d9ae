/* Which markers have something in their queues that thieves could take: a bit for each, so that a
 * thief among many need not ask everybody.
 *
 * A bit is a hint. An owner sets its own at a poll, when there is something to take; a thief that
 * finds nothing clears it. A bit that is missing costs time only: whoever watches for work looks at
 * the queues themselves now and then, and sets what is missing. Termination does not depend on
 * thieves, see marker/base/termination.h. With two markers there is nobody to choose, and no bits.
 */
#ifndef TD_MARKER_BASE_OFFERS_H
#define TD_MARKER_BASE_OFFERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "marker/queue/contract.h"
#include "tide/tide.h"

struct td_offers {
  /* A cache line for 64 markers. All markers write: relaxed, all accesses, because it is a hint
   * that orders nothing. */
  struct {
    _Alignas(TD_CACHE_LINE) _Atomic(uint64_t) bits;
  } of[TIDE_MARKERS_MAX / 64];
};

static inline bool td_offers_has(const struct td_offers *offers, unsigned id) {
  /* relaxed: see above. */
  return atomic_load_explicit(&offers->of[id / 64].bits, memory_order_relaxed) >> id % 64 & 1;
}

/* Returns whether any of the first `count` markers but `self` has a bit. */
static inline bool td_offers_any(const struct td_offers *offers, unsigned count, unsigned self) {
  for (unsigned i = 0; i * 64 < count; i++) {
    /* relaxed: see above. */
    uint64_t bits = atomic_load_explicit(&offers->of[i].bits, memory_order_relaxed);
    if (self / 64 == i) bits &= ~((uint64_t)1 << self % 64);
    if (bits) return true;
  }
  return false;
}

/* Both look first, so that the line stays with everybody while nothing changes. */
static inline void td_offers_set(struct td_offers *offers, unsigned id) {
  if (td_offers_has(offers, id)) return;
  /* relaxed: see above. */
  atomic_fetch_or_explicit(&offers->of[id / 64].bits, (uint64_t)1 << id % 64, memory_order_relaxed);
}

static inline void td_offers_clear(struct td_offers *offers, unsigned id) {
  if (!td_offers_has(offers, id)) return;
  /* relaxed: see above. */
  atomic_fetch_and_explicit(&offers->of[id / 64].bits, ~((uint64_t)1 << id % 64),
                            memory_order_relaxed);
}

#endif
