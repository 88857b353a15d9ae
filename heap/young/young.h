/* SPDX-License-Identifier: MIT */
/* Young objects: those allocated since the last collection, in a space that has_young.
 *
 * All of them lie in *touched* blocks, which is where a mutator allocated since that collection. Of
 * a span (heap/cells/medium.h), the first block is touched as well, wherever the object begins.
 * So a young collection sorts these blocks and no others, and a full one can make their objects old
 * before it begins: from there on it need not know of youth at all. */
#ifndef TD_HEAP_YOUNG_YOUNG_H
#define TD_HEAP_YOUNG_YOUNG_H

#include "heap/space/space.h"

/* Objects are allocated in the block, `bytes` of them at most. The caller holds the space's lock,
 * or the world is stopped. */
static inline void td_young_touch(struct td_space *space, uint32_t block, size_t bytes) {
  space->young_bytes += bytes;
  space->taken_bytes += bytes;
  space->touched[block / 64] |= (uint64_t)1 << (block % 64);
}

static inline bool td_young_is_touched(const struct td_space *space, uint32_t block) {
  return space->touched[block / 64] >> (block % 64) & 1;
}

/* An object with this mark, whose extent or span begins with the block, has become `bytes` shorter,
 * or was freed. If it was young, the young part is smaller by these bytes. Under the lock. */
static inline void td_young_give_back(struct td_space *space, uint32_t block, uint8_t mark,
                                      size_t bytes) {
  bool young = space->bears_old ? td_young_is_touched(space, block) : mark == TD_YOUNG;
  if (young) space->young_bytes -= bytes < space->young_bytes ? bytes : space->young_bytes;
}

/* Are objects that are allocated now young, and are stores into old ones logged? */
static inline bool td_young_are_born(const struct td_space *space) {
  return space->has_young && !space->bears_old;
}

/* A young collection looks into what was logged. If that is much, it comes before the young part is
 * full, so that its pause stays short. Mutators count what they log in steps. */
#define TD_YOUNG_LOGGED_STEP 256u

/* A mutator has logged another TD_YOUNG_LOGGED_STEP objects. */
static inline void td_young_note_logged(struct td_space *space) {
  /* relaxed: a count that may come late. A stop publishes it before it is set to 0. */
  __atomic_fetch_add(&space->logged, TD_YOUNG_LOGGED_STEP, __ATOMIC_RELAXED);
}

/* Returns how much was allocated that a young collection can find dead. Under the lock. */
static inline size_t td_young_bytes(const struct td_space *space) {
  return space->bears_old ? 0 : space->young_bytes;
}

/* Is it time for a young collection? The caller holds the space's lock. */
static inline bool td_young_is_due(const struct td_space *space) {
  if (space->young_due == SIZE_MAX) return false;
  /* relaxed: as above. */
  return space->young_bytes >= space->young_due ||
         __atomic_load_n(&space->logged, __ATOMIC_RELAXED) >= space->logged_due;
}

/* World stopped, between collections: are objects to be old from their first moment? */
void td_young_bear_old(struct td_space *space, bool old);
/* Sets the byte of objects that are allocated from now on. */
void td_young_set_byte(struct td_space *space);

/* Until a collection says otherwise the young part may have `bytes`, and `logged` objects may be
 * logged; bytes SIZE_MAX: neither has a bound. Takes the lock. */
void td_young_set_due(struct td_space *space, size_t bytes, size_t logged);

/* World stopped, before a full marking: makes the young objects old, and forgets the log. */
void td_young_make_old(struct td_space *space);
/* World stopped, instead of a young marking, in a space that bears old objects: as if it had found
 * every object since the last collection. */
void td_young_keep(struct td_space *space);
/* [beside] World stopped: from here on what is allocated is young, and nothing else. */
void td_young_bear_beside(struct td_space *space);
/* [beside] World stopped: that is over, and what is young becomes old. Are markers at work? */
void td_young_end_beside(struct td_space *space, bool marking);
/* [beside] World stopped, markers at work: what is young becomes old. What is allocated later is
 * young again. */
void td_young_keep_beside(struct td_space *space);
/* No block is touched any more. Under the lock. */
void td_young_forget(struct td_space *space);

#endif
