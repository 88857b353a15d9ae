/* SPDX-License-Identifier: MIT */
/* When a queue is full, the frontier is dense. Then scanning it in address order beats any order
 * that the graph suggests: objects and marks lie side by side, and every access is known long
 * before it is needed. All objects of a page have one layout, so decisions are made once a page,
 * and the inner loops decide nothing.
 *
 * Markers claim stretches of TD_CHUNK_BLOCKS blocks from a shared counter. In a stretch, a marker
 * takes the flagged pages, lists their deferred objects, and scans these. `chunk` is a stretch's
 * first page. */
#include "marker/loop/address_order.h"

#include "marker/base/deferred.h"
#include "marker/base/idle.h"
#include "marker/scan/array.h"
#include "marker/loop/batch.h"
#include "marker/scan/rare.h"
#include "marker/region/regions.h"
#include "platform/probes.h"

#define REPEATS 4u     /* how often a stretch is scanned while pages in it are flagged anew */
#define PAYS 4u        /* objects per flagged page at which another pass pays */
#define PAYS_CHUNK 16u /* and per stretch, because flags are looked for in all of them */
#define MASK 64u       /* granules that one mask covers */
#define FLAGS_AHEAD 4u /* stretches ahead whose flags are prefetched, where a row is shared */

/* One marker's pass over the heap. */
struct heap_pass {
  struct td_view v;
  struct td_space *space;
  struct td_marker *marker;
  _Atomic(uint8_t) *flags; /* this marker's row */
  bool shared;             /* all markers set flags in that row: [flag.fence], */
  bool many;               /* and those around a flag with it */
  uint64_t objects;        /* marked */
  struct td_batch batch;
};

/* The deferred objects of one page, which this marker scans now: their granules, counted from
 * `start`. Behind the last one come those of the next page, or TD_AHEAD more that may be
 * prefetched. */
struct page_objects {
  uintptr_t start;
  const uint16_t *at;
  uint32_t count;
  uint32_t second; /* how far behind its beginning an object is fetched a second time */
};

/* ---- References ---- */

/* Marks and defers the new objects to which the waiting references lead. Out of line, so that the
 * loops that scan keep their registers. */
static __attribute__((noinline)) void flush(struct heap_pass *p) {
  const struct td_view v = p->v;
  uintptr_t *kept = p->batch.other;
  _Atomic(uint8_t) *const flags = p->flags;
  const bool shared = p->shared;
  uint64_t objects = 0;
  uint32_t deferred = 0;
  uint32_t count = td_batch_sift(&p->v, p->batch.other, p->batch.waiting);
  /* Not sooner: other markers change these flags again. */
  if (shared)
    for (uint32_t i = 0; i < count; i++)
      __builtin_prefetch(&flags[td_deferred_at_shared(td_view_page(&v, kept[i]))]);
  for (uint32_t i = 0; i < count; i++) {
    uintptr_t object = kept[i];
    enum td_met met = td_view_meet(&v, object);
    if (__builtin_expect(met == TD_MET_OTHER, 0)) td_defer(p->marker, object);
    if (met != TD_MET_WHITE || !td_batch_admit(&v, object, v.epoch | TD_DEFERRED, &objects))
      continue;
    size_t page = td_view_page(&v, object);
    if (shared)
      kept[deferred++] = page;
    else
      td_flag_store(&flags[page]);
  }
  if (p->many)
    td_deferred_set_around(flags, kept, deferred);
  else
    td_deferred_set_shared(flags, kept, deferred);
  p->objects += objects;
  td_batch_turn(&p->batch, &p->v);
}

TD_INLINE void flush_if_full(struct heap_pass *p) {
  if (__builtin_expect(td_batch_is_full(&p->batch), 0)) flush(p);
}

TD_INLINE void add(void *context, uintptr_t word) {
  struct heap_pass *p = context;
  td_batch_add(&p->batch, &p->v, word);
  flush_if_full(p);
}

/* ---- Scanning ---- */

/* Returns the next object to scan. Prefetches the one that comes TD_AHEAD objects later. */
TD_INLINE uintptr_t object_of(const struct page_objects *t, uint32_t i) {
  uintptr_t later = t->start + ((uintptr_t)t->at[i + TD_AHEAD] << TD_GRANULE_LOG2);
  __builtin_prefetch((const void *)later);
  __builtin_prefetch((const void *)(later + t->second));
  return t->start + ((uintptr_t)t->at[i] << TD_GRANULE_LOG2);
}

