/* SPDX-License-Identifier: MIT */
/* Medium objects in spans. */
#include "heap/cells/medium.h"

#include <string.h>

#include "heap/cells/pace.h"
#include "heap/memory/blocks.h"
#include "heap/space/find.h"
#include "heap/space/marks.h"
#include "heap/space/poison.h"
#include "heap/space/tables.h"
#include "heap/withheld/quarantine.h"
#include "heap/young/young.h"

#define PAGE_BYTES ((size_t)4096)
#define BLOCK_PAGES (TD_BLOCK_BYTES / PAGE_BYTES)
#define EIGHTHS 8u /* classes to a doubling */

unsigned td_medium_class(size_t bytes) {
  unsigned doubling = 48u - (unsigned)__builtin_clzll(bytes - 1); /* of half a block */
  size_t base = TD_SMALL_BYTES_MAX << doubling, step = base / EIGHTHS;
  return doubling * EIGHTHS + (unsigned)((bytes - base - 1) / step);
}

size_t td_medium_bytes(unsigned medium_class) {
  size_t base = TD_SMALL_BYTES_MAX << (medium_class / EIGHTHS);
  return base + base / EIGHTHS * (medium_class % EIGHTHS + 1);
}

_Static_assert(TD_MEDIUM_CLASSES == 4 * EIGHTHS && TD_SMALL_BYTES_MAX << 4 == TD_MEDIUM_BYTES_MAX,
               "four doublings");

/* A span is the least number of blocks that has no remainder. */
static uint32_t cells_of_span(size_t cell_bytes) {
  size_t pages = cell_bytes / PAGE_BYTES, common = pages & -pages;
  return (uint32_t)(BLOCK_PAGES / (common < BLOCK_PAGES ? common : BLOCK_PAGES));
}

static struct td_medium_list *list_of(struct td_space *space, tide_layout layout,
                                      unsigned medium_class) {
  return &space->lists[layout].medium[medium_class];
}

static uint8_t *mark_of(const struct td_space *space, uint32_t first, uint32_t cell) {
  uint64_t granule = td_block_granule(first) +
                     (uint64_t)cell * (space->infos[first].large_bytes >> TD_GRANULE_LOG2);
  return &space->marks[granule];
}

/* Makes the blocks a span of free cells. */
static void format(struct td_space *space, uint32_t first, uint32_t blocks, tide_layout layout,
                   unsigned medium_class) {
  const struct td_layout *described = &space->layouts.at[layout];
  size_t bytes = td_medium_bytes(medium_class);
  bool zeroed = true;
  td_space_note_kind(space, described->kind);
  for (uint32_t b = first; b < first + blocks; b++) {
    zeroed = zeroed && space->infos[b].zeroed;
    td_block_write(
        &space->blocks[b],
        (struct td_block){.map = described->map, .kind = described->kind, .layout = layout});
    td_block_become(&space->infos[b], (struct td_block_info){.state = TD_BLOCK_TAIL,
                                                             .extent_offset = b - first,
                                                             .large_bytes = bytes});
  }
  td_block_become(&space->infos[first],
                  (struct td_block_info){.state = TD_BLOCK_MEDIUM,
                                         .extent_blocks = blocks,
                                         .cells = (uint16_t)cells_of_span(bytes),
                                         .size_class = (uint8_t)medium_class,
                                         .zeroed = zeroed,
                                         .large_bytes = bytes});
  for (uint32_t cell = 0; cell < space->infos[first].cells; cell++)
    td_mark_store(mark_of(space, first, cell), 0);
}

static void enlist(struct td_space *space, uint32_t first) {
  struct td_block_info *info = &space->infos[first];
  struct td_medium_list *list = list_of(space, space->blocks[first].layout, info->size_class);
  info->next = list->first;
  info->held = 1;
  list->first = first;
}

static void unlist(struct td_space *space, uint32_t first) {
  struct td_block_info *info = &space->infos[first];
  uint32_t *link = &list_of(space, space->blocks[first].layout, info->size_class)->first;
  if (!info->held) return;
  while (*link != first)
    link = &space->infos[*link].next;
  *link = info->next;
  info->held = 0;
}

/* Few objects of a kind do not pay for a span: the first ones have blocks of their own. */
static bool make_span(struct td_space *space, tide_layout layout, unsigned medium_class) {
  if (!td_tables_reach_layout(space, layout)) return false;
  struct td_medium_list *list = list_of(space, layout, medium_class);
  size_t bytes = td_medium_bytes(medium_class);
  uint32_t cells = cells_of_span(bytes), first = 0;
  if (list->seen < cells) {
    list->seen++;
    return false;
  }
  uint32_t blocks = (uint32_t)(cells * bytes / TD_BLOCK_BYTES);
  if (td_blocks_take(space, blocks, &first) != TD_ROOM) return false;
  format(space, first, blocks, layout, medium_class);
  enlist(space, first);
  td_pace_note(space, 0, 0);
  return true;
}

/* Another mutator may be freeing the object of the cell: it stores the byte without the lock. The
 * cell is not free before that, nor after it while the object is in quarantine. */
