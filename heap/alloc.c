/* Allocation of small objects. A mutator reserves a run of free cells in its block and hands it out
 * to itself in pieces, each zeroed just before use. Only taking a block needs the lock, because the
 * block is the mutator's own from then on. */
#include "heap/alloc.h"

#include <string.h>

#include "heap/avoid.h"
#include "heap/blocks.h"
#include "heap/log.h"
#include "heap/marks.h"
#include "heap/poison.h"
#include "heap/quarantine.h"
#include "heap/sweep.h"
#include "heap/young.h"

/* A piece is small, so that its zeroes are still in the first-level cache when objects are written
 * over them. The lines of the piece after the next are prefetched meanwhile, because a stream of
 * stores would otherwise wait for memory. Measured on binary trees: 3.2 ns for each node built and
 * counted; 4.5 without prefetching; 3.9 with pieces of 4 KiB. */
#define PIECE_GRANULES_MIN 64u
#define PIECE_GRANULES_MAX 256u
#define PIECE_CELLS 8u
#define PIECES_AHEAD 2u
#define RESERVE_GRANULES 1024u
#define NEXT_RUN_BYTES (2 * TD_CACHE_LINE)

/* Returns the granules of a piece, which holds whole cells. */
static uint32_t piece_granules(const struct td_space *space, uint32_t cell) {
  uint32_t wanted = PIECE_CELLS * cell;
  if (wanted < PIECE_GRANULES_MIN) wanted = PIECE_GRANULES_MIN;
  if (wanted > PIECE_GRANULES_MAX) wanted = PIECE_GRANULES_MAX;
  return space->stress || cell >= wanted ? cell : wanted / cell * cell;
}

/* Prefetches the lines of [at, end), which will be written soon. */
static void prefetch(uintptr_t at, uintptr_t end) {
  for (; at < end; at += TD_CACHE_LINE)
    __builtin_prefetch((void *)at, 1);
}

static uintptr_t address_in(const struct td_space *space, uint32_t block, uint32_t granule) {
  return td_granule_address(space->base, ((uint64_t)block << TD_BLOCK_GRANULES_LOG2) + granule);
}

/* The same as td_sweep_next_free, for a space with a quarantine. */
static __attribute__((noinline, cold)) uint32_t
next_free_outside_quarantine(const struct td_space *space, const uint8_t *marks, uint32_t at,
                             uint32_t end, uint32_t cell) {
  at = td_sweep_next_free(marks, at, end, cell, space->epoch);
  while (at < end && td_mark_is_freed(td_mark_load(&marks[at])))
    at = td_sweep_next_free(marks, at + cell, end, cell, space->epoch);
  return at;
}

/* Returns the first granule of [at, end) that begins a live object or an avoided cell, or end. */
static uint32_t next_live(const struct td_space *space, uint32_t block, const uint8_t *marks,
                          uint32_t at, uint32_t end) {
  uint32_t stop = td_sweep_next_live(marks, at, end, space->epoch);
  if (TIDE_LIKELY(!td_avoids(space, block))) return stop;
  while (at < stop && td_mark_load(&marks[at]) != TD_AVOIDED)
    at++;
  return at;
}

/* Gets the memory of a run at once, but for the first of a block: many a class of sizes has a few
 * objects only, and those shall not cost more than their pages. */
static void get_pages(const struct td_space *space, uint32_t block, uint32_t start, uint32_t stop) {
  if (start == 0 || space->stress) return;
  uintptr_t from = address_in(space, block, start) & ~(TD_PAGE_BYTES - 1);
  td_plat_populate((void *)from, address_in(space, block, stop) - from);
}

/* Writes the first bytes of a run's cells, and nothing between them: see [start]. Among live
 * objects most runs are a cell or two, for which a call would be long. */
static void fill_marks(uint8_t *marks, uint8_t value, uint32_t count, uint32_t cell) {
  if (cell > 1) {
    for (uint32_t i = 0; i < count; i += cell)
      marks[i] = value;
    return;
  }
  if (count >= 8) {
    memset(marks, value, count);
    return;
  }
  if (count & 4) memset(marks, value, 4);
  marks += count & 4;
  if (count & 2) memset(marks, value, 2);
  marks += count & 2;
  if (count & 1) *marks = value;
}

/* The same of whole granules. */
static void zero(uintptr_t at, size_t bytes) {
  if (bytes >= 4 * TD_GRANULE_BYTES) {
    memset((void *)at, 0, bytes);
    return;
  }
  if (bytes & 2 * TD_GRANULE_BYTES) memset((void *)at, 0, 2 * TD_GRANULE_BYTES);
  at += bytes & 2 * TD_GRANULE_BYTES;
  if (bytes & TD_GRANULE_BYTES) memset((void *)at, 0, TD_GRANULE_BYTES);
}