/* Scans the slots that have a bit in the map, the first one first: here the order is free. */
TD_INLINE void scan_short(struct heap_pass *p, const struct page_objects *t, uint64_t map,
                          bool conservative) {
  uint8_t slot[64];
  uint32_t slots = 0;
  for (; map; map &= map - 1)
    slot[slots++] = (uint8_t)__builtin_ctzll(map);
  const struct td_view v = p->v;
  struct td_batch batch = p->batch;
  for (uint32_t i = 0; i < t->count; i++) {
    const uintptr_t *words = (const uintptr_t *)object_of(t, i);
    for (uint32_t k = 0; k < slots; k++)
      if (conservative)
        td_batch_add_word(&batch, &v, words[slot[k]]);
      else
        td_batch_add(&batch, &v, words[slot[k]]);
    if (__builtin_expect(!td_batch_is_full(&batch), 1)) continue;
    p->batch = batch;
    flush(p);
    batch = p->batch;
  }
  p->batch = batch;
}

static void scan_bitmaps(struct heap_pass *p, const struct page_objects *t, uint64_t map) {
  scan_short(p, t, map, false);
}

static void scan_conservative(struct heap_pass *p, const struct page_objects *t, uint64_t map) {
  scan_short(p, t, map, true);
}

/* Arrays are not cut in slices here, because all markers are busy. The words are added in steps:
 * looking after each word whether the batch is full would cost a quarter more. */
static void scan_array(struct heap_pass *p, uintptr_t object) {
  struct td_array a = td_array_of(p->space, object);
  const struct td_view v = p->v;
  while (a.from < a.to) {
    struct td_batch batch = p->batch;
    size_t stop = a.to - a.from < TD_BATCH_STEP ? a.to : a.from + TD_BATCH_STEP;
    for (; !a.conservative && a.from < stop; a.from++)
      td_batch_add(&batch, &v, a.slots[a.from]);
    for (; a.from < stop; a.from++)
      td_batch_add_word(&batch, &v, a.slots[a.from]);
    p->batch = batch;
    flush_if_full(p);
  }
}

static void scan_page(struct heap_pass *p, struct page_objects *t) {
  if (t->count == 0) return; /* another marker scanned them, or the page was flagged twice */
  uintptr_t first = t->start + ((uintptr_t)t->at[0] << TD_GRANULE_LOG2);
  const struct td_block *block = td_view_block(&p->v, first);
  t->second = td_second_fetch(block);
  if (block->kind == TD_KIND_BITMAP) {
    scan_bitmaps(p, t, block->map);
    return;
  }
  if (block->kind == TD_KIND_WORDS) {
    scan_conservative(p, t, block->map);
    return;
  }
  bool array = td_kind_is_array(block->kind);
  for (uint32_t i = 0; i < t->count; i++)
    if (array)
      scan_array(p, object_of(t, i));
    else
      td_scan_rare(p->marker, object_of(t, i), add, p);
}

/* ---- Taking deferred objects ---- */

/* Returns which of MASK granules hold deferred objects. Bit 8 * i + j stands for granule i + 8 * j,
 * because it comes from byte i of word j. Bits in the order of granules would take longer, and
 * are not needed. */
TD_INLINE uint64_t deferred_mask(const uint8_t *marks) {
  uint64_t mask = 0;
#pragma GCC unroll 8
  for (unsigned j = 0; j < 8; j++)
    mask |= (td_mark_load_word(marks + 8 * j) & TD_DEFERRED_WORD) >> (7 - j);
  return mask;
}

static const uint8_t granule_of_bit[MASK] = {
    0,  8,  16, 24, 32, 40, 48, 56, 1,  9,  17, 25, 33, 41, 49, 57, 2,  10, 18, 26, 34, 42,
    50, 58, 3,  11, 19, 27, 35, 43, 51, 59, 4,  12, 20, 28, 36, 44, 52, 60, 5,  13, 21, 29,
    37, 45, 53, 61, 6,  14, 22, 30, 38, 46, 54, 62, 7,  15, 23, 31, 39, 47, 55, 63};

/* Takes the deferred objects of a page: from here on it is this marker that scans them. Writes
 * their granules to `end`, counted from the first page of the stretch, and returns the new end. */
