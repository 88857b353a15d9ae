/* SPDX-License-Identifier: MIT */
/* Runs of free cells. A mutator reserves a run in its block, which writes the marks of the cells.
 * It hands the run out to itself in pieces, each zeroed just before use unless the layout does
 * without. */
#include "heap/cells/run.h"

#include <string.h>

#include "heap/cells/alive.h"
#include "heap/space/marks.h"
#include "heap/space/poison.h"
#include "heap/withheld/avoid.h"
#include "heap/withheld/quarantine.h"
#include "heap/young/log.h"
#include "heap/young/young.h"

/* A piece is small, so that its zeroes are still in the first-level cache when objects are written
 * over them. The lines of the piece after the next are prefetched meanwhile, because a stream of
 * stores would otherwise wait for memory. Measured on binary trees: 3.2 ns for each node built and
 * counted; 4.5 without prefetching; 3.9 with pieces of 4 KiB. */
#define PIECE_GRANULES_MIN 64u
#define PIECE_GRANULES_MAX 256u
#define PIECE_CELLS 8u
#define PIECES_AHEAD 2u
#define RESERVE_GRANULES 1024u

uint16_t td_run_piece_bytes(const struct td_space *space, uint32_t cell) {
  uint32_t wanted = PIECE_CELLS * cell;
  if (wanted < PIECE_GRANULES_MIN) wanted = PIECE_GRANULES_MIN;
  if (wanted > PIECE_GRANULES_MAX) wanted = PIECE_GRANULES_MAX;
  uint32_t granules = space->stress || cell >= wanted ? cell : wanted / cell * cell;
  return (uint16_t)(granules << TD_GRANULE_LOG2);
}

/* Prefetches the lines of [at, end), which will be written soon. */
static void prefetch(uintptr_t at, uintptr_t end) {
  for (; at < end; at += TD_CACHE_LINE)
    __builtin_prefetch((void *)at, 1);
}

static uintptr_t address_in(const struct td_space *space, uint32_t block, uint32_t granule) {
  return td_block_start(space, block) + ((uintptr_t)granule << TD_GRANULE_LOG2);
}

/* ---- Sweeping ----
 *
 * It happens when a mutator needs cells and not before: a free cell is one whose first byte is not
 * of the present epoch. The searches look at one block, from granule `at` up to the granule `end`;
 * `marks` are the bytes of the block.
 *
 * What is searched has not been handed out since the last collection, so in it the bytes of the
 * present epoch are those of live objects: see [start]. */

/* Returns the first granule of [at, end) whose byte is a live object's, or end. The bytes before
 * `at` that share its sixteen are read with them: most runs among live objects end there. */