/* Reserves the next free cells of the block from granule `at` on. Returns their first granule, and
 * info->reserved says where they end. If no cell is free it returns the end of the cells and
 * changes nothing. */
static uint32_t reserve(struct td_space *space, uint32_t block, uint32_t at, uint32_t cell) {
  struct td_block_info *info = &space->infos[block];
  uint8_t *marks = space->marks + ((uint64_t)block << TD_BLOCK_GRANULES_LOG2);
  uint32_t end = info->cells * cell;
  uint32_t start = space->has_quarantine || td_avoids(space, block)
                       ? next_free_outside_quarantine(space, marks, at, end, cell)
                       : td_sweep_next_free(marks, at, end, cell, space->epoch);
  if (start == end) return end;
  uint32_t most = space->stress || cell > RESERVE_GRANULES ? cell : RESERVE_GRANULES;
  uint32_t bound = start + most < end ? start + most : end;
  uint32_t stop = next_live(space, block, marks, start, bound);
  if (stop == bound && bound < end) stop -= (stop - start) % cell;
  fill_marks(marks + start, space->epoch_before, stop - start, cell); /* [young] */
  info->reserved = (uint16_t)stop;
  if (info->zeroed && space->small_pages) get_pages(space, block, start, stop);
  if (space->has_poison)
    td_unpoison(address_in(space, block, start), (size_t)(stop - start) << TD_GRANULE_LOG2);
  return start;
}

/* Moves the cache to the piece at `at`, which is below `end`, the end of the block's reservation.
 * Returns the bytes of the piece. */
static size_t hand_out(struct tide_bump *bump, const struct td_block_info *info, uintptr_t at,
                       uintptr_t end) {
  size_t piece = info->piece;
  uintptr_t stop = at + piece < end ? at + piece : end;
  bump->next = at;
  bump->limit = stop;
  if (info->zeroed) return stop - at;
  uintptr_t ahead = at + PIECES_AHEAD * piece;
  prefetch(ahead, ahead + piece < end ? ahead + piece : end);
  zero(at, stop - at);
  return stop - at;
}

/* Prefetches the beginning of the run after the reserved one if it is near. Among live objects runs
 * are short, so the mutator will soon come to it. It is likely short as well: what lies behind it
 * may be others' live data. */
static void prefetch_next_run(const struct td_space *space, uint32_t block) {
  const struct td_block_info *info = &space->infos[block];
  const uint8_t *marks = space->marks + ((uint64_t)block << TD_BLOCK_GRANULES_LOG2);
  uint32_t cell = space->blocks[block].cell_granules, end = info->cells * cell;
  uint32_t far =
      info->reserved + PIECE_GRANULES_MIN < end ? info->reserved + PIECE_GRANULES_MIN : end;
  uint32_t next = td_sweep_next_free(marks, info->reserved, far, cell, space->epoch);
  if (next >= far) return;
  uintptr_t from = address_in(space, block, next), to = address_in(space, block, end);
  prefetch(from, from + NEXT_RUN_BYTES < to ? from + NEXT_RUN_BYTES : to);
}

/* Reserves the next run of the block from granule `at` on and hands out its first piece. Returns
 * the bytes of the piece, or 0 if no cell is free. */
static size_t next_run(struct td_space *space, struct tide_bump *bump, uint32_t block,
                       uint32_t at) {
  const struct td_block_info *info = &space->infos[block];
  uint32_t cell = space->blocks[block].cell_granules;
  uint32_t start = reserve(space, block, at, cell);
  if (start == info->cells * cell) return 0;
  uintptr_t first = address_in(space, block, start), end = address_in(space, block, info->reserved);
  uintptr_t second = first + info->piece, third = first + PIECES_AHEAD * info->piece;
  if (!info->zeroed) {
    prefetch(second, third < end ? third : end);
    prefetch_next_run(space, block);
  }
  return hand_out(bump, info, first, end);
}

size_t td_space_advance(struct td_space *space, struct tide_bump *bump) {
  uintptr_t at = bump->limit;
  if (at == 0 || at & TD_RUN_HELD) return 0;
  uint32_t block = (uint32_t)((at - 1 - space->base) >> TD_BLOCK_LOG2);
  const struct td_block_info *info = &space->infos[block];
  uintptr_t end = address_in(space, block, info->reserved);
  return at < end ? hand_out(bump, info, at, end) : next_run(space, bump, block, info->reserved);
}