TD_INLINE uint16_t *take_page(struct heap_pass *p, size_t page, size_t chunk, uint16_t *end) {
  uint8_t *marks = p->space->marks + (uint64_t)page * TD_PAGE_GRANULES;
  const uint32_t first = (uint32_t)((page - chunk) * TD_PAGE_GRANULES);
  const uint8_t epoch = p->v.epoch;
  for (uint32_t g = 0; g < TD_PAGE_GRANULES; g += MASK)
    for (uint64_t mask = deferred_mask(marks + g); mask; mask &= mask - 1) {
      uint32_t granule = g + granule_of_bit[__builtin_ctzll(mask)];
      td_mark_store(&marks[granule], epoch);
      *end++ = (uint16_t)(first + granule);
    }
  return end;
}

/* Takes the flags of a stretch and prefetches the mark bytes of the flagged pages. Returns how
 * many. */
static uint32_t take_flags(struct td_markers *set, size_t chunk, uint8_t *pages) {
  const size_t unit = td_deferred_unit(set);
  uint32_t count = 0;
  for (size_t page = 0; page < TD_CHUNK_PAGES; page += 8 * unit) {
    for (uint64_t word = td_deferred_take_flags(set, chunk + page); word; word &= word - 1) {
      size_t first = page + (unsigned)__builtin_ctzll(word) / 8 * unit;
      const uint8_t *marks = set->space->marks + (chunk + first) * TD_PAGE_GRANULES;
      for (size_t line = 0; line < unit * TD_PAGE_GRANULES; line += TD_CACHE_LINE)
        __builtin_prefetch(marks + line, 1);
      for (size_t one = first; one < first + unit; one++)
        pages[count++] = (uint8_t)one;
    }
  }
  if (count) td_deferred_taken(set);
  return count;
}

TD_INLINE uintptr_t chunk_start(const struct heap_pass *p, size_t chunk) {
  return p->v.base + chunk * TD_PAGE_BYTES;
}

/* Prefetches the first objects of a list. Each of the others is prefetched by the one TD_AHEAD
 * before it. */
TD_INLINE void fetch_first(uintptr_t start, const uint16_t *list) {
  for (uint32_t i = 0; i < TD_AHEAD; i++)
    td_fetch_object(start + ((uintptr_t)list[i] << TD_GRANULE_LOG2));
}

/* Writes the deferred objects of the pages to `list`, and where those of each page end to `ends`.
 * The first objects are prefetched as soon as they are known, so that they come while the others
 * are being listed. Behind the last one come TD_AHEAD more that may be prefetched. */
TD_INLINE uint16_t *list_objects(struct heap_pass *p, size_t chunk, const uint8_t *pages,
                                 uint32_t count, uint16_t *list, const uint16_t **ends) {
  const uintptr_t start = chunk_start(p, chunk);
  uint16_t *end = list;
  bool fetched = false;
  for (uint32_t i = 0; i < count; i++) {
    ends[i] = end = take_page(p, chunk + pages[i], chunk, end);
    if (fetched || end - list < (ptrdiff_t)TD_AHEAD) continue;
    fetch_first(start, list);
    fetched = true;
  }
  const uint16_t last = end == list ? 0 : end[-1];
  for (uint32_t i = 0; i < TD_AHEAD; i++)
    end[i] = last;
  if (!fetched) fetch_first(start, list);
  return end;
}

/* Scans the deferred objects of a stretch, which is given by its first page. Returns how many. Adds
 * the number of flagged pages. */
static __attribute__((noinline)) uint32_t scan_chunk(struct heap_pass *p, size_t chunk,
                                                     uint64_t *flagged) {
  uint8_t pages[TD_CHUNK_PAGES];
  const uint16_t *ends[TD_CHUNK_PAGES];
  _Static_assert(TD_CHUNK_PAGES <= 256, "a page of a chunk fits a byte");
  _Static_assert(TD_CHUNK_BLOCKS * TD_BLOCK_GRANULES <= 65536, "a granule of a chunk fits two");
  uint16_t *const list = p->marker->chunk_objects;
  uint32_t taken = take_flags(p->marker->set, chunk, pages);
  if (taken == 0) return 0;
  const uint16_t *end = list_objects(p, chunk, pages, taken, list, ends);
  *flagged += taken;
  struct page_objects t = {.start = chunk_start(p, chunk), .at = list};
  for (uint32_t i = 0; i < taken; i++) {
    t.count = (uint32_t)(ends[i] - t.at);
    scan_page(p, &t);
    t.at = ends[i];
  }
  return (uint32_t)(end - list);
}

