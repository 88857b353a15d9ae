/* SPDX-License-Identifier: MIT */
#include "marker/base/deferred.h"

#include "heap/view.h"

#define LINE (TD_CACHE_LINE / 8u) /* words of eight flags in a cache line */
#define AHEAD 16u                 /* cache lines ahead of a look that are prefetched */

/* Before a flag is set. */
static void announce(struct td_markers *set) {
  /* relaxed, both: see td_markers.flagged. */
  if (!atomic_load_explicit(&set->flagged, memory_order_relaxed))
    atomic_store_explicit(&set->flagged, 1, memory_order_relaxed);
}

void td_deferred_flag(struct td_marker *marker, size_t page) {
  announce(marker->set);
  td_flag_set(marker->set->space, page);
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
  uintptr_t object = td_space_find_before(space, word, TD_FROM_HEAP);
  granule = (object - space->base) >> TD_GRANULE_LOG2;
  bool white = object && td_mark_load(&space->marks[granule]) == space->epoch_before;
  return white ? object : 0;
}

static size_t slabs_of(const struct td_space *space) {
  return (space->view_frontier + TD_SLAB_BLOCKS - 1) / TD_SLAB_BLOCKS;
}

/* Slabs are told of after the flag. The bytes are taken before flags are looked at, so that either
 * the flag is found or the byte stays behind. An exchange, because a store would hide from the
 * taker which flags others have set before. */
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
  announce(marker->set);
}

/* What is stored meanwhile by a marker that has found the object, too, is the same: [mark]. If the
 * flag was set, the mutator that set it tells the slab, or it was a marker: its phase does not end
 * before the flag is taken. */
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
  bool was_set = td_flag_set(space, (object - space->base) >> TD_PAGE_LOG2);
  if (!was_set) tell_slab(space, object);
  return true;
}

bool td_mark_is_behind(const struct td_markers *set) {
  const struct td_space *space = set->space;
  for (size_t i = 0; i < slabs_of(space); i++) /* relaxed: a stop publishes them, else a hint */
    if (__atomic_load_n(&space->logged_slabs[i], __ATOMIC_RELAXED)) return true;
  return false;
}

/* A look at all flags mostly finds nothing. */
static bool is_line_empty(const struct td_space *space, size_t at) {
  uint64_t any = 0;
#pragma GCC unroll 8
  for (size_t i = 0; i < LINE; i++)
    any |= td_flag_peek_eight(space, (at + i) * 8);
  return any == 0;
}

/* Returns the first flagged page of those whose flags lie in the words [at, end); 0: none. */
static size_t look(const struct td_space *space, size_t at, size_t end) {
  while (at < end) {
    const bool whole = at % LINE == 0 && end - at >= LINE;
    /* Beyond the last word lie the flags of pages that are not used. */
    if (whole) __builtin_prefetch((const void *)&space->flags[(at + AHEAD * LINE) * 8]);
    if (whole && is_line_empty(space, at)) {
      at += LINE;
      continue;
    }
    const uint64_t word = td_flag_peek_eight(space, at * 8);
    if (word) return at * 8 + (unsigned)__builtin_ctzll(word) / 8;
    at++;
  }
  return 0;
}

size_t td_deferred_find(const struct td_marker *marker, size_t from) {
  const struct td_markers *set = marker->set;
  /* relaxed, both: see td_markers.flagged and blocks. */
  if (!atomic_load_explicit(&set->flagged, memory_order_relaxed)) return 0;
  const size_t words =
      atomic_load_explicit(&set->blocks, memory_order_relaxed) * TD_BLOCK_PAGES / 8;
  const size_t at = from ? from / 8 : words * marker->id / set->limit;
  const size_t page = look(set->space, at, words);
  return page ? page : look(set->space, 0, at < words ? at : words);
}
