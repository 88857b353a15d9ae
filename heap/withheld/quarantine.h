/* SPDX-License-Identifier: MIT */
/* Cells of dead objects that are kept, so that a reference which is still in use is found out.
 *
 * A space that has a quarantine (TIDE_VERIFY=1) does not hand such a cell out again for some
 * collections. Its mark byte tells meanwhile how long ago the object died, and it is full of
 * a word, which may not be overwritten. Cells leave the quarantine by
 * age, or earlier if there are too many bytes in it; very long objects do not enter it.
 *
 * A space that has the poison (AddressSanitizer) poisons the cells of objects that have died until
 * they are handed out again.
 *
 * A space that has neither does none of this: all it pays is one test for each run that a mutator
 * reserves. */
#ifndef TD_HEAP_WITHHELD_QUARANTINE_H
#define TD_HEAP_WITHHELD_QUARANTINE_H

#include "heap/withheld/dying.h"

/* Mark bytes of cells in quarantine: how many collections ago the object died. No epoch is one. */
#define TD_FREED_YOUNGEST (TD_DYING + 1)
#define TD_FREED_AGES 4u
_Static_assert(TD_FREED_YOUNGEST + TD_FREED_AGES <= 127, "gc/weak/order.c paints with 127");

/* What they are full of: a word that is no reference and no address, and tells whose it was. */
#define TD_FREED_SIGN UINT64_C(0xf3ee)
static inline uint64_t td_freed_word(uintptr_t object) {
  return TD_FREED_SIGN << TD_RANGE_LOG2 | object | (TD_GRANULE_BYTES - 1);
}
/* Returns the object that such a word, or an address a little behind it, tells of; 0: of none. */
static inline uintptr_t td_freed_object(uintptr_t word) {
  uintptr_t low = ((uintptr_t)1 << TD_RANGE_LOG2) - TD_GRANULE_BYTES;
  return word >> TD_RANGE_LOG2 == TD_FREED_SIGN ? word & low : 0;
}

static inline bool td_mark_is_freed(uint8_t mark) {
  return mark >= TD_FREED_YOUNGEST && mark < TD_FREED_YOUNGEST + TD_FREED_AGES;
}

/* Between marking and sorting, under the lock: takes in what has died, and lets go what was long
 * enough in quarantine. The epoch before is that of the dead. */
void td_quarantine_turn(struct td_space *space);
/* For heaps that watch freed memory. */
bool td_quarantine_take_slow(struct td_space *space, uintptr_t object);
/* An object that its owner frees: it dies now. Returns false if that is all, and its memory is to
 * be given back. */
static inline bool td_quarantine_take(struct td_space *space, uintptr_t object) {
  bool watches = space->has_quarantine || space->has_poison;
  return !TIDE_LIKELY(!watches) && td_quarantine_take_slow(space, object);
}
/* Returns how many cells of a SMALL or MEDIUM block are in quarantine. */
uint32_t td_quarantine_count(const struct td_space *space, uint32_t block);
/* Lets go everything at the next turn, because memory is short. Returns false if that would free
 * nothing more. Any thread may call; takes the lock. */
bool td_quarantine_drain(struct td_space *space);

struct td_freed {
  uintptr_t start; /* of the dead object, 0: there is none */
  size_t bytes;
  tide_layout layout;
  unsigned ago; /* collections since it was reclaimed, from 1 */
};
/* Returns the dead object that the address points at or into. The world is stopped. */
struct td_freed td_quarantine_find(const struct td_space *space, uintptr_t address);
/* Returns a dead object that was written to, and stores in *offset where. The world is
 * stopped. */
struct td_freed td_quarantine_damage(const struct td_space *space, size_t *offset);

#endif
