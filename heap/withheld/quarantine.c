/* SPDX-License-Identifier: MIT */
/* The quarantine. It is there to find errors: what it costs does not matter where it is off. */
#include "heap/withheld/quarantine.h"

#include "heap/space/find.h"
#include "heap/space/marks.h"
#include "heap/space/poison.h"
#include "heap/space/walk.h"

/* The most bytes in quarantine: this many, but not more than this part of the limit. */
#define BYTES_MOST ((size_t)64 << 20)
#define PART_OF_LIMIT 8u

/* ---- The turn ---- */

struct turn {
  const struct td_space *space;
  size_t most;                 /* bytes that may stay */
  size_t bytes[TD_FREED_AGES]; /* in quarantine, by age */
  unsigned ages;               /* younger ones stay */
};

/* What is written here is no object's memory any more, and perhaps poisoned. */
static __attribute__((no_sanitize("address"))) void fill(uintptr_t start, size_t bytes) {
  for (uint64_t *at = (uint64_t *)start, *end = at + bytes / sizeof *at; at < end; at++)
    *at = td_freed_word(start);
}

/* The sanitizer needs an eighth of what is poisoned in memory of its own. */
static void poison(uintptr_t start, size_t bytes) {
  td_poison(start, bytes < BYTES_MOST ? bytes : BYTES_MOST);
}

static bool take_in(const struct td_cell *cell, void *context) {
  struct turn *turn = context;
  const struct td_space *space = turn->space;
  if (td_mark_is_freed(*cell->mark)) {
    unsigned age = *cell->mark - TD_FREED_YOUNGEST + 1;
    *cell->mark = age < TD_FREED_AGES ? (uint8_t)(*cell->mark + 1) : 0;
    if (age < TD_FREED_AGES) turn->bytes[age] += cell->bytes;
    return true;
  }
  if (*cell->mark != space->epoch_before || td_layout_is_told(space, cell->layout)) return true;
  if (space->has_quarantine && cell->bytes <= turn->most / 2) {
    fill(cell->start, cell->bytes);
    *cell->mark = TD_FREED_YOUNGEST;
    turn->bytes[0] += cell->bytes;
  }
  if (space->has_poison) poison(cell->start, cell->bytes);
  return true;
}

static bool let_go(const struct td_cell *cell, void *context) {
  const struct turn *turn = context;
  if (td_mark_is_freed(*cell->mark) && *cell->mark >= TD_FREED_YOUNGEST + turn->ages)
    *cell->mark = 0;
  return true;
}

/* Returns how many bytes may be in quarantine. */
static size_t most_of(const struct td_space *space) {
  size_t most = space->max_blocks * TD_BLOCK_BYTES / PART_OF_LIMIT;
  return most < BYTES_MOST ? most : BYTES_MOST;
}

void td_quarantine_turn(struct td_space *space) {
  struct turn turn = {.space = space, .most = most_of(space)};
  if (space->quarantine_drains) turn.most = 0;
  td_space_each_cell(space, take_in, &turn);
  size_t bytes = 0;
  while (turn.ages < TD_FREED_AGES && bytes + turn.bytes[turn.ages] <= turn.most)
    bytes += turn.bytes[turn.ages++];
  if (turn.ages < TD_FREED_AGES) td_space_each_cell(space, let_go, &turn);
  space->quarantine_bytes = bytes;
  space->quarantine_drains = false;
}

uint32_t td_quarantine_count(const struct td_space *space, uint32_t block) {
  const uint8_t *marks = td_block_marks(space, block);
  const struct td_cells cells = td_space_cells(space, block);
  uint32_t count = 0;
  for (uint32_t i = 0; i < cells.count; i++)
    count += td_mark_is_freed(td_mark_load(&marks[(size_t)i * cells.granules]));
  return count;
}

bool td_quarantine_take_slow(struct td_space *space, uintptr_t object) {
  const size_t bytes = td_space_object_bytes(space, object);
  const uint32_t block = td_block_of(space, object);
  bool stays = space->has_quarantine && bytes <= most_of(space) / 2;
  bool is_cell = space->infos[block].state == TD_BLOCK_SMALL;
  if (stays) fill(object, bytes);
  if (space->has_poison) poison(object, bytes);
  /* Another mutator may be sweeping the block and read the byte. With a quarantine, neither of the
   * values that it may find makes the cell a free one. */
  if (stays || is_cell)
    td_mark_store(&space->marks[td_granule_of(space->base, object)], stays ? TD_FREED_YOUNGEST : 0);
  return stays || is_cell;
}

bool td_quarantine_drain(struct td_space *space) {
  pthread_mutex_lock(&space->lock);
  bool more = space->quarantine_bytes > 0 && !space->quarantine_drains;
  if (more) space->quarantine_drains = true;
  pthread_mutex_unlock(&space->lock);
  return more;
}

/* ---- Questions ---- */

static struct td_freed freed_at(const struct td_space *space, uintptr_t start, size_t bytes) {
  uint8_t mark = space->marks[(start - space->base) >> TD_GRANULE_LOG2];
  if (!td_mark_is_freed(mark)) return (struct td_freed){0};
  return (struct td_freed){start, bytes, space->blocks[td_block_of(space, start)].layout,
                           mark - TD_FREED_YOUNGEST + 1};
}

struct td_freed td_quarantine_find(const struct td_space *space, uintptr_t address) {
  uintptr_t start = td_space_cell(space, address);
  if (!start) return (struct td_freed){0};
  return freed_at(space, start, td_space_object_bytes(space, start));
}

struct damage {
  const struct td_space *space;
  struct td_freed freed;
  size_t offset;
};

static __attribute__((no_sanitize("address"))) bool look_for_damage(const struct td_cell *cell,
                                                                    void *context) {
  struct damage *damage = context;
  if (!td_mark_is_freed(*cell->mark)) return true;
  const uint64_t *at = (const uint64_t *)cell->start;
  for (size_t i = 0; i < cell->bytes / sizeof *at; i++) {
    if (at[i] == td_freed_word(cell->start)) continue;
    damage->freed = freed_at(damage->space, cell->start, cell->bytes);
    damage->offset = i * sizeof *at;
    return false;
  }
  return true;
}

struct td_freed td_quarantine_damage(const struct td_space *space, size_t *offset) {
  struct damage damage = {.space = space};
  td_space_each_cell(space, look_for_damage, &damage);
  *offset = damage.offset;
  return damage.freed;
}
