#include "marker/base/deferred.h"

#include "heap/view.h"

void td_deferred_announce(struct td_markers *set) {
  /* relaxed, both: see td_markers.flagged. */
  if (!atomic_load_explicit(&set->flagged, memory_order_relaxed))
    atomic_store_explicit(&set->flagged, 1, memory_order_relaxed);
}

void td_deferred_flag(struct td_marker *marker, size_t page) {
  td_deferred_store(&td_deferred_row(marker)[page], td_deferred_rows_are_shared(marker->set));
}

uint64_t td_deferred_eight(const struct td_markers *set, size_t page) {
  uint64_t word = 0;
  /* relaxed: a hint, which td_flag_take confirms or not. */
  for (unsigned row = 0; row < set->flag_rows; row++)
    word |=
        __atomic_load_n((const td_mark_word *)(const void *)(td_flag_row(set->space, row) + page),
                        __ATOMIC_RELAXED);
  return word;
}

bool td_deferred_take(struct td_markers *set, size_t page) {
  bool taken = false;
  for (unsigned row = 0; row < set->flag_rows; row++)
    if (td_flag_peek(set->space, row, page)) taken |= td_flag_take(set->space, row, page);
  return taken;
}

void td_defer(struct td_marker *marker, uintptr_t reference) {
  struct td_view v = td_view_of(marker->set->space);
  bool other = td_view_meet(&v, reference) == TD_MET_OTHER;
  uintptr_t object = other ? td_view_inside(v.space, v.interior, reference) : reference;
  if (!object || !td_view_is_white(&v, object)) return;
  marker->stats.objects++;
  if (td_view_block(&v, object)->kind == TD_KIND_LEAF)
    td_mark_store(td_view_mark(&v, object), v.epoch);
  else
    td_defer_grey(marker, object);
}

void td_defer_grey(struct td_marker *marker, uintptr_t object) {
  struct td_space *space = marker->set->space;
  struct td_view v = td_view_of(space);
  td_deferred_announce(marker->set);
  td_mark_store(td_view_mark(&v, object), v.epoch | TD_DEFERRED);
  td_deferred_flag(marker, td_view_page(&v, object));
}

size_t td_deferred_page(const struct td_markers *set, size_t from) {
  /* relaxed, both: see td_markers.flagged and chunks. */
  if (!atomic_load_explicit(&set->flagged, memory_order_relaxed)) return 0;
  uint32_t chunks = atomic_load_explicit(&set->chunks, memory_order_relaxed);
  size_t words = (size_t)chunks * TD_CHUNK_PAGES / 8;
  size_t at = from / 8 % words;
  for (size_t i = 0; i < words; i++, at = at + 1 == words ? 0 : at + 1) {
    uint64_t word = td_deferred_eight(set, at * 8);
    if (word) return at * 8 + (unsigned)__builtin_ctzll(word) / 8;
  }
  return 0;
}
