/* SPDX-License-Identifier: MIT */
/* Sorting the blocks after marking: empty ones go back to the pool, those with room are listed, and
 * full ones are not looked at again. Allocation finds free cells later: see heap/cells/run.c. */
#include "heap/cells/sort.h"

#include <string.h>

#include "heap/cells/alive.h"
#include "heap/cells/medium.h"
#include "heap/memory/blocks.h"
#include "heap/withheld/dying.h"
#include "heap/withheld/quarantine.h"
#include "heap/young/young.h"

/* Vectors have sixteen lanes, which every x86-64 and AArch64 processor has: for wider ones than the
 * target has, compilers fall back on single bytes. */
typedef uint8_t lanes __attribute__((vector_size(16), may_alias));
typedef uint64_t halves __attribute__((vector_size(16)));
#define LINE_VECTORS (TD_CACHE_LINE / sizeof(lanes))
#define BLOCK_LINES (TD_BLOCK_GRANULES / TD_CACHE_LINE)
#define ROUND_LINES 32u
_Static_assert(LINE_VECTORS == 4, "they are written out");
_Static_assert(BLOCK_LINES % ROUND_LINES == 0 && ROUND_LINES * LINE_VECTORS <= 255,
               "a lane counts to 255");

/* Returns the sum of the lanes. */
static uint32_t add_lanes(lanes sum) {
  const halves even = {UINT64_C(0x00ff00ff00ff00ff), UINT64_C(0x00ff00ff00ff00ff)};
  halves pairs = ((halves)sum & even) + ((halves)sum >> 8 & even);
  uint64_t four = pairs[0] + pairs[1];
  return (uint32_t)(four * UINT64_C(0x0001000100010001) >> 48);
}

/* Returns how many of a block's bytes equal the epoch: those of marked objects, see [start]. Asks
 * for the lines of `ahead` meanwhile, one by one: see sort_block. After a young marking it clears
 * the bytes of dead young objects, so that the next young objects of the block are the only ones.
 */
static inline __attribute__((always_inline)) uint32_t
count_block(uint8_t *marks, uint8_t epoch, const uint8_t *ahead, bool young) {
  lanes *at = (lanes *)(void *)marks;
  uint32_t count = 0;
  for (unsigned round = 0; round < BLOCK_LINES / ROUND_LINES; round++) {
    lanes sum = {0};
    for (unsigned line = 0; line < ROUND_LINES; line++) {
      __builtin_prefetch(ahead, 1);
      ahead += TD_CACHE_LINE;
      sum -= (lanes)(at[0] == epoch) + (lanes)(at[1] == epoch);
      sum -= (lanes)(at[2] == epoch) + (lanes)(at[3] == epoch);
      for (unsigned i = 0; young && i < LINE_VECTORS; i++)
        at[i] &= ~(lanes)(at[i] == TD_YOUNG);
      at += LINE_VECTORS;
    }
    count += add_lanes(sum);
  }
  return count;
}

/* Returns how many of a block's bytes are those of objects, after a young marking beside markers.
 * They store bytes meanwhile, so the bytes of the dead are cleared one by one. */
static uint32_t count_block_beside(uint8_t *marks, struct td_alive alive) {
  const halves low = {~TD_DEFERRED_WORD, ~TD_DEFERRED_WORD};
  uint32_t count = 0;
  for (uint32_t at = 0; at < TD_BLOCK_GRANULES; at += (uint32_t)sizeof(lanes)) {
    const halves loaded = {td_mark_load_word(marks + at), td_mark_load_word(marks + at + 8)};
    const lanes bytes = (lanes)(loaded & low);
    const halves is_young = (halves)(bytes == TD_YOUNG);
    count += add_lanes(-((lanes)(bytes == alive.epoch) | (lanes)(bytes == alive.kept)));
    if ((is_young[0] | is_young[1]) == 0) continue;
    for (uint32_t i = at; i < at + sizeof(lanes); i++)
      if (td_mark_load(&marks[i]) == TD_YOUNG) td_mark_store(&marks[i], 0);
  }
  return count;
}

