/* SPDX-License-Identifier: MIT */
#include "heap/cells/large.h"

#include <string.h>

#include "heap/cells/pace.h"
#include "heap/memory/blocks.h"
#include "heap/space/marks.h"
#include "heap/space/poison.h"
#include "heap/young/log.h"
#include "heap/young/young.h"

/* From here on, fresh pages take the place of zeroing. For an object that is written to the end
 * they are dearer, on a virtual machine by far: docs/notes/allocation.md. But a table of which
 * little is used takes no more memory than it needs. */
#define PURGE_BYTES ((size_t)32 << 20)

/* Zeroes an object of `bytes` in the extent [first, first + count). */
static void zero(struct td_space *space, uint32_t first, uint32_t count, size_t bytes) {
  bool written = false;
  for (uint32_t b = first; b < first + count; b++)
    written |= !space->infos[b].zeroed;
  void *start = (void *)td_block_start(space, first);
  if (!written) return;
  if (bytes >= PURGE_BYTES && td_plat_purge(start, count * TD_BLOCK_BYTES)) return;
  memset(start, 0, bytes);
}

/* Only blocks that were written are poisoned. */
static void unpoison(const struct td_space *space, uint32_t from, uint32_t end) {
  for (uint32_t b = from; space->has_poison && b < end; b++)
    if (!space->infos[b].zeroed) td_unpoison(td_block_start(space, b), TD_BLOCK_BYTES);
}

static void make_tails(struct td_space *space, uint32_t first, uint32_t from, uint32_t end) {
  for (uint32_t b = from; b < end; b++) {
    td_block_write(&space->blocks[b], (struct td_block){.layout = space->blocks[first].layout});
    td_block_become(&space->infos[b],
                    (struct td_block_info){.state = TD_BLOCK_TAIL, .extent_offset = b - first});
  }
}

static uint32_t blocks_for(size_t bytes) {
  return (uint32_t)((bytes + TD_BLOCK_BYTES - 1) / TD_BLOCK_BYTES);
}

static size_t whole_granules(size_t bytes) {
  return (bytes + TD_GRANULE_BYTES - 1) & ~(TD_GRANULE_BYTES - 1);
}

/* Sorting beside the program shall not look at a block that is being made part of an object. */
static void touch(struct td_space *space, uint32_t first, uint32_t count) {
  td_young_touch(space, first, count * TD_BLOCK_BYTES);
  for (uint32_t b = first + 1; space->unsorted && b < first + count; b++)
    td_young_touch(space, b, 0);
}

void *td_space_alloc_large(struct td_space *space, tide_layout layout, size_t bytes,
                           enum td_room *room) {
  *room = TD_ROOM_NO_PLACE;
  if (bytes == 0 || bytes > space->reserved_bytes) return NULL;
  const struct td_layout *described = &space->layouts.at[layout];
  uint32_t count = blocks_for(bytes), first = 0;
  td_space_lock(space);
  *room = td_young_is_due(space) ? TD_ROOM_YOUNG_DUE : td_blocks_take(space, count, &first);
  if (*room == TD_ROOM) touch(space, first, count);
  td_pace_note(space, 0, 0);
  td_space_note_kind(space, described->kind);
  pthread_mutex_unlock(&space->lock);
  if (*room != TD_ROOM) return NULL;
  unpoison(space, first, first + count);
  if (!described->unzeroed) zero(space, first, count, whole_granules(bytes));
  td_block_become(&space->infos[first],
                  (struct td_block_info){.state = TD_BLOCK_LARGE,
                                         .extent_blocks = count,
                                         .large_bytes = whole_granules(bytes)});
  td_block_write(
      &space->blocks[first],
      (struct td_block){.map = described->map, .kind = described->kind, .layout = layout});
  make_tails(space, first, first + 1, first + count);
  td_mark_store(td_block_marks(space, first), space->born); /* [young] */
  return (void *)td_block_start(space, first);
}

/* ---- Freeing and resizing ---- */

void td_space_free_large(struct td_space *space, uintptr_t object) {
  uint32_t first = td_block_of(space, object);
  uint8_t *mark = td_block_marks(space, first);
  pthread_mutex_lock(&space->lock);
  uint32_t count = space->infos[first].extent_blocks;
  td_young_give_back(space, first, *mark, count * TD_BLOCK_BYTES);
  *mark = 0;
  (void)td_blocks_give(space, first, count);
  pthread_mutex_unlock(&space->lock);
}

/* Changes the number of an extent's blocks. */
static bool change_blocks(struct td_space *space, uint32_t first, uint32_t count) {
  struct td_block_info *info = &space->infos[first];
  uint32_t before = info->extent_blocks;
  if (count > before && !td_blocks_take_behind(space, first + before, count - before)) return false;
  if (count < before) {
    uint8_t mark = *td_block_marks(space, first);
    td_young_give_back(space, first, mark, (before - count) * TD_BLOCK_BYTES);
    (void)td_blocks_give(space, first + count, before - count);
  }
  info->extent_blocks = count;
  return true;
}

bool td_space_resize_large(struct td_space *space, uintptr_t object, size_t bytes) {
  if (bytes > space->reserved_bytes) return false;
  uint32_t first = td_block_of(space, object);
  size_t rounded = whole_granules(bytes);
  struct td_block_info *info = &space->infos[first];
  pthread_mutex_lock(&space->lock);
  uint32_t blocks = info->extent_blocks;
  size_t before = info->large_bytes;
  bool good = change_blocks(space, first, blocks_for(bytes));
  if (good) {
    unpoison(space, first + blocks, first + info->extent_blocks);
    make_tails(space, first, first + blocks, first + info->extent_blocks);
  }
  pthread_mutex_unlock(&space->lock);
  if (!good) return false;
  /* The collector reads the size when this thread stands still. */
  if (rounded > before) memset((void *)(object + before), 0, rounded - before);
  info->large_bytes = rounded;
  /* So short an array is logged as a whole, and slots of it may have been logged alone. */
  if (td_young_are_born(space) && rounded <= TD_PAGE_BYTES) td_log_fresh_if_old(space, object);
  return true;
}
