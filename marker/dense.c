/* Dense marking: when a queue is full the frontier is dense, and then walking it in address order
 * beats any order that the graph suggests: objects and marks are met in runs, and every access is
 * known long before it is needed.
 *
 * The frontier lives in the mark table: pending bytes, and a flag per page that has some. So a
 * frontier of any size needs no memory of its own, and nothing can overflow. */
#include "marker/batch.h"
#include "marker/scan.h"
#include "platform/probes.h"

#define AHEAD 24u  /* objects prefetched before they are read */
#define REPEATS 4u /* how often a chunk is walked while it is flagged anew */
#define PAYS 2u    /* objects per flagged page that make another turn worth it */
#define CHUNK_PAGES (TD_CHUNK_BLOCKS * TD_BLOCK_PAGES)

/* What the walk needs in registers. */
struct walk {
  struct td_view v;
  struct td_heap *heap;
  _Atomic(uint8_t) *flags; /* this marker's row */
  bool shared;             /* other markers store there, too */
  uint64_t objects;
  struct td_batch batch;
};

static void announce(struct td_markers *set) {
  /* relaxed, both: see td_markers.flagged. */
  if (!atomic_load_explicit(&set->flagged, memory_order_relaxed))
    atomic_store_explicit(&set->flagged, 1, memory_order_relaxed);
}

static inline void flag(_Atomic(uint8_t) *page, bool shared) {
  if (shared)
    td_flag_store_shared(page);
  else
    td_flag_store(page);
}

static bool shares_row(const struct td_markers *set) {
  return set->limit > TD_FLAG_ROWS;
}

void td_dense_flag(struct td_marker *marker, size_t page) {
  flag(&td_flag_row(marker->set->heap, td_flag_row_of(marker->id))[page], shares_row(marker->set));
}

/* The waiting references, whose marks have arrived: new objects become pending and their pages
 * flagged, new leaves are done. Out of line, on a copy: the loop that scans keeps its registers. */
static __attribute__((noinline)) void settle_copy(struct walk *w) {
  uint32_t count = td_batch_sift(&w->v, w->batch.other, w->batch.waiting);
  const uintptr_t *kept = w->batch.other;
  const struct td_view v = w->v;
  _Atomic(uint8_t) *flags = w->flags;
  const bool shared = w->shared;
  uint64_t objects = 0;
  for (uint32_t i = 0; i < count; i++) {
    uintptr_t object = kept[i];
    if (td_view_is_marked(&v, object)) continue; /* there twice */
    objects++;
    if (td_view_block(&v, object)->kind == TD_KIND_LEAF) {
      td_mark_store(td_view_mark(&v, object), v.epoch);
    } else {
      td_mark_store(td_view_mark(&v, object), v.epoch | TD_PENDING);
      flag(&flags[td_view_page(&v, object)], shared);
    }
  }
  w->objects += objects;
  td_batch_turn(&w->batch, &w->v);
}

TD_INLINE void settle(struct walk *w) {
  struct walk copy = *w;
  settle_copy(&copy);
  w->objects = copy.objects;
  w->batch = copy.batch;
}

TD_INLINE void meet(void *context, uintptr_t word) {
  struct walk *w = context;
  td_batch_add(&w->batch, &w->v, word);
}

/* For objects of any length. */
TD_INLINE void meet_many(void *context, uintptr_t word) {
  struct walk *w = context;
  td_batch_add(&w->batch, &w->v, word);
  if (__builtin_expect(td_batch_is_full(&w->batch), 0)) settle(w);
}

static __attribute__((noinline)) void scan_rare(struct td_marker *marker, struct walk *shared,
                                                uintptr_t object) {
  struct td_gather gather;
  struct walk w = *shared;
  td_scan_rare(marker, object, &gather);
  for (uint32_t i = 0; i < gather.count; i++)
    meet_many(&w, gather.items[i]);
  *shared = w;
}

static __attribute__((noinline)) void scan_array(struct walk *shared, uintptr_t object) {
  struct walk w = *shared;
  size_t from = 0, to = 0;
  uint32_t b = td_view_number(&w.v, object);
  td_array_slots(w.heap, b, &from, &to);
  const uintptr_t *slots = (const uintptr_t *)object;
  if (w.heap->blocks[b].kind == TD_KIND_CONSERVATIVE)
    td_scan_conservative(w.heap, slots, from, to, meet_many, &w);
  else
    td_scan_words(slots, from, to, meet_many, &w);
  *shared = w;
}

