/* SPDX-License-Identifier: MIT */
#include "marker/loop/single.h"

/* Returns the map of the object, if it has one bit, and 0 otherwise. */
static uint64_t map_of(const struct td_view *v, uint64_t item) {
  const struct td_block *block = td_view_block(v, item);
  bool single = td_block_kind_seen(block) == TD_KIND_SLOTS_1;
  return single ? td_block_map_seen(block) : 0;
}

bool td_single_pays(const struct td_space *space, uintptr_t next, uintptr_t last, uint32_t count) {
  if (!next || (!td_is_near(next, last) && count != TD_WINDOW - 1)) return false;
  const struct td_view v = td_view_of(space);
  return map_of(&v, next) != 0;
}

/* Marks an object that is white and has this map. A grey item is not white. */
TD_INLINE bool admit(const struct td_view *v, uint64_t item, uint64_t map) {
  const struct td_block *block = td_view_block(v, item);
  uint8_t *mark = td_view_mark(v, item);
  if (td_mark_load(mark) != v->white || block->kind != TD_KIND_SLOTS_1 || block->map != map)
    return false;
  td_mark_store(mark, v->epoch);
  return true;
}

/* A list in the order of its addresses. */
static void chase_list(const struct td_space *space, struct td_single *single) {
  const struct td_view v = td_view_of(space);
  const uint64_t map = map_of(&v, single->next);
  if (!map) return;
  const unsigned slot = (unsigned)__builtin_ctzll(map);
  uint32_t left = single->budget;
  uintptr_t next = single->next, last = single->last;
  while (left > 0 && td_is_near(next, last) && admit(&v, next, map)) {
    td_fetch_ahead(next, last);
    left--;
    last = next;
    next = td_slot_load((const uintptr_t *)next + slot);
    if (td_view_is_reference(&v, next)) continue;
    next = 0;
    break;
  }
  single->scanned = single->budget - left;
  single->next = next;
  single->last = last;
}

/* Lists abreast, whose elements wait in the window: an object comes out, and its child goes in. The
 * window has one item less than it holds. If another object is the oldest one in it, it is full
 * afterwards. */
static void go_abreast(const struct td_space *space, struct td_single *single) {
  const struct td_view v = td_view_of(space);
  uint64_t *const ring = single->window.ring;
  uint32_t vacant = single->window.head - 1, left = single->budget;
  const uint64_t map = map_of(&v, ring[(vacant + 1) % TD_WINDOW]);
  if (!map) return;
  const unsigned slot = (unsigned)__builtin_ctzll(map);
  uintptr_t next = single->next, last = single->last;
  for (bool far = true; far && left > 0; left--) {
    td_window_prefetch(&v, next);
    ring[vacant % TD_WINDOW] = next;
    next = 0;
    const uint64_t item = ring[(vacant + 1) % TD_WINDOW];
    if (!admit(&v, item, map)) {
      single->window.count++;
      break;
    }
    vacant++;
    last = item;
    const uintptr_t word = td_slot_load((const uintptr_t *)item + slot);
    far = td_view_is_reference(&v, word);
    if (!far) continue;
    next = word;
    far = !td_is_near(next, last);
  }
  single->window.head = vacant + 1;
  single->scanned = single->budget - left;
  single->next = next;
  single->last = last;
}

void td_single_run(const struct td_space *space, struct td_single *single) {
  if (td_is_near(single->next, single->last))
    chase_list(space, single);
  else if (single->window.count == TD_WINDOW - 1)
    go_abreast(space, single);
}