/* What comes before sorting. */
enum marking {
  FULL,   /* a full marking */
  YOUNG,  /* a young one */
  BESIDE, /* a young one, while a full one goes on: [beside] */
};

/* After a young marking the lists are kept, so a block may be in one already. */
static void list_block(struct td_space *space, uint32_t b) {
  struct td_block_info *info = &space->infos[b];
  info->ahead = 0;
  if (info->reserved == TD_RESERVED_LISTED) return;
  info->reserved = TD_RESERVED_LISTED;
  struct td_unswept *list = &space->lists[space->blocks[b].layout].unswept[info->size_class];
  info->next = list->first;
  list->first = b;
  list->listed++;
  list->left++;
}

/* After a young collection a block that is half full is not worth the search for it: its runs are
 * short, and finding them costs more than the collection has saved. The next full one lists it. */
static uint32_t least_room(const struct td_block_info *info, enum marking after) {
  return after != FULL && info->cells > 8 ? info->cells / 2u : 1;
}

/* Adds `objects` of the block to what is alive, or takes them away if less than 0. */
static void count_live(struct td_space *space, uint32_t b, int32_t objects) {
  const struct td_block *block = &space->blocks[b];
  int64_t each = (int64_t)td_block_object_bytes(block, &space->infos[b]);
  uint64_t bytes = (uint64_t)(each * objects);
  space->live_objects += (uint64_t)(int64_t)objects;
  space->live_bytes += bytes;
  if (block->kind == TD_KIND_LEAF) space->leaf_bytes += bytes;
}

/* The marks of a block come from memory, and processors do not look ahead past a page. So those of
 * the block `ahead` are prefetched meanwhile, a line for each line that is read: many at once would
 * wait for each other.
 *
 * Counts what is alive in a block and lists it as unswept if it has room. Returns whether nothing
 * is alive, nor in quarantine. */
static bool sort_block(struct td_space *space, uint32_t b, uint32_t ahead, enum marking after) {
  struct td_block_info *info = &space->infos[b];
  const struct td_alive alive = {space->epoch, after == BESIDE ? space->kept : space->epoch};
  uint8_t *marks = td_block_marks(space, b), *next = td_block_marks(space, ahead);
  const bool is_told = td_dying_is_told(space, b), telling = info->reserved == TD_RESERVED_TELLING;
  uint32_t dying = 0;
  if (info->state == TD_BLOCK_MEDIUM) {
    bool in_use;
    uint32_t live = td_medium_sort(space, b, alive, &in_use);
    count_live(space, b, (int32_t)live);
    return !in_use;
  }
  info->zeroed = 0;
  if (info->state == TD_BLOCK_LARGE) {
    if (td_mark_is_freed(*marks)) return false;
    if (is_told) (void)td_dying_sort(space, b, &dying);
    if (dying || telling) {
      td_dying_list(space, b);
      return false;
    }
    if (!td_is_alive(marks, alive)) {
      td_mark_store(marks, 0); /* [start]: the block is free from here on */
      return true;
    }
    count_live(space, b, 1);
    return false;
  }
  info->live = (uint16_t)(is_told           ? td_dying_sort(space, b, &dying)
                          : after == BESIDE ? count_block_beside(marks, alive)
                          : after == YOUNG  ? count_block(marks, space->epoch, next, true)
                                            : count_block(marks, space->epoch, next, false));
  count_live(space, b, info->live);
  if (dying || telling) {
    td_dying_list(space, b);
    return false;
  }
  uint32_t used = info->live + (space->has_quarantine ? td_quarantine_count(space, b) : 0);
  bool wanted = used > 0 || info->held || info->reserved == TD_RESERVED_LISTED;
  if (wanted && used + least_room(info, after) <= info->cells) list_block(space, b);
  return !wanted;
}

