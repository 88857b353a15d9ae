#include "marker/base/deferred.h"

#include "heap/view.h"

#define GLANCE 64u /* words of eight flags that a glance looks at */

void td_deferred_announce(struct td_marker *marker) {
  struct td_markers *set = marker->set;
  /* relaxed, both: see td_markers.flagged. */
  if (!atomic_load_explicit(&set->flagged, memory_order_relaxed))
    atomic_store_explicit(&set->flagged, 1, memory_order_relaxed);
  if (marker->has_flagged) return;
  marker->has_flagged = true;
  if (td_are_many(set)) td_bits_set(&set->flaggers, marker->id);
}

void td_deferred_flag(struct td_marker *marker, size_t page) {
  td_deferred_announce(marker);
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
  uintptr_t object = other ? td_view_inside(v.space, reference) : reference;
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
  td_mark_store(td_view_mark(&v, object), v.epoch | TD_DEFERRED);
  td_deferred_flag(marker, td_view_page(&v, object));
}

/* Returns how many words of eight flags a row has; 0 while nothing was flagged. */
static size_t words_of(const struct td_markers *set) {
  /* relaxed, both: see td_markers.flagged and chunks. */
  if (!atomic_load_explicit(&set->flagged, memory_order_relaxed)) return 0;
  return (size_t)atomic_load_explicit(&set->chunks, memory_order_relaxed) * TD_CHUNK_PAGES / 8;
}

static size_t page_of(uint64_t word, size_t at) {
  return at * 8 + (unsigned)__builtin_ctzll(word) / 8;
}

size_t td_deferred_page(const struct td_markers *set, size_t from) {
  size_t words = words_of(set);
  size_t at = words ? from / 8 % words : 0;
  for (size_t i = 0; i < words; i++, at = at + 1 == words ? 0 : at + 1) {
    uint64_t word = td_deferred_eight(set, at * 8);
    if (word) return page_of(word, at);
  }
  return 0;
}

/* Looks at `count` of the `words` words of the row in which marker `id` sets flags, from word
 * number `at` on. Returns as td_deferred_page does. */
static size_t look(const struct td_markers *set, unsigned id, size_t words, size_t at,
                   size_t count) {
  const _Atomic(uint8_t) *row = td_flag_row(set->space, id % TD_FLAG_ROWS);
  for (size_t i = 0; i < count; i++, at = at + 1 == words ? 0 : at + 1) {
    /* relaxed: as in td_deferred_eight. */
    uint64_t word =
        __atomic_load_n((const td_mark_word *)(const void *)(row + at * 8), __ATOMIC_RELAXED);
    if (word) return page_of(word, at);
  }
  return 0;
}

size_t td_deferred_glance(struct td_marker *marker) {
  struct td_markers *set = marker->set;
  if (!td_are_many(set)) return td_deferred_page(set, 8);
  size_t words = words_of(set);
  if (words == 0) return 0;
  uint32_t other =
      td_bits_next(&set->flaggers, set->limit, (marker->id + 1 + marker->glance) % set->limit);
  if (other == TD_BITS_NONE) return 0;
  size_t at = (size_t)marker->glance++ * GLANCE % words;
  return look(set, other, words, at, words < GLANCE ? words : GLANCE);
}

size_t td_deferred_find(struct td_marker *marker, size_t from) {
  struct td_markers *set = marker->set;
  const bool many = td_are_many(set);
  if (many && !marker->has_flagged) return td_deferred_glance(marker);
  size_t words = words_of(set), page = 0;
  if (!many)
    page = td_deferred_page(set, from);
  else if (words)
    page = look(set, marker->id, words, from / 8 % words, words);
  if (page) return page;
  marker->has_flagged = false;
  if (!many) return 0;
  td_bits_clear(&set->flaggers, marker->id);
  return td_deferred_glance(marker);
}
