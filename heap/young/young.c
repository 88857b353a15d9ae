/* SPDX-License-Identifier: MIT */
/* Young objects. */
#include "heap/young/young.h"

#include <string.h>

#include "heap/space/marks.h"
#include "heap/young/log.h"

void td_young_set_due(struct td_space *space, size_t bytes, size_t logged) {
  pthread_mutex_lock(&space->lock);
  space->young_due = bytes;
  space->logged_due = logged;
  pthread_mutex_unlock(&space->lock);
}

void td_young_set_byte(struct td_space *space) {
  space->epoch_before = td_young_are_born(space) ? TD_YOUNG : space->epoch;
  space->born = space->epoch_before;
  space->kept = space->epoch;
}

void td_young_bear_old(struct td_space *space, bool old) {
  space->bears_old = old;
  td_young_set_byte(space);
}

static void make_block_old(const struct td_space *space, uint32_t block) {
  uint8_t *marks = td_block_marks(space, block);
  typedef uint8_t lanes __attribute__((vector_size(16), may_alias));
  lanes *vectors = (lanes *)(void *)marks;
  uint8_t epoch = space->epoch;
  for (size_t i = 0; i < TD_BLOCK_GRANULES / sizeof(lanes); i++) {
    lanes young = (lanes)(vectors[i] == TD_YOUNG);
    vectors[i] = (vectors[i] & ~young) | (young & epoch);
  }
}

static void each_touched(const struct td_space *space,
                         void (*visit)(const struct td_space *space, uint32_t block)) {
  for (uint32_t b = 1; b < space->frontier; b++) {
    if (space->touched[b / 64] == 0) {
      b |= 63;
      continue;
    }
    if (td_young_is_touched(space, b)) visit(space, b);
  }
}

void td_young_make_old(struct td_space *space) {
  td_log_clear(space);
  if (!space->bears_old) each_touched(space, make_block_old);
}

void td_young_bear_beside(struct td_space *space) {
  td_young_forget(space);
  space->bears_old = false;
  space->born = TD_YOUNG;
}

/* Markers store bytes meanwhile: single ones are written. */
static void make_block_old_beside(const struct td_space *space, uint32_t block) {
  uint8_t *marks = td_block_marks(space, block);
  for (size_t i = 0; i < TD_BLOCK_GRANULES; i++)
    if (td_mark_load(&marks[i]) == TD_YOUNG) td_mark_store(&marks[i], space->epoch);
}

void td_young_keep_beside(struct td_space *space) {
  each_touched(space, make_block_old_beside);
}

void td_young_end_beside(struct td_space *space, bool marking) {
  each_touched(space, marking ? make_block_old_beside : make_block_old);
  space->bears_old = true;
  space->born = space->epoch;
}

void td_young_keep(struct td_space *space) {
  td_log_clear(space);
  space->epoch_before = TD_YOUNG; /* nothing is, so nothing dies */
}

void td_young_forget(struct td_space *space) {
  memset(space->touched, 0, ((size_t)space->frontier + 63) / 64 * sizeof *space->touched);
  space->young_bytes = 0;
  __atomic_store_n(&space->logged, 0, __ATOMIC_RELAXED); /* relaxed: the world is stopped */
}
