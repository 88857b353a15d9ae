/* SPDX-License-Identifier: MIT */
/* Mapping the side tables, and making more of them writable. */
#include "heap/space/tables.h"

#define ROWS 4u

/* A table with an entry for each block, or more. */
struct row {
  char *at;
  size_t slab_bytes; /* what tells of a slab */
};

static void list_rows(const struct td_space *space, struct row rows[ROWS]) {
  *rows++ = (struct row){(char *)space->marks, TD_SLAB_BLOCKS * TD_BLOCK_GRANULES};
  *rows++ = (struct row){(char *)space->blocks, TD_SLAB_BLOCKS * sizeof *space->blocks};
  *rows++ = (struct row){(char *)space->infos, TD_SLAB_BLOCKS * sizeof *space->infos};
  *rows++ = (struct row){(char *)space->flags, TD_SLAB_BLOCKS * TD_BLOCK_PAGES};
}

/* ---- Mapping ---- */

/* Tables grow by what tells of 16 MiB in heaps with small pages, of whose entries for blocks that
 * is a page; in others first by as much, then by 32 MiB, whose marks fill a huge page. */
#define STEP_SMALL (8 * TD_SLAB_BLOCKS)
#define STEP_HUGE (16 * TD_SLAB_BLOCKS)
#define FIRST_MARKS (STEP_SMALL * TD_BLOCK_GRANULES)

/* Returns the next of the side tables, which begins with a page. */
static void *next_table(uintptr_t *at, size_t bytes) {
  void *table = (void *)*at;
  *at += (bytes + td_plat_page_bytes() - 1) & ~(td_plat_page_bytes() - 1);
  return table;
}

#define NO_RUNS_BYTES (TIDE_LAYOUT_MAX * TIDE_BUMP_SLOTS * sizeof(struct tide_bump))
#define LAYOUTS_STEP 16u

/* Places the side tables of a space whose numbers are known, one behind the other. Returns where
 * they end. */
static uintptr_t place_tables(struct td_space *space, uintptr_t at) {
  const size_t count = space->block_count, bits = (count + 63) / 64 * 8;
  const size_t slabs = count / TD_SLAB_BLOCKS;
  at += TD_SLAB_BYTES - FIRST_MARKS;
  space->marks = next_table(&at, space->mark_span);
  space->blocks = next_table(&at, count * sizeof *space->blocks);
  space->infos = next_table(&at, count * sizeof *space->infos);
  space->flags = next_table(&at, count * TD_BLOCK_PAGES);
  space->no_runs = next_table(&at, NO_RUNS_BYTES);
  space->free_bits = next_table(&at, bits);
  space->free_before = next_table(&at, bits);
  space->touched = next_table(&at, bits);
  space->logged_slabs = next_table(&at, slabs);
  space->slab_committed = next_table(&at, slabs);
  space->layouts.at = next_table(&at, TIDE_LAYOUT_MAX * sizeof *space->layouts.at);
  space->lists = next_table(&at, TIDE_LAYOUT_MAX * sizeof *space->lists);
  return at;
}

size_t td_tables_bytes(struct td_space *space) {
  return (place_tables(space, 0) + TD_SLAB_BYTES - 1) & ~(TD_SLAB_BYTES - 1);
}

/* Those with a bit for a block, or a byte for a slab, are writable at once, and what tells of the
 * first layouts: of a range of 44 GB they are half a MiB, and each part of a table that is made
 * writable is a mapping, which costs a small heap some microseconds. */
bool td_tables_open(struct td_space *space) {
  uintptr_t tables = space->base + space->reserved_bytes;
  if (!td_plat_commit_zeroes((void *)tables, space->table_bytes)) return false;
  place_tables(space, tables);
  uintptr_t end = (uintptr_t)(space->lists + LAYOUTS_STEP);
  if (!td_plat_commit(space->free_bits, end - (uintptr_t)space->free_bits)) return false;
  space->listed_layouts = LAYOUTS_STEP;
  td_layouts_init(&space->layouts, space->layouts.at);
  return true;
}

/* ---- Reaching ---- */

static bool commit(const struct row *row, size_t from_slab, size_t to_slab) {
  uintptr_t page = td_plat_page_bytes();
  uintptr_t from = (uintptr_t)(row->at + from_slab * row->slab_bytes) / page * page;
  uintptr_t to = (uintptr_t)row->at + to_slab * row->slab_bytes;
  return td_plat_commit((void *)from, to - from);
}

/* To a heap of ten MiB a huge page of marks would add more than a tenth: so the first step ends
 * where a huge page may begin. */
static void advise_marks(const struct td_space *space, uint32_t from, uint32_t to) {
  char *start = (char *)td_block_marks(space, from);
  size_t bytes = (size_t)td_block_granule(to - from);
  if (from == 0) return;
  if (space->first_huge_slab && to * TD_BLOCK_BYTES <= TD_SMALL_MARKS_BYTES)
    td_plat_advise_small(start, bytes);
  else
    td_plat_advise_huge(start, bytes);
}

bool td_tables_reach(struct td_space *space, uint32_t blocks) {
  struct row rows[ROWS];
  if (blocks <= space->tables_end) return true;
  size_t step = space->first_huge_slab ? STEP_SMALL : STEP_HUGE;
  uint64_t end = space->tables_end;
  while (end < blocks)
    end += end ? step : STEP_SMALL;
  if (end > space->block_count) end = space->block_count;
  list_rows(space, rows);
  for (size_t i = 0; i < ROWS; i++)
    if (!commit(&rows[i], space->tables_end / TD_SLAB_BLOCKS, (size_t)end / TD_SLAB_BLOCKS))
      return false;
  advise_marks(space, space->tables_end, (uint32_t)end);
  space->tables_end = (uint32_t)end;
  return true;
}

bool td_tables_reach_layout(struct td_space *space, tide_layout layout) {
  if (TIDE_LIKELY(layout < space->listed_layouts)) return true;
  size_t end = (layout / LAYOUTS_STEP + 1) * LAYOUTS_STEP;
  if (!td_plat_commit(space->lists, end * sizeof *space->lists)) return false;
  space->listed_layouts = (uint32_t)end;
  return true;
}
