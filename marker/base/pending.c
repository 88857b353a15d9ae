/* See marker/base/pending.h. */
#include "marker/base/pending.h"

#include "heap/view.h"

void td_pending_announce(struct td_markers *set) {
  /* relaxed, both: see td_markers.flagged. */
  if (!atomic_load_explicit(&set->flagged, memory_order_relaxed))
    atomic_store_explicit(&set->flagged, 1, memory_order_relaxed);
}

void td_pending_flag(struct td_marker *marker, size_t page) {
  td_pending_store(&td_pending_row(marker)[page], td_pending_shared(marker->set));
}

uint64_t td_pending_eight(const struct td_markers *set, size_t page) {
  uint64_t word = 0;
  /* relaxed: a hint; td_flag_take decides. */
  for (unsigned row = 0; row < set->flag_rows; row++)
    word |=
        __atomic_load_n((const td_mark_word *)(const void *)(td_flag_row(set->space, row) + page),
                        __ATOMIC_RELAXED);
  return word;
}

bool td_pending_take(struct td_markers *set, size_t page) {
  bool taken = false;
  for (unsigned row = 0; row < set->flag_rows; row++)
    if (td_flag_peek(set->space, row, page)) taken |= td_flag_take(set->space, row, page);
  return taken;
}

void td_pending_defer(struct td_marker *marker, uintptr_t object) {
  struct td_view v = td_view_of(marker->set->space);
  if (td_view_is_marked(&v, object)) return;
  marker->stats.objects++;
  if (td_view_block(&v, object)->kind == TD_KIND_LEAF)
    td_mark_store(td_view_mark(&v, object), v.epoch);
  else
    td_pending_owe(marker, object);
}

void td_pending_owe(struct td_marker *marker, uintptr_t object) {
  struct td_space *space = marker->set->space;
  struct td_view v = td_view_of(space);
  td_pending_announce(marker->set);
  td_mark_store(td_view_mark(&v, object), v.epoch | TD_PENDING);
  td_pending_flag(marker, td_view_page(&v, object));
}

size_t td_pending_page(const struct td_markers *set, size_t from) {
  /* relaxed, both: see td_markers.flagged and chunks. */
  if (!atomic_load_explicit(&set->flagged, memory_order_relaxed)) return 0;
  uint32_t chunks = atomic_load_explicit(&set->chunks, memory_order_relaxed);
  size_t words = (size_t)chunks * TD_CHUNK_PAGES / 8;
  size_t at = from / 8 % words;
  for (size_t i = 0; i < words; i++, at = at + 1 == words ? 0 : at + 1) {
    uint64_t word = td_pending_eight(set, at * 8);
    if (word) return at * 8 + (unsigned)__builtin_ctzll(word) / 8;
  }
  return 0;
}
