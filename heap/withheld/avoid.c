/* SPDX-License-Identifier: MIT */
/* Noting and passing over the cells that false pointers point at. */
#include "heap/withheld/avoid.h"

#include <string.h>

#include "heap/space/find.h"
#include "heap/space/marks.h"
#include "heap/space/tables.h"

/* Addresses above the frontier are noted as far again as it reaches, and ABOVE_LEAST blocks
 * more. */
#define ABOVE_LEAST 128u
/* In fresh blocks at most one cell of PART_MOST is avoided. */
#define PART_MOST 4u

static uint32_t bound_of(struct td_space *space) {
  uint64_t wanted = (uint64_t)space->frontier * 2 + ABOVE_LEAST;
  uint32_t bound = wanted < space->block_count ? (uint32_t)wanted : space->block_count;
  pthread_mutex_lock(&space->lock); /* they may be made to reach farther meanwhile */
  bool reach = td_tables_reach(space, bound);
  pthread_mutex_unlock(&space->lock);
  return reach ? bound : space->frontier;
}

static void clear(struct td_space *space, uint32_t block) {
  uint8_t *marks = td_block_marks(space, block);
  for (size_t i = 0; i < TD_BLOCK_GRANULES; i++)
    if (marks[i] == TD_AVOIDED) marks[i] = 0;
  space->infos[block].avoided = 0;
}

void td_avoid_begin(struct td_space *space) {
  for (uint32_t b = 1; b < space->avoid_end; b++)
    if (td_avoids(space, b)) clear(space, b);
  bool off = space->has_quarantine || space->has_poison || space->avoids_nothing;
  space->avoid_end = off ? 0 : bound_of(space);
  space->avoids_nothing = space->avoids_some = false;
}

/* Several markers may store the same. */
static void store(struct td_space *space, uintptr_t address) {
  uint8_t *avoided = &space->infos[td_block_of(space, address)].avoided;
  __atomic_store_n(avoided, 1, __ATOMIC_RELAXED); /* relaxed, both: read after the phase */
  __atomic_store_n(&space->avoids_some, true, __ATOMIC_RELAXED);
  td_mark_store(&space->marks[(address - space->base) >> TD_GRANULE_LOG2], TD_AVOIDED);
}

static bool is_leaf(const struct td_space *space, uintptr_t cell) {
  return space->blocks[td_block_of(space, cell)].kind == TD_KIND_LEAF;
}

static void note(struct td_space *space, uintptr_t word) {
  uint32_t block = td_block_of(space, word);
  if (block == 0) return;
  unsigned state = space->infos[block].state;
  if (state == TD_BLOCK_FREE) {
    store(space, word);
    return;
  }
  if (state == TD_BLOCK_LARGE) return;
  if (TIDE_LIKELY(td_holds_object(space, (word - space->base) >> TD_GRANULE_LOG2))) return;
  uintptr_t cell = td_space_cell(space, word);
  if (!cell || is_leaf(space, cell)) return;
  if (space->infos[td_block_of(space, cell)].state == TD_BLOCK_LARGE) return;
  if (td_holds_object(space, td_granule_of(space->base, cell))) return;
  if (space->marks[td_granule_of(space->base, cell)] == TD_DYING) return;
  store(space, cell);
  if (state == TD_BLOCK_SMALL) store(space, word);
}

void td_avoid_note(struct td_space *space, const uintptr_t *words, size_t count) {
  const uintptr_t base = space->base, bytes = (uintptr_t)space->avoid_end << TD_BLOCK_LOG2;
  for (size_t i = 0; i < count; i++)
    if (words[i] - base < bytes) note(space, words[i]);
}

static bool has_avoided(const uint8_t *marks, uint32_t count) {
  return memchr(marks, TD_AVOIDED, count) != NULL;
}

void td_avoid_format(struct td_space *space, uint32_t block) {
  uint8_t *marks = td_block_marks(space, block);
  const uint32_t cells = space->infos[block].cells, cell = space->blocks[block].cell_granules;
  const bool may = td_avoids(space, block) && space->blocks[block].kind != TD_KIND_LEAF;
  uint32_t count = 0;
  for (uint32_t i = 0; may && i < cells && count * PART_MOST <= cells; i++)
    count += has_avoided(marks + (size_t)i * cell, cell);
  const bool avoids = count > 0 && count * PART_MOST <= cells;
  for (uint32_t i = 0; avoids && i < cells; i++) {
    uint8_t *first = marks + (size_t)i * cell;
    uint8_t mark = has_avoided(first, cell) ? TD_AVOIDED : 0;
    td_marks_fill(first, 0, cell);
    td_mark_store(first, mark);
  }
  /* Bytes of what the block held before could equal this epoch or one to come. */
  if (!avoids) td_marks_fill(marks, 0, TD_BLOCK_GRANULES);
  space->infos[block].avoided = avoids;
}

bool td_avoid_give_up(struct td_space *space) {
  pthread_mutex_lock(&space->lock);
  bool more = space->avoids_some && !space->avoids_nothing;
  if (more) space->avoids_nothing = true;
  pthread_mutex_unlock(&space->lock);
  return more;
}