TD_INLINE void scan(struct td_marker *marker, struct walk *w, uintptr_t object) {
  const struct td_block *block = td_view_block(&w->v, object);
  if (__builtin_expect(block->kind == TD_KIND_BITMAP, 1)) {
    td_scan_map_forward((const uintptr_t *)object, block->map, meet, w);
  } else if (td_is_short_array(block)) {
    td_scan_short_array((const uintptr_t *)object, block, meet, w);
  } else {
    struct walk copy = *w;
    if (td_kind_is_array(block->kind))
      scan_array(&copy, object);
    else
      scan_rare(marker, &copy, object);
    *w = copy;
  }
  if (__builtin_expect(td_batch_is_full(&w->batch), 0)) settle(w);
}

/* Takes the pending objects of a page: from here on this marker owes their scanning. */
TD_INLINE uint32_t take_page(struct walk *w, size_t page, uint64_t chunk_first, uint32_t *list,
                             uint32_t count) {
  uint64_t first = (uint64_t)page * TD_PAGE_GRANULES;
  for (uint64_t g = first; g < first + TD_PAGE_GRANULES; g += 8) {
    uint64_t word = td_mark_load_word(&w->heap->marks[g]) & TD_PENDING_WORD;
    while (word) {
      uint64_t granule = g + (uint64_t)__builtin_ctzll(word) / 8;
      word &= word - 1;
      td_mark_store(&w->heap->marks[granule], w->v.epoch);
      list[count++] = (uint32_t)(granule - chunk_first);
    }
  }
  return count;
}

/* Eight pages' flags from a page number divisible by eight. */
static uint64_t flags_word(const struct td_markers *set, size_t page) {
  uint64_t word = 0;
  /* relaxed: a hint; td_flag_take decides. */
  for (unsigned row = 0; row < set->flag_rows; row++)
    word |= __atomic_load_n(
        (const td_mark_word *)(const void *)(td_flag_row(set->heap, row) + page), __ATOMIC_RELAXED);
  return word;
}

bool td_dense_take(struct td_markers *set, size_t page) {
  bool taken = false;
  for (unsigned row = 0; row < set->flag_rows; row++)
    if (td_flag_peek(set->heap, row, page)) taken |= td_flag_take(set->heap, row, page);
  return taken;
}

/* The flagged pages of a chunk, unflagged from here on, their marks on the way. */
static uint32_t take_flags(struct td_markers *set, size_t first_page, uint8_t *pages) {
  uint32_t count = 0;
  for (size_t page = 0; page < CHUNK_PAGES; page += 8) {
    for (uint64_t word = flags_word(set, first_page + page); word; word &= word - 1) {
      size_t one = page + (unsigned)__builtin_ctzll(word) / 8;
      if (!td_dense_take(set, first_page + one)) continue;
      const uint8_t *marks = set->heap->marks + (first_page + one) * TD_PAGE_GRANULES;
      for (size_t line = 0; line < TD_PAGE_GRANULES; line += TD_CACHE_LINE)
        __builtin_prefetch(marks + line, 1);
      pages[count++] = (uint8_t)one;
    }
  }
  return count;
}

TD_INLINE uint32_t take_chunk(struct td_markers *set, struct walk *w, size_t first_page,
                              uint32_t *list, uint64_t *flagged) {
  uint8_t pages[CHUNK_PAGES];
  _Static_assert(CHUNK_PAGES <= 256, "a page of a chunk is a byte");
  uint32_t taken = take_flags(set, first_page, pages);
  uint32_t count = 0;
  for (uint32_t i = 0; i < taken; i++)
    count = take_page(w, first_page + pages[i], first_page * TD_PAGE_GRANULES, list, count);
  *flagged += taken;
  return count;
}

