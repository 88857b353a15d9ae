/* SPDX-License-Identifier: MIT */
#include "heap/withheld/dying.h"

#include "heap/space/find.h"

uint32_t td_dying_sort(struct td_space *space, uint32_t block, uint32_t *dying) {
  const struct td_cells cells = td_space_cells(space, block);
  uint8_t *mark = td_block_marks(space, block);
  uint32_t live = 0;
  *dying = 0;
  for (uint32_t i = 0; i < cells.count; i++, mark += cells.granules) {
    if (*mark == space->epoch) {
      live++;
    } else if (*mark == space->epoch_before || *mark == TD_DYING) {
      *mark = TD_DYING;
      ++*dying;
    }
  }
  return live;
}

/* Returns how many blocks are free once the program was told. */
static uint32_t free_soon(const struct td_block_info *info) {
  return info->state == TD_BLOCK_LARGE ? info->extent_blocks : (uint32_t)info->dies;
}

void td_dying_list(struct td_space *space, uint32_t block) {
  struct td_block_info *info = &space->infos[block];
  bool is_told = info->reserved == TD_RESERVED_TELLING;
  if (!is_told && info->reserved != TD_RESERVED_DYING) {
    info->reserved = TD_RESERVED_DYING;
    info->next = space->dying;
    /* relaxed: a hint to look, written under the lock. */
    __atomic_store_n(&space->dying, block, __ATOMIC_RELAXED);
    space->dying_blocks++;
  } else if (!is_told) { /* and what lived in it when it was listed was freed by hand */
    space->dying_free_blocks -= free_soon(info);
  }
  if (info->state == TD_BLOCK_SMALL) info->dies = info->live == 0 && !info->held;
  if (!is_told) space->dying_free_blocks += free_soon(info);
}

uint32_t td_dying_take(struct td_space *space) {
  uint32_t block = space->dying;
  if (!block) return 0;
  struct td_block_info *info = &space->infos[block];
  __atomic_store_n(&space->dying, info->next, __ATOMIC_RELAXED); /* relaxed: as above */
  space->dying_blocks--;
  space->dying_free_blocks -= free_soon(info);
  info->reserved = TD_RESERVED_TELLING;
  info->ahead = 0;
  return block;
}

void td_dying_unlist(struct td_space *space) {
  space->dying = space->dying_blocks = space->dying_free_blocks = 0;
}
