/* SPDX-License-Identifier: MIT */
/* Epochs. A byte holds one of 120, or one of 58 in spaces that tell young objects from old ones. So
 * once in as many full collections all bytes are rewritten: here, in the stop, unless sorting
 * beside the program has cleaned them (heap/cells/sort.c). */
#include "heap/epoch.h"

#include "heap/memory/ahead.h"
#include "heap/memory/blocks.h"
#include "heap/withheld/avoid.h"
#include "heap/withheld/quarantine.h"
#include "heap/young/young.h"

/* Many bytes of free blocks lie on pages without memory, and shall get none. */
static void clear_written(uint8_t *marks) {
  for (size_t i = 0; i < TD_BLOCK_GRANULES; i++)
    if (marks[i] != 0) marks[i] = 0;
}

/* Rewrites the byte of every live object as the first epoch, and all others as free but for those
 * in quarantine and the dying, so that no old byte can equal an epoch to come. Takes the lock,
 * because memory may be made ready meanwhile. */
static void restart_epochs(struct td_space *space) {
  const uint8_t first = td_first_epoch(space);
  pthread_mutex_lock(&space->lock);
  for (uint32_t b = 1; b < space->frontier; b++) {
    uint8_t *marks = td_block_marks(space, b);
    if (td_block_is_free(space, b)) {
      clear_written(marks);
      continue;
    }
    for (size_t i = 0; i < TD_BLOCK_GRANULES; i++)
      if (!td_mark_is_freed(marks[i]) && marks[i] != TD_DYING)
        marks[i] = marks[i] == space->epoch ? first : 0;
  }
  pthread_mutex_unlock(&space->lock);
  space->epoch = first;
}

void td_space_begin_marking(struct td_space *space) {
  td_avoid_begin(space);
  if (space->has_young) td_young_make_old(space);
  bool is_last = space->epoch == TD_EPOCH_LAST;
  if (is_last && !space->cleaned) {
    restart_epochs(space);
    is_last = false;
  }
  space->cleaned = false;
  space->epoch_before = space->epoch;
  space->epoch = is_last ? td_first_epoch(space) : (uint8_t)(space->epoch + 1);
}

/* False pointers are not noted: a mutator may have taken the cell meanwhile. */
void td_space_begin_marking_beside(struct td_space *space) {
  space->avoids_nothing = true;
  td_space_begin_marking(space);
  space->born = space->epoch;
  space->kept = space->epoch_before;
  td_ahead_copy_free(space, space->free_before);
  space->view_free = space->free_before;
}