/* One pass over a chunk; objects scanned. */
TD_INLINE uint32_t pass(struct td_marker *marker, struct walk *w, size_t first_page,
                        uint64_t *flagged) {
  uint32_t *list = marker->dense_list;
  uint32_t count = take_chunk(marker->set, w, first_page, list, flagged);
  uintptr_t start = w->v.base + first_page * TD_PAGE_BYTES;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t ahead = list[i + AHEAD < count ? i + AHEAD : count - 1];
    uintptr_t later = start + ((uintptr_t)ahead << TD_GRANULE_LOG2);
    __builtin_prefetch((const void *)later);
    __builtin_prefetch((const void *)(later + TD_CACHE_LINE));
    scan(marker, w, start + ((uintptr_t)list[i] << TD_GRANULE_LOG2));
  }
  return count;
}

/* Each marker takes as many chunks as the heap has: one turn of the cursor if it is alone. Tells
 * how many objects it scanned; false: another turn would not pay. */
static bool turn(struct td_marker *marker, uint64_t *total) {
  struct td_markers *set = marker->set;
  struct walk w = {.v = td_view_of(set->heap),
                   .heap = set->heap,
                   .flags = td_flag_row(set->heap, td_flag_row_of(marker->id)),
                   .shared = shares_row(set),
                   .batch = td_batch_of(marker->batches)};
  uint64_t scanned = 0, flagged = 0;
  /* relaxed: constant during a run, see td_markers.chunks. */
  uint32_t chunks = atomic_load_explicit(&set->chunks, memory_order_relaxed);
  for (uint32_t i = 0; i < chunks; i++) {
    /* relaxed: only spreads the markers over the heap. */
    uint64_t next = atomic_fetch_add_explicit(&set->dense_next, 1, memory_order_relaxed);
    size_t page = (size_t)(next % chunks) * CHUNK_PAGES;
    for (unsigned repeat = 0; repeat < REPEATS; repeat++) {
      uint32_t count = pass(marker, &w, page, &flagged);
      scanned += count;
      if (count == 0) break;
    }
  }
  settle(&w);
  settle(&w);
  marker->stats.objects += w.objects;
  marker->stats.dense_objects += scanned;
  *total += scanned;
  marker->stats.dense_turns++;
  return flagged != 0 && scanned >= PAYS * flagged;
}

bool td_dense_run(struct td_marker *marker) {
  uint64_t since = td_plat_now_ns(), total = 0;
  td_event_at(&marker->events, since, TIDE_TRACE_DENSE_BEGIN, 0, 0);
  TD_PROBE1(dense__begin, marker->id);
  announce(marker->set);
  do
    td_recruit(marker->set);
  while (turn(marker, &total));
  uint64_t now = td_plat_now_ns();
  marker->stats.dense_ns += now - since;
  td_event_at(&marker->events, now, TIDE_TRACE_DENSE_END, 0, total);
  TD_PROBE2(dense__end, marker->id, total);
  /* relaxed: as in turn. */
  return total >= atomic_load_explicit(&marker->set->chunks, memory_order_relaxed);
}

void td_dense_defer(struct td_marker *marker, uintptr_t object) {
  struct td_view v = td_view_of(marker->set->heap);
  if (td_view_is_marked(&v, object)) return;
  marker->stats.objects++;
  if (td_view_block(&v, object)->kind == TD_KIND_LEAF)
    td_mark_store(td_view_mark(&v, object), v.epoch);
  else
    td_dense_owe(marker, object);
}

void td_dense_owe(struct td_marker *marker, uintptr_t object) {
  struct td_heap *heap = marker->set->heap;
  struct td_view v = td_view_of(heap);
  announce(marker->set);
  td_mark_store(td_view_mark(&v, object), v.epoch | TD_PENDING);
  td_dense_flag(marker, td_view_page(&v, object));
}

size_t td_dense_flagged(const struct td_markers *set, size_t from) {
  /* relaxed, both: see td_markers.flagged and chunks. */
  if (!atomic_load_explicit(&set->flagged, memory_order_relaxed)) return 0;
  uint32_t chunks = atomic_load_explicit(&set->chunks, memory_order_relaxed);
  size_t words = (size_t)chunks * CHUNK_PAGES / 8;
  size_t at = from / 8 % words;
  for (size_t i = 0; i < words; i++, at = at + 1 == words ? 0 : at + 1) {
    uint64_t word = flags_word(set, at * 8);
    if (word) return at * 8 + (unsigned)__builtin_ctzll(word) / 8;
  }
  return 0;
}