static uint32_t sort_and_give(struct td_space *space, uint32_t b, uint32_t ahead,
                              enum marking after) {
  const struct td_block_info *info = &space->infos[b];
  if (info->state == TD_BLOCK_FREE || info->state == TD_BLOCK_TAIL) return 0;
  if (!sort_block(space, b, ahead, after)) return 0;
  return td_blocks_give(space, b, info->state == TD_BLOCK_SMALL ? 1 : info->extent_blocks);
}

static void after_marking(struct td_space *space) {
  td_young_forget(space);
  td_young_set_byte(space);
}

/* Marking is over. No block is listed any more, and nothing counts as alive. */
static void begin_full(struct td_space *space) {
  space->view_free = NULL;
  for (uint32_t i = 0; i < space->layouts.count && i < space->listed_layouts; i++)
    memset(space->lists[i].unswept, 0, sizeof space->lists[i].unswept);
  td_medium_unlist(space);
  space->live_objects = space->live_bytes = space->leaf_bytes = 0;
  space->taken_bytes = space->taken_blocks = 0;
}

/* In the first epoch. The dead still have the last one, which comes round again: then their bytes
 * would count as marks. */
static void clear_last(uint8_t *marks) {
  for (size_t i = 0; i < TD_BLOCK_GRANULES; i++)
    if (marks[i] == TD_EPOCH_LAST) td_mark_store(&marks[i], 0);
}

/* Returns how many blocks were freed. */
static uint32_t sort_after_full(struct td_space *space, uint32_t b, uint32_t ahead) {
  /* Listed no more; of other states it says nothing now. */
  if (space->infos[b].reserved != TD_RESERVED_TELLING) space->infos[b].reserved = 0;
  uint32_t freed = sort_and_give(space, b, ahead, FULL);
  if (space->epoch == td_first_epoch(space)) clear_last(td_block_marks(space, b));
  return freed;
}

uint32_t td_space_end_marking(struct td_space *space) {
  pthread_mutex_lock(&space->lock);
  begin_full(space);
  td_dying_unlist(space);
  uint32_t freed = 0;
  if (space->has_quarantine || space->has_poison) td_quarantine_turn(space);
  /* From the top down: the lists then begin with low blocks, and these fill first. */
  for (uint32_t b = space->frontier; b-- > 1;) {
    uint32_t ahead = b > 2 && space->infos[b - 2].state == TD_BLOCK_SMALL ? b - 2 : b;
    freed += sort_after_full(space, b, ahead);
  }
  after_marking(space);
  pthread_mutex_unlock(&space->lock);
  return freed;
}

/* ---- Beside the program ---- */

bool td_sort_may_wait(const struct td_space *space) {
  return !space->layouts.any_told && !space->has_quarantine && !space->has_poison;
}

void td_sort_begin(struct td_space *space) {
  pthread_mutex_lock(&space->lock);
  begin_full(space);
  after_marking(space);
  space->unsorted = space->frontier;
  space->freed_beside = 0;
  pthread_mutex_unlock(&space->lock);
}

/* In the last epoch, so that the next one may be the first again. Bytes of free blocks may lie on
 * pages without memory, and shall get none. Blocks that leave the pool meanwhile are cleaned there.
 */
static void clean(struct td_space *space, uint32_t b) {
  uint8_t *marks = td_block_marks(space, b);
  for (size_t i = 0; i < TD_BLOCK_GRANULES; i++)
    if (marks[i] != 0 && marks[i] != space->epoch) marks[i] = 0;
}

/* Touched blocks were taken from the pool since: they are their owners', who may be writing what
 * tells of them. Their room counts as alive. */