static inline uint32_t next_live(const uint8_t *marks, uint32_t at, uint32_t end,
                                 struct td_alive alive) {
  typedef uint8_t lanes __attribute__((vector_size(16), may_alias));
  typedef uint64_t halves __attribute__((vector_size(16)));
  const halves low = {~TD_DEFERRED_WORD, ~TD_DEFERRED_WORD};
  const uint32_t first = at % (uint32_t)sizeof(lanes);
  uint64_t before_low = first < 8 ? ~UINT64_C(0) << 8 * first : 0;
  uint64_t before_high = first < 8 ? ~UINT64_C(0) : ~UINT64_C(0) << 8 * (first - 8);
  for (at -= first; at < end; at += (uint32_t)sizeof(lanes)) {
    const halves loaded = {td_mark_load_word(marks + at), td_mark_load_word(marks + at + 8)};
    const lanes bytes = (lanes)(loaded & low);
    halves equal = (halves)(bytes == alive.epoch) | (halves)(bytes == alive.kept);
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
static inline uint32_t past_live(const uint8_t *marks, uint32_t at, uint32_t end, uint32_t cell,
                                 struct td_alive alive) {
  uint64_t all = UINT64_C(0x0101010101010101) * alive.epoch;
  while (at < end && td_is_alive(marks + at, alive)) {
    at += cell;
    while (cell == 1 && at % 8 == 0 && at < end &&
           (td_mark_load_word(marks + at) & ~TD_DEFERRED_WORD) == all)
      at += 8;
  }
  return at;
}

/* Returns the first granule of the first free cell at or after the cell at `at`, or end. */
static inline uint32_t next_free(const uint8_t *marks, uint32_t at, uint32_t end, uint32_t cell,
                                 struct td_alive alive) {
  at = past_live(marks, at, end, cell, alive);
  return at < end ? at : end;
}

/* The same as next_free, for a space with a quarantine. */
static __attribute__((noinline, cold)) uint32_t
next_free_outside_quarantine(const struct td_space *space, const uint8_t *marks, uint32_t at,
                             uint32_t end, uint32_t cell) {
  at = next_free(marks, at, end, cell, td_alive_in(space));
  while (at < end && td_mark_is_freed(td_mark_load(&marks[at])))
    at = next_free(marks, at + cell, end, cell, td_alive_in(space));
  return at;
}

/* Returns the first granule of [at, end) that begins a live object or an avoided cell, or end. */
static uint32_t next_taken(const struct td_space *space, uint32_t block, const uint8_t *marks,
                           uint32_t at, uint32_t end) {
  uint32_t stop = next_live(marks, at, end, td_alive_in(space));
  if (TIDE_LIKELY(!td_avoids(space, block))) return stop;
  while (at < stop && td_mark_load(&marks[at]) != TD_AVOIDED)
    at++;
  return at;
}

/* ---- Reserving and handing out ---- */

/* Gets the memory of a run at once, but for the first of a block: many a class of sizes has a few
 * objects only, and those shall not cost more than their pages. */
static void get_pages(const struct td_space *space, uint32_t block, uint32_t start, uint32_t stop) {
  bool has_memory = space->slab_committed[block / TD_SLAB_BLOCKS] == TD_SLAB_HUGE;
  if (start == 0 || space->stress || has_memory) return;
  uintptr_t from = address_in(space, block, start) & ~(TD_PAGE_BYTES - 1);
  td_plat_populate((void *)from, address_in(space, block, stop) - from);
}

/* Writes the first bytes of a run's cells, and nothing between them: see [start]. Among live
 * objects most runs are a cell or two, for which a call would be long. */
static void fill_marks(uint8_t *marks, uint8_t value, uint32_t count, uint32_t cell) {
  if (cell > 1) {
    for (uint32_t i = 0; i < count; i += cell)
      td_mark_store(&marks[i], value);
    return;
  }
  if (count >= 8) {
    td_marks_fill(marks, value, count);
    return;
  }
  if (count & 4) td_marks_fill(marks, value, 4);
  marks += count & 4;
  if (count & 2) td_marks_fill(marks, value, 2);
  marks += count & 2;
  if (count & 1) td_mark_store(marks, value);
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
  uint8_t *marks = td_block_marks(space, block);
  uint32_t end = info->cells * cell;
  uint32_t start = space->has_quarantine || td_avoids(space, block)
                       ? next_free_outside_quarantine(space, marks, at, end, cell)
                       : next_free(marks, at, end, cell, td_alive_in(space));
  if (start == end) return end;
  uint32_t most = space->stress || cell > RESERVE_GRANULES ? cell : RESERVE_GRANULES;
  uint32_t bound = start + most < end ? start + most : end;
  uint32_t stop = next_taken(space, block, marks, start, bound);
  if (stop == bound && bound < end) stop -= (stop - start) % cell;
  fill_marks(marks + start, space->born, stop - start, cell); /* [young] */
  info->reserved = (uint16_t)stop;
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
  if (info->unzeroed)
    prefetch(at, stop);
  else
    zero(at, stop - at);
  return stop - at;
}

/* Runs up to here are reserved, marked and zeroed in one go. */
#define SHORT_CELLS 8u

/* Prefetches two lines: most runs among live objects are shorter, and what lies behind them may be
 * others' live data. */
static void prefetch_run(uintptr_t at) {
  __builtin_prefetch((void *)at, 1);
  __builtin_prefetch((void *)(at + TD_CACHE_LINE), 1);
}

/* Is the block one of written memory, of which every cell that is not alive may be handed out? */
static bool is_plain(const struct td_space *space, const struct td_block_info *info) {
  return !(info->zeroed | info->avoided | space->has_quarantine | space->has_poison |
           space->stress);
}

/* Marks the cells of a run that begins at `start` and ends before `end` or a live object. Returns
 * its end. Most runs end soon, and there single bytes are read: a word would hold bytes that the
 * last run has just stored, and wait for them. */
static uint32_t mark_run(const struct td_space *space, uint8_t *marks, uint32_t start, uint32_t end,
                         uint32_t cell) {
  const uint8_t value = space->born; /* [young] */
  uint32_t near = start + SHORT_CELLS * cell, at = start;
  if (near > end) near = end;
  do {
    td_mark_store(&marks[at], value);
    at += cell;
  } while (at < near && !td_is_alive(marks + at, td_alive_in(space)));
  if (at < near || at == end) return at;
  uint32_t bound = at + RESERVE_GRANULES < end ? at + RESERVE_GRANULES : end;
  uint32_t stop = next_live(marks, at, bound, td_alive_in(space));
  if (stop == bound && bound < end) stop -= (stop - at) % cell;
  fill_marks(marks + at, value, stop - at, cell);
  return stop;
}

/* The same as td_run_next, for a plain block. */
static size_t next_plain_run(struct td_space *space, struct tide_bump *bump, uint32_t block,
                             struct td_block_info *info) {
  uint8_t *marks = td_block_marks(space, block);
  const uint32_t cell = space->blocks[block].cell_granules, end = info->cells * cell;
  const uint32_t start = past_live(marks, info->ahead, end, cell, td_alive_in(space));
  if (start >= end) { /* remembered, because taking a freed cell asks for the next run first */
    info->ahead = (uint16_t)end;
    return 0;
  }
  const uint32_t stop = mark_run(space, marks, start, end, cell);
  const uint32_t far = stop + PIECE_GRANULES_MIN < end ? stop + PIECE_GRANULES_MIN : end;
  const uint32_t ahead = past_live(marks, stop, far, cell, td_alive_in(space));
  info->reserved = (uint16_t)stop;
  info->ahead = (uint16_t)ahead;
  uintptr_t base = address_in(space, block, 0);
  uintptr_t at = base + (start << TD_GRANULE_LOG2), limit = base + (stop << TD_GRANULE_LOG2);
  prefetch_run(base + (ahead << TD_GRANULE_LOG2));
  if (limit - at > info->piece) {
    prefetch(at + info->piece, limit < at + 2 * info->piece ? limit : at + 2 * info->piece);
    return hand_out(bump, info, at, limit);
  }
  *bump = (struct tide_bump){at, limit};
  if (!info->unzeroed) zero(at, limit - at);
  return limit - at;
}

size_t td_run_next(struct td_space *space, struct tide_bump *bump, uint32_t block) {
  struct td_block_info *info = &space->infos[block];
  if (TIDE_LIKELY(is_plain(space, info))) return next_plain_run(space, bump, block, info);
  uint32_t cell = space->blocks[block].cell_granules;
  uint32_t start = reserve(space, block, info->ahead, cell);
  const bool is_end = start == info->cells * cell;
  info->ahead = is_end ? (uint16_t)start : info->reserved;
  if (is_end) return 0;
  uintptr_t first = address_in(space, block, start), end = address_in(space, block, info->reserved);
  uintptr_t second = first + info->piece, third = first + PIECES_AHEAD * info->piece;
  if (!info->zeroed) prefetch(second, third < end ? third : end);
  size_t bytes = hand_out(bump, info, first, end);
  if (info->zeroed) get_pages(space, block, start, info->reserved);
  return bytes;
}

size_t td_space_advance(struct td_space *space, struct tide_bump *bump) {
  uintptr_t at = bump->limit;
  if (at == 0 || at & TD_RUN_HELD) return 0;
  uint32_t block = td_block_of(space, at - 1);
  const struct td_block_info *info = &space->infos[block];
  uintptr_t end = address_in(space, block, info->reserved);
  return at < end ? hand_out(bump, info, at, end) : td_run_next(space, bump, block);
}

/* ---- Over a stop ---- */

static uint64_t granule_at(const struct td_space *space, uintptr_t address) {
  return (address - space->base) >> TD_GRANULE_LOG2;
}

/* Returns the granule where the run ends: what was reserved behind its piece belongs to it. */
static uint64_t end_of_run(const struct td_space *space, const struct tide_bump *bump) {
  if (bump->limit & TD_RUN_HELD) return granule_at(space, bump->limit);
  uint32_t block = td_block_of(space, bump->limit - 1);
  return td_block_granule(block) + space->infos[block].reserved;
}

/* A thread that is detached does this beside markers, which may look at the bytes. What they find,
 * the epoch or 0, is no white object. */
void td_space_retire(struct td_space *space, struct tide_bump *bump) {
  if (bump->limit) {
    uint64_t granule = granule_at(space, bump->next);
    td_marks_fill(space->marks + granule, 0, end_of_run(space, bump) - granule);
  }
  *bump = (struct tide_bump){0};
}

void td_space_keep_piece(const struct td_space *space, struct tide_bump *bump) {
  uint64_t granule = granule_at(space, bump->limit);
  td_marks_fill(space->marks + granule, 0, end_of_run(space, bump) - granule);
  bump->limit |= TD_RUN_HELD;
}

bool td_space_is_unused_slow(const struct td_space *space, const struct tide_bump *bump,
                             uintptr_t address) {
  return granule_at(space, address) < end_of_run(space, bump);
}

void td_space_hold(struct td_space *space, struct tide_bump *bump) {
  if (bump->limit == 0) return;
  uint64_t granule = granule_at(space, bump->next);
  td_marks_fill(space->marks + granule, 0, end_of_run(space, bump) - granule);
  bump->limit |= TD_RUN_HELD;
  uintptr_t limit = bump->limit - TD_RUN_HELD;
  if (bump->next < limit) space->infos[td_block_of(space, limit - 1)].held = 1;
}

/* The cells of a run that goes on count as old: their block may be listed, and a mutator that
 * sweeps it does not know young objects. So they are logged, because their first stores may be to
 * come. */
static void hand_back_cell(struct td_space *space, uintptr_t cell) {
  if (td_young_are_born(space))
    td_log_fresh(space, cell);
  else
    td_mark_store(&space->marks[granule_at(space, cell)], space->epoch);
}

void td_space_hand_back(struct td_space *space, const struct tide_bump *bump) {
  if (bump->limit == 0) return;
  uintptr_t limit = bump->limit - TD_RUN_HELD;
  if (bump->next == limit) return; /* its block may be another mutator's by now */
  uint32_t block = td_block_of(space, limit - 1);
  for (uintptr_t at = bump->next; at < limit;
       at += (uintptr_t)space->blocks[block].cell_granules << TD_GRANULE_LOG2)
    hand_back_cell(space, at);
  space->infos[block].held = 0;
}