/* Makes a fresh block one of cells of the layout and class. */
static void format(struct td_space *space, uint32_t block, tide_layout layout,
                   unsigned size_class) {
  const struct td_layout *described = &space->layouts.at[layout];
  uint32_t cell = (uint32_t)(td_class_bytes(size_class) >> TD_GRANULE_LOG2);
  struct td_block_info *info = &space->infos[block];
  uint8_t zeroed = info->zeroed, avoided = info->avoided;
  *info = (struct td_block_info){
      .cells = (uint16_t)(TD_BLOCK_GRANULES / cell),
      .size_class = (uint8_t)size_class,
      .state = TD_BLOCK_SMALL,
      .zeroed = zeroed,
      .avoided = avoided,
      .piece = (uint16_t)(piece_granules(space, cell) << TD_GRANULE_LOG2),
  };
  space->blocks[block] = td_small_block(described, layout, cell);
  space->has_words |= td_kind_has_words(space->blocks[block].kind);
  td_avoid_format(space, block);
}

static size_t free_bytes(const struct td_space *space, uint32_t block) {
  const struct td_block_info *info = &space->infos[block];
  return (size_t)(info->cells - info->live) * space->blocks[block].cell_granules << TD_GRANULE_LOG2;
}

/* Takes the next block off the unswept list of the layout and class, or a fresh one. Returns 0 if
 * there is none, and then *room says why. */
static uint32_t take_block(struct td_space *space, tide_layout layout, unsigned size_class,
                           enum td_room *room) {
  pthread_mutex_lock(&space->lock);
  uint32_t *list = &space->unswept[(size_t)layout * TIDE_BUMP_SLOTS + size_class];
  uint32_t block = 0;
  if (td_young_is_due(space)) {
    *room = TD_ROOM_YOUNG_DUE;
  } else if (*list) {
    block = *list;
    *list = space->infos[block].next;
    space->infos[block].reserved = 0;
  } else {
    *room = td_blocks_take(space, 1, &block);
    if (block) format(space, block, layout, size_class);
  }
  if (block) td_young_touch(space, block, free_bytes(space, block));
  pthread_mutex_unlock(&space->lock);
  return block;
}

size_t td_space_refill(struct td_space *space, struct tide_bump *bump, tide_layout layout,
                       unsigned size_class, enum td_room *room) {
  size_t bytes = td_space_advance(space, bump);
  if (bytes) return bytes;
  *bump = (struct tide_bump){0};
  uint32_t block;
  while ((block = take_block(space, layout, size_class, room)) != 0)
    if ((bytes = next_run(space, bump, block, 0)) != 0) return bytes;
  return 0;
}

static uint64_t granule_at(const struct td_space *space, uintptr_t address) {
  return (address - space->base) >> TD_GRANULE_LOG2;
}

/* Returns the block of a run that ends at `limit`. */
static uint32_t block_before(const struct td_space *space, uintptr_t limit) {
  return (uint32_t)((limit - 1 - space->base) >> TD_BLOCK_LOG2);
}

/* Returns the granule where the run ends: what was reserved behind its piece belongs to it. */
static uint64_t end_of_run(const struct td_space *space, const struct tide_bump *bump) {
  if (bump->limit & TD_RUN_HELD) return granule_at(space, bump->limit);
  uint32_t block = block_before(space, bump->limit);
  return ((uint64_t)block << TD_BLOCK_GRANULES_LOG2) + space->infos[block].reserved;
}

void td_space_retire(struct td_space *space, struct tide_bump *bump) {
  if (bump->limit) {
    uint64_t granule = granule_at(space, bump->next);
    memset(space->marks + granule, 0, end_of_run(space, bump) - granule);
  }
  *bump = (struct tide_bump){0};
}

bool td_space_is_unused_slow(const struct td_space *space, const struct tide_bump *bump,
                             uintptr_t address) {
  return granule_at(space, address) < end_of_run(space, bump);
}

void td_space_hold(struct td_space *space, struct tide_bump *bump) {
  if (bump->limit == 0) return;
  uint64_t granule = granule_at(space, bump->next);
  memset(space->marks + granule, 0, end_of_run(space, bump) - granule);
  bump->limit |= TD_RUN_HELD;
  uintptr_t limit = bump->limit - TD_RUN_HELD;
  if (bump->next < limit) space->infos[block_before(space, limit)].held = 1;
}

/* The cells of a run that goes on count as old: their block may be listed, and whoever sweeps it
 * does not know young objects. So they are logged, because their first stores may be to come. */
static void hand_back_cell(struct td_space *space, uintptr_t cell) {
  if (space->has_young)
    td_log_fresh(space, cell);
  else
    space->marks[granule_at(space, cell)] = space->epoch;
}

void td_space_hand_back(struct td_space *space, const struct tide_bump *bump) {
  if (bump->limit == 0) return;
  uintptr_t limit = bump->limit - TD_RUN_HELD;
  if (bump->next == limit) return; /* its block may be somebody else's by now */
  uint32_t block = block_before(space, limit);
  for (uintptr_t at = bump->next; at < limit;
       at += (uintptr_t)space->blocks[block].cell_granules << TD_GRANULE_LOG2)
    hand_back_cell(space, at);
  space->infos[block].held = 0;
}
