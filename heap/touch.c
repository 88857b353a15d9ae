#include "heap/touch.h"

#include <string.h>

#include "heap/backing.h"

void td_space_touch_apart(struct td_space *space) {
  space->touches_apart = true;
}

/* Returns the first slab of this state, or the number of all slabs that were ever in use. */
static uint32_t find(const struct td_space *space, enum td_slab state) {
  const uint32_t slabs = space->frontier / (uint32_t)TD_SLAB_BLOCKS;
  const uint8_t *at = memchr(space->slab_committed, state, slabs);
  return at ? (uint32_t)(at - space->slab_committed) : slabs;
}

bool td_touch_is_aside(const struct td_space *space, uint32_t slab) {
  uint8_t state = space->slab_committed[slab];
  return state == TD_SLAB_ASIDE || state == TD_SLAB_TOUCHED;
}

/* Block 0 is never in use. */
static void set_free(struct td_space *space, uint32_t slab, bool are_free) {
  uint32_t first = slab * (uint32_t)TD_SLAB_BLOCKS;
  uint64_t bits = (uint64_t)UINT32_MAX << first % 64 & ~(uint64_t)(first == 0 ? 1 : 0);
  if (are_free)
    space->free_bits[first / 64] |= bits;
  else
    space->free_bits[first / 64] &= ~bits;
}

static void bring_back(struct td_space *space, uint32_t slab) {
  uint32_t first = slab * (uint32_t)TD_SLAB_BLOCKS;
  space->slab_committed[slab] = TD_SLAB_HUGE;
  space->slabs_aside--;
  set_free(space, slab, true);
  if (first < space->single_hint) space->single_hint = first;
  space->extent_limit = UINT32_MAX;
}

void td_touch_set_aside(struct td_space *space, uint32_t slab) {
  space->slab_committed[slab] = TD_SLAB_ASIDE;
  space->slabs_aside++;
  set_free(space, slab, false);
}

bool td_touch_waits(const struct td_space *space) {
  return space->slabs_aside > 0 &&
         find(space, TD_SLAB_ASIDE) < space->frontier / (uint32_t)TD_SLAB_BLOCKS;
}

bool td_touch_give_up(struct td_space *space) {
  if (space->slabs_aside == 0) return false;
  for (uint32_t slab = 0; space->slabs_aside > 0; slab++)
    if (td_touch_is_aside(space, slab)) bring_back(space, slab);
  return true;
}

bool td_touch_begin(struct td_space *space, struct td_touch *touch) {
  pthread_mutex_lock(&space->lock);
  uint32_t slab = find(space, TD_SLAB_ASIDE);
  bool found = slab < space->frontier / TD_SLAB_BLOCKS;
  if (found) space->slab_committed[slab] = TD_SLAB_TOUCHED;
  pthread_mutex_unlock(&space->lock);
  const uint64_t granules = (uint64_t)slab * TD_SLAB_BLOCKS << TD_BLOCK_GRANULES_LOG2;
  *touch = (struct td_touch){.slab = slab,
                             .start = (char *)td_granule_address(space->base, granules),
                             .marks = space->marks + granules};
  return found;
}

/* Asks for a page of each, which makes the system clear the huge page or, where it has none, that
 * page. A store would meet those of others if the slab is in use by now. */
void td_touch_now(struct td_touch *touch) {
  uint64_t since = td_plat_now_ns();
  td_plat_populate(touch->start, TD_PAGE_BYTES);
  touch->ns = td_plat_now_ns() - since;
  td_plat_populate(touch->marks, TD_PAGE_BYTES);
}

/* Somebody may have brought it back, and it may even be set aside anew: then it is brought back a
 * little early. */
void td_touch_end(struct td_space *space, const struct td_touch *touch) {
  pthread_mutex_lock(&space->lock);
  td_backing_touched(space, touch->ns);
  if (td_touch_is_aside(space, touch->slab)) bring_back(space, touch->slab);
  pthread_mutex_unlock(&space->lock);
}

void td_touch_skip(struct td_space *space) {
  pthread_mutex_lock(&space->lock);
  td_touch_give_up(space);
  pthread_mutex_unlock(&space->lock);
}