/* ---- Passes over the heap ---- */

/* Returns which stretch a marker scans as number `i` of its pass. Few markers share a counter,
 * which spreads them over the heap. Many would wait for it: each begins at a place of its own. */
TD_INLINE uint64_t chunk_number(struct td_marker *marker, uint32_t chunks, uint32_t i) {
  struct td_markers *set = marker->set;
  if (td_are_many(set)) return (uint64_t)marker->id * chunks / td_enough(set) + i;
  /* relaxed: see above. */
  return atomic_fetch_add_explicit(&set->chunk_next, 1, memory_order_relaxed);
}

/* Prefetches the flags of a stretch, which others have set. Behind the last one there are none, but
 * a prefetch does no harm. */
TD_INLINE void fetch_flags(const struct heap_pass *p, size_t page) {
  __builtin_prefetch((const void *)&p->flags[td_deferred_at_shared(page)], 1);
}

/* Few markers take as many stretches as the heap has, wherever they are; of one, these are all of
 * them. Among many, pages would be taken and flagged again all the time, for an object or two. So
 * each has stretches of its own, and goes on to others only while it finds next to nothing. */
TD_INLINE uint32_t own_chunks(const struct td_markers *set, uint32_t chunks) {
  return td_are_many(set) ? (chunks + td_enough(set) - 1) / td_enough(set) : chunks;
}

/* Adds the number of objects scanned. Returns false if another pass would not pay. */
static bool pass(struct td_marker *marker, uint64_t *total) {
  struct td_markers *set = marker->set;
  struct heap_pass p = {.v = td_view_of(set->space),
                        .space = set->space,
                        .marker = marker,
                        .flags = td_deferred_row(marker),
                        .shared = td_deferred_row_is_shared(set),
                        .many = td_are_many(set),
                        .batch = td_batch_of(marker->batches)};
  uint64_t scanned = 0, flagged = 0;
  /* relaxed: constant during a phase, see td_markers.chunks. */
  uint32_t chunks = atomic_load_explicit(&set->chunks, memory_order_relaxed);
  const uint32_t own = own_chunks(set, chunks);
  uint32_t i = 0;
  for (; i < chunks && (i < own || scanned < (uint64_t)PAYS_CHUNK * i); i++) {
    size_t page = (size_t)(chunk_number(marker, chunks, i) % chunks) * TD_CHUNK_PAGES;
    if (p.shared) fetch_flags(&p, page + FLAGS_AHEAD * TD_CHUNK_PAGES);
    for (unsigned repeat = 0; repeat < REPEATS; repeat++) {
      uint32_t count = scan_chunk(&p, page, &flagged);
      scanned += count;
      if (count == 0) break;
    }
  }
  flush(&p);
  flush(&p);
  marker->stats.objects += p.objects;
  marker->stats.address_order_objects += scanned;
  *total += scanned;
  marker->stats.address_order_turns++;
  return (p.many || scanned >= PAYS * flagged) && scanned >= (uint64_t)PAYS_CHUNK * i;
}

/* This collection tries to do without visits, and took too long: the rest is visited. */
static bool is_given_up(struct td_marker *marker) {
  const struct td_trial *trial = marker->set->regions->trial;
  if (marker->judges) td_regions_judge(marker, marker->stats.objects);
  return trial->tries && trial->better && td_trial_is_on(trial);
}

bool td_mark_in_address_order(struct td_marker *marker) {
  uint64_t since = td_plat_now_ns(), total = 0;
  td_event_at(&marker->events, since, TIDE_TIMELINE_ADDRESS_ORDER_BEGIN, 0, 0);
  TD_PROBE1(address_order__begin, marker->id);
  td_deferred_announce(marker);
  do
    td_recruit(marker);
  while (pass(marker, &total) && !is_given_up(marker));
  uint64_t now = td_plat_now_ns();
  marker->stats.address_order_ns += now - since;
  td_event_at(&marker->events, now, TIDE_TIMELINE_ADDRESS_ORDER_END, 0, total);
  TD_PROBE2(address_order__end, marker->id, total);
  /* relaxed: as in pass. */
  return total >= atomic_load_explicit(&marker->set->chunks, memory_order_relaxed);
}