static bool is_free(const struct td_space *space, uint32_t first, uint32_t cell) {
  const uint8_t *mark = mark_of(space, first, cell);
  return !td_holds_object(space, (uint64_t)(mark - space->marks)) &&
         !td_mark_is_freed(td_mark_load(mark));
}

/* Returns the next free cell of the span, or the number of its cells. */
static uint32_t next_free(const struct td_space *space, uint32_t first) {
  const struct td_block_info *info = &space->infos[first];
  uint32_t cell = info->reserved;
  while (cell < info->cells && !is_free(space, first, cell))
    cell++;
  return cell;
}

static uintptr_t take_cell(struct td_space *space, tide_layout layout, unsigned medium_class) {
  const struct td_medium_list *list = list_of(space, layout, medium_class);
  for (;;) {
    uint32_t first = list->first;
    if (!first) {
      if (!make_span(space, layout, medium_class)) return 0;
      continue;
    }
    struct td_block_info *info = &space->infos[first];
    uint32_t cell = next_free(space, first);
    if (cell < info->cells) {
      uint8_t *mark = mark_of(space, first, cell);
      td_mark_store(mark, space->born); /* [young] */
      td_young_touch(space, first, info->large_bytes);
      /* The block that has the mark, too, which is where the object is made old. */
      td_young_touch(space, (uint32_t)((mark - space->marks) >> TD_BLOCK_GRANULES_LOG2), 0);
      info->reserved = (uint16_t)(cell + 1);
      return td_block_start(space, first) + cell * info->large_bytes;
    }
    unlist(space, first);
  }
}

static uint32_t span_of(const struct td_space *space, uintptr_t object) {
  uint32_t b = td_block_of(space, object);
  return space->infos[b].state == TD_BLOCK_TAIL ? b - space->infos[b].extent_offset : b;
}

void *td_space_alloc_medium(struct td_space *space, tide_layout layout, size_t bytes) {
  unsigned medium_class = td_medium_class(bytes);
  td_space_lock(space);
  uintptr_t object = td_young_is_due(space) ? 0 : take_cell(space, layout, medium_class);
  bool zeroed =
      space->layouts.at[layout].unzeroed || (object && space->infos[span_of(space, object)].zeroed);
  pthread_mutex_unlock(&space->lock);
  if (object && space->has_poison) td_unpoison(object, td_medium_bytes(medium_class));
  if (object && !zeroed) memset((void *)object, 0, td_medium_bytes(medium_class));
  return (void *)object;
}

static bool is_empty(const struct td_space *space, uint32_t first) {
  for (uint32_t cell = 0; cell < space->infos[first].cells; cell++)
    if (td_holds_object(space, (uint64_t)(mark_of(space, first, cell) - space->marks)))
      return false;
  return true;
}

static uint32_t count_alive(const struct td_space *space, uint32_t first, struct td_alive alive) {
  uint32_t count = 0;
  for (uint32_t cell = 0; cell < space->infos[first].cells; cell++)
    count += td_is_alive(mark_of(space, first, cell), alive);
  return count;
}

void td_space_free_medium(struct td_space *space, uintptr_t object) {
  pthread_mutex_lock(&space->lock);
  uint32_t first = span_of(space, object);
  struct td_block_info *info = &space->infos[first];
  uint32_t cell = (uint32_t)((object - td_block_start(space, first)) / info->large_bytes);
  td_young_give_back(space, first, *mark_of(space, first, cell), info->large_bytes);
  td_mark_store(mark_of(space, first, cell), 0);
  info->zeroed = 0;
  if (cell < info->reserved) info->reserved = (uint16_t)cell;
  if (is_empty(space, first)) {
    unlist(space, first);
    (void)td_blocks_give(space, first, info->extent_blocks);
  } else if (!info->held) {
    enlist(space, first);
  }
  pthread_mutex_unlock(&space->lock);
}

uint32_t td_medium_sort(struct td_space *space, uint32_t first, struct td_alive alive,
                        bool *in_use) {
  struct td_block_info *info = &space->infos[first];
  uint32_t live = count_alive(space, first, alive);
  info->zeroed = 0;
  info->live = (uint16_t)live;
  info->reserved = 0;
  info->held = 0;
  uint32_t used = live + (space->has_quarantine ? td_quarantine_count(space, first) : 0);
  if (used > 0 && used < info->cells) enlist(space, first);
  *in_use = used > 0;
  return live;
}

void td_medium_begin_young_sort(struct td_space *space, uint32_t first) {
  unlist(space, first);
  for (uint32_t cell = 0; cell < space->infos[first].cells; cell++) {
    uint8_t *mark = mark_of(space, first, cell);
    if (td_mark_load(mark) == TD_YOUNG) td_mark_store(mark, 0); /* [beside] */
  }
}

void td_medium_unlist(struct td_space *space) {
  for (uint32_t i = 0; i < space->layouts.count; i++)
    for (unsigned k = 0; k < TD_MEDIUM_CLASSES; k++) {
      struct td_medium_list *list = &space->lists[i].medium[k];
      if (list->first) list->first = 0; /* others' pages stay untouched */
    }
}
