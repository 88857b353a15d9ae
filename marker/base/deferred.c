/* SPDX-License-Identifier: MIT */
#include "marker/base/deferred.h"

#include "heap/view.h"

#define LINE (TD_CACHE_LINE / 8u) /* words of eight flags in a cache line */
#define AHEAD 16u                 /* cache lines ahead of a look that are prefetched */
#define GLANCE 64u                /* words of eight flags that a glance looks at */

/* Before the marker sets a flag. */
static void announce(struct td_marker *marker) {
  struct td_markers *set = marker->set;
  /* relaxed, both: see td_markers.flagged. */
  if (!atomic_load_explicit(&set->flagged, memory_order_relaxed))
    atomic_store_explicit(&set->flagged, 1, memory_order_relaxed);
  if (marker->has_flagged) return;
  marker->has_flagged = true;
  if (td_are_many(set)) td_bits_set(&set->flaggers, marker->id);
}

/* The byte has been stored. Returns true if the flag was found set by an exchange. */
static bool set_flag(const struct td_markers *set, _Atomic(uint8_t) *row, size_t page) {
  if (td_deferred_row_is_shared(set)) {
    td_flag_fence();
    td_flag_set_shared(&row[td_deferred_at_shared(page)]);
    return false;
  }
  if (set->beside) return td_flag_set_beside(&row[page]);
  td_flag_store(&row[page]);
  return false;
}

void td_deferred_flag(struct td_marker *marker, size_t page) {
  announce(marker);
  set_flag(marker->set, td_deferred_row(marker), page);
}

bool td_deferred_take(struct td_markers *set, size_t page) {
  const size_t at = td_deferred_at(set, page);
  bool taken = false;
  for (unsigned row = 0; row < set->flag_rows; row++)
    if (td_flag_peek(set->space, row, at)) taken |= td_flag_take(set->space, row, at);
  return taken;
}