void td_sort_step(struct td_space *space) {
  uint32_t b = space->unsorted;
  for (uint32_t left = TD_SORT_STEP; left > 0 && b > 1; left--) {
    b--;
    if (td_young_is_touched(space, b)) continue;
    uint32_t ahead =
        b > 2 && !td_young_is_touched(space, b - 2) && space->infos[b - 2].state == TD_BLOCK_SMALL
            ? b - 2
            : b;
    space->freed_beside += sort_after_full(space, b, ahead);
    if (space->epoch == TD_EPOCH_LAST) clean(space, b);
  }
  /* relaxed: a hint for those without the lock. */
  __atomic_store_n(&space->unsorted, b > 1 ? b : 0, __ATOMIC_RELAXED);
  if (space->unsorted) return;
  space->live_bytes += space->taken_bytes; /* young_bytes has external ones, too */
  space->cleaned = space->epoch == TD_EPOCH_LAST;
}

bool td_sort_some(struct td_space *space) {
  td_space_lock(space);
  if (space->unsorted) td_sort_step(space);
  bool more = space->unsorted != 0;
  pthread_mutex_unlock(&space->lock);
  return more;
}

void td_sort_rest(struct td_space *space) {
  while (td_sort_some(space)) /* another may have sorted the last ones: under the lock, as this */
    td_space_let_others(space);
}

/* What the last collection found alive in the block is in the sums already. */
static void uncount(struct td_space *space, uint32_t b) {
  const struct td_block_info *info = &space->infos[b];
  if (info->state != TD_BLOCK_SMALL && info->state != TD_BLOCK_MEDIUM) return;
  count_live(space, b, -(int32_t)info->live);
}

/* Returns the highest touched block below b, or 0. */
static uint32_t touched_below(const struct td_space *space, uint32_t b) {
  if (b == 0) return 0;
  uint32_t word = (b - 1) / 64;
  uint64_t bits = space->touched[word] & ~(uint64_t)0 >> (63 - (b - 1) % 64);
  while (bits == 0 && word > 0)
    bits = space->touched[--word];
  return bits ? word * 64 + 63 - (uint32_t)__builtin_clzll(bits) : 0;
}

/* Returns how many blocks were freed. */
static uint32_t sort_touched(struct td_space *space, enum marking after) {
  uint32_t freed = 0;
  uint32_t b = touched_below(space, space->frontier), next = touched_below(space, b);
  for (uint32_t ahead; b > 0; b = next, next = ahead) {
    ahead = touched_below(space, next);
    uncount(space, b);
    if (space->infos[b].state == TD_BLOCK_MEDIUM) td_medium_begin_young_sort(space, b);
    freed += sort_and_give(space, b, ahead ? ahead : b, after);
  }
  return freed;
}

uint32_t td_space_end_young(struct td_space *space) {
  pthread_mutex_lock(&space->lock);
  if (space->has_quarantine || space->has_poison) td_quarantine_turn(space);
  uint32_t freed = sort_touched(space, YOUNG);
  after_marking(space);
  pthread_mutex_unlock(&space->lock);
  return freed;
}

uint32_t td_space_end_young_beside(struct td_space *space) {
  pthread_mutex_lock(&space->lock);
  uint32_t freed = sort_touched(space, BESIDE);
  td_young_forget(space);
  pthread_mutex_unlock(&space->lock);
  return freed;
}

void td_sort_leave(struct td_space *space, uint32_t b, uint16_t ahead) {
  td_space_lock(space);
  bool alive = space->born == space->epoch && space->kept == space->epoch;
  if (alive && !space->unsorted) {
    list_block(space, b);
    space->infos[b].ahead = ahead;
  }
  pthread_mutex_unlock(&space->lock);
}

/* Of a run that was held the owner goes on in the block since. */
void td_sort_again(struct td_space *space, uint32_t b) {
  struct td_block_info *info = &space->infos[b];
  bool large = info->state == TD_BLOCK_LARGE;
  bool quarantined = space->has_quarantine && td_quarantine_count(space, b) > 0;
  info->reserved = 0;
  if ((large || info->dies) && !quarantined)
    (void)td_blocks_give(space, b, large ? info->extent_blocks : 1);
  else if (!large)
    list_block(space, b);
}