uint64_t td_deferred_take_eight(struct td_markers *set, size_t page) {
  if (td_deferred_row_is_shared(set)) return td_deferred_take(set, page) ? TD_FLAGS_EIGHT : 0;
  uint64_t word = 0;
  for (unsigned row = 0; row < set->flag_rows; row++)
    if (td_flag_peek_eight(set->space, row, page))
      word |= td_flag_take_eight(set->space, row, page);
  return word;
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

/* ---- From outside ---- */

/* Returns the object that the word leads to, or into which a conservative word points, or 0 if that
 * is marked, or none. */
static uintptr_t white_at(const struct td_space *space, uintptr_t word) {
  uint64_t granule = td_granule_of(space->base, word);
  bool is_reference = granule < td_block_granule(space->view_frontier);
  if (is_reference && td_mark_load(&space->marks[granule]) == space->epoch_before) return word;
  if (!td_space_has_words(space) || (is_reference && td_holds_object(space, granule))) return 0;
  uintptr_t object = td_space_find(space, word, TD_FROM_HEAP);
  granule = (object - space->base) >> TD_GRANULE_LOG2;
  bool white = object && td_mark_load(&space->marks[granule]) == space->epoch_before;
  return white ? object : 0;
}

static size_t slabs_of(const struct td_space *space) {
  return (space->view_frontier + TD_SLAB_BLOCKS - 1) / TD_SLAB_BLOCKS;
}

/* Slabs are told of after the flag. The bytes are taken before flags are looked at, so that either
 * the flag is found or the byte stays behind. An exchange, because a store would hide from the
 * taker which flags others have set before: [flag.beside]. */
static void tell_slab(struct td_space *space, uintptr_t object) {
  uint8_t *told = &space->logged_slabs[(object - space->base) >> TD_SLAB_LOG2];
  /* release [slab]: pairs with take_slabs. */
  (void)__atomic_exchange_n(told, 1, __ATOMIC_RELEASE);
}

static void take_slabs(struct td_space *space) {
  for (size_t i = 0; i < slabs_of(space); i++)
    /* relaxed: a hint. acquire [slab]: pairs with tell_slab. */
    if (__atomic_load_n(&space->logged_slabs[i], __ATOMIC_RELAXED))
      (void)__atomic_exchange_n(&space->logged_slabs[i], 0, __ATOMIC_ACQUIRE);
}

void td_deferred_answer_for_others(struct td_marker *marker) {
  take_slabs(marker->set->space);
  announce(marker);
}

/* In row 0, as marker 0 does. What is stored meanwhile by a marker that has found the object, too,
 * is the same: [mark]. If the flag was set, whoever set it tells the slab, or it was a marker: its
 * phase does not end before the flag is taken. */
bool td_mark_from_outside(struct td_markers *set, uintptr_t word) {
  struct td_space *space = set->space;
  uintptr_t object = white_at(space, word);
  if (!object) return false;
  uint8_t *mark = &space->marks[(object - space->base) >> TD_GRANULE_LOG2];
  if (space->blocks[td_block_of(space, object)].kind == TD_KIND_LEAF) {
    td_mark_store(mark, space->epoch);
    return true;
  }
  td_mark_store(mark, space->epoch | TD_DEFERRED);
  bool was_set = set_flag(set, td_flag_row(space, 0), (object - space->base) >> TD_PAGE_LOG2);
  if (!was_set) tell_slab(space, object);
  return true;
}

bool td_mark_is_behind(const struct td_markers *set) {
  const struct td_space *space = set->space;
  for (size_t i = 0; i < slabs_of(space); i++) /* relaxed: a stop publishes them, else a hint */
    if (__atomic_load_n(&space->logged_slabs[i], __ATOMIC_RELAXED)) return true;
  return false;
}

/* Returns how many words of eight flags a row has; 0 while nothing was flagged. */
static size_t words_of(const struct td_markers *set) {
  /* relaxed, both: see td_markers.flagged and chunks. */
  if (!atomic_load_explicit(&set->flagged, memory_order_relaxed)) return 0;
  const size_t chunks = atomic_load_explicit(&set->chunks, memory_order_relaxed);
  return td_deferred_at(set, chunks * TD_CHUNK_PAGES) / 8;
}

/* Returns the first page of the first flag in word number `at` of a row. */
static size_t page_of(const struct td_markers *set, uint64_t word, size_t at) {
  const size_t flag = at * 8 + (unsigned)__builtin_ctzll(word) / 8;
  if (!td_deferred_row_is_shared(set)) return flag;
  return flag / TD_DEFERRED_LINE * TD_CHUNK_PAGES + flag % TD_DEFERRED_LINE * TD_DEFERRED_UNIT;
}

size_t td_deferred_page(const struct td_markers *set, size_t from) {
  size_t words = words_of(set);
  size_t at = words ? td_deferred_at(set, from) / 8 % words : 0;
  for (size_t i = 0; i < words; i++, at = at + 1 == words ? 0 : at + 1) {
    uint64_t word = 0;
    for (unsigned row = 0; row < set->flag_rows; row++)
      word |= td_flag_peek_eight(set->space, row, at * 8);
    if (word) return page_of(set, word, at);
  }
  return 0;
}

/* A look at a whole row mostly finds nothing. */
static bool is_line_empty(const struct td_markers *set, unsigned row, size_t at) {
  uint64_t any = 0;
#pragma GCC unroll 8
  for (size_t i = 0; i < LINE; i++)
    any |= td_flag_peek_eight(set->space, row, (at + i) * 8);
  return any == 0;
}

/* Looks at `count` of the `words` words of the row in which marker `id` sets flags, from word
 * number `at` on. Returns as td_deferred_page does. */
static size_t look(const struct td_markers *set, unsigned id, size_t words, size_t at,
                   size_t count) {
  const unsigned row = td_deferred_row_of(set, id);
  for (size_t i = 0; i < count; i++, at = at + 1 == words ? 0 : at + 1) {
    /* Beyond the last word lie the flags of pages that are not used. */
    if (at % LINE == 0)
      __builtin_prefetch((const void *)(td_flag_row(set->space, row) + (at + AHEAD * LINE) * 8));
    if (at % LINE == 0 && count - i >= LINE && words - at >= LINE && is_line_empty(set, row, at)) {
      i += LINE - 1;
      at += LINE - 1;
      continue;
    }
    uint64_t word = td_flag_peek_eight(set->space, row, at * 8);
    if (word) return page_of(set, word, at);
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
  /* Not all begin at the same place. */
  const size_t at = from ? td_deferred_at(set, from) / 8 : words * marker->id / td_enough(set);
  if (!many)
    page = td_deferred_page(set, from);
  else if (words)
    page = look(set, marker->id, words, at % words, words);
  if (page) return page;
  marker->has_flagged = false;
  if (!many) return 0;
  td_bits_clear(&set->flaggers, marker->id);
  return td_deferred_glance(marker);
}
