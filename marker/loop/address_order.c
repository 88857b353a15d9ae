/* Dense marking: when a queue is full the frontier is dense, and then walking it in address order
 * beats any order that the graph suggests: objects and marks are met in runs, and every access is
 * known long before it is needed. All objects of a page have one layout, so that what has to be
 * decided is decided once a page, and the loops that are left decide nothing. */
#include "marker/loop/address_order.h"

#include "marker/base/deferred.h"
#include "marker/base/idle.h"
#include "marker/loop/batch.h"
#include "marker/loop/rare.h"
#include "marker/loop/scan.h"
#include "platform/probes.h"

#define REPEATS 4u     /* how often a chunk is walked while it is flagged anew */
#define PAYS 8u        /* objects per flagged page that make another turn worth it, */
#define PAYS_CHUNK 16u /* and per chunk: flags are looked for in all of them */
#define MASK 64u       /* granules that a mask speaks for */

struct walk {
  struct td_view v;
  struct td_space *space;
  _Atomic(uint8_t) *flags; /* this marker's row */
  bool shared;             /* other markers store there, too */
  uint64_t objects;
  struct td_batch batch;
};

/* Pending objects of one page, taken: granules, from `start`. Behind the last are those of the
 * next page, and TD_AHEAD more that may be prefetched. */
struct taken {
  uintptr_t start;
  const uint16_t *at;
  uint32_t count;
  uint32_t second; /* distance to another line of an object worth fetching; 0: there is none */
};

/* The waiting references, whose marks have arrived: new objects become pending and their pages
 * flagged, new leaves are done. Out of line: the loops that scan keep their registers. */
static __attribute__((noinline)) void settle(struct walk *w) {
  const struct td_view v = w->v;
  const uintptr_t *kept = w->batch.other;
  _Atomic(uint8_t) *flags = w->flags;
  const bool shared = w->shared;
  uint64_t objects = 0;
  uint32_t count = td_batch_sift(&v, w->batch.other, w->batch.waiting);
  for (uint32_t i = 0; i < count; i++) {
    uintptr_t object = kept[i];
    if (td_view_is_marked(&v, object)) continue; /* there twice */
    objects++;
    if (td_view_block(&v, object)->kind == TD_KIND_LEAF) {
      td_mark_store(td_view_mark(&v, object), v.epoch);
    } else {
      td_mark_store(td_view_mark(&v, object), v.epoch | TD_DEFERRED);
      td_deferred_store(&flags[td_view_page(&v, object)], shared);
    }
  }
  w->objects += objects;
  td_batch_turn(&w->batch, &w->v);
}

TD_INLINE void settle_if_full(struct walk *w) {
  if (__builtin_expect(td_batch_is_full(&w->batch), 0)) settle(w);
}

/* ---- Scanning ---- */

/* The next object to scan; the one TD_AHEAD of it is fetched. */
TD_INLINE uintptr_t object_of(const struct taken *t, uint32_t i) {
  uintptr_t later = t->start + ((uintptr_t)t->at[i + TD_AHEAD] << TD_GRANULE_LOG2);
  __builtin_prefetch((const void *)later);
  __builtin_prefetch((const void *)(later + t->second));
  return t->start + ((uintptr_t)t->at[i] << TD_GRANULE_LOG2);
}

/* Of each object the slots of the map, first slot first: order does not matter here. */
static void scan_bitmaps(struct walk *w, const struct taken *t, uint64_t map) {
  uint8_t slot[64];
  uint32_t slots = 0;
  for (; map; map &= map - 1)
    slot[slots++] = (uint8_t)__builtin_ctzll(map);
  const struct td_view v = w->v;
  struct td_batch batch = w->batch;
  for (uint32_t i = 0; i < t->count; i++) {
    const uintptr_t *words = (const uintptr_t *)object_of(t, i);
    for (uint32_t k = 0; k < slots; k++)
      td_batch_add(&batch, &v, words[slot[k]]);
    if (__builtin_expect(!td_batch_is_full(&batch), 1)) continue;
    w->batch = batch;
    settle(w);
    batch = w->batch;
  }
  w->batch = batch;
}

TD_INLINE void meet(void *context, uintptr_t word) {
  struct walk *w = context;
  td_batch_add(&w->batch, &w->v, word);
  settle_if_full(w);
}

static void scan_array(struct walk *w, uintptr_t object) {
  const uintptr_t *slots = (const uintptr_t *)object;
  size_t from = 0, to = 0;
  uint32_t b = td_view_number(&w->v, object);
  td_array_slots(w->space, b, &from, &to);
  if (w->space->blocks[b].kind == TD_KIND_CONSERVATIVE) {
    td_scan_conservative(w->space, slots, from, to, meet, w);
    return;
  }
  const struct td_view v = w->v;
  while (from < to) {
    struct td_batch batch = w->batch;
    size_t stop = to - from < TD_BATCH_STEP ? to : from + TD_BATCH_STEP;
    for (; from < stop; from++)
      td_batch_add(&batch, &v, slots[from]);
    w->batch = batch;
    settle_if_full(w);
  }
}

static void scan_rare(struct td_marker *marker, struct walk *w, uintptr_t object) {
  struct td_trace_buffer gather;
  td_scan_rare(marker, object, &gather);
  for (uint32_t i = 0; i < gather.count; i++)
    meet(w, gather.items[i]);
}

static void scan_page(struct td_marker *marker, struct walk *w, struct taken *t) {
  if (t->count == 0) return; /* scanned by whoever made them pending, or twice flagged */
  uintptr_t first = t->start + ((uintptr_t)t->at[0] << TD_GRANULE_LOG2);
  const struct td_block *block = td_view_block(&w->v, first);
  uint32_t bytes = block->cell_granules << TD_GRANULE_LOG2; /* 0: large */
  t->second = bytes - 1u < TD_CACHE_LINE ? bytes - 1 : TD_CACHE_LINE;
  if (block->kind == TD_KIND_BITMAP) {
    scan_bitmaps(w, t, block->map);
    return;
  }
  bool array = td_kind_is_array(block->kind);
  for (uint32_t i = 0; i < t->count; i++)
    if (array)
      scan_array(w, object_of(t, i));
    else
      scan_rare(marker, w, object_of(t, i));
}

/* ---- Taking ---- */

/* Which of MASK granules are pending; bit 8 * i + j stands for granule i + 8 * j, because byte i of
 * word j is met there: cheaper than the right order, which nobody needs. */
TD_INLINE uint64_t pending_mask(const uint8_t *marks) {
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

/* Takes the pending objects of a page: from here on this marker owes their scanning. */
TD_INLINE uint16_t *take_page(struct walk *w, size_t page, size_t chunk, uint16_t *end) {
  uint8_t *marks = w->space->marks + (uint64_t)page * TD_PAGE_GRANULES;
  const uint32_t first = (uint32_t)((page - chunk) * TD_PAGE_GRANULES);
  const uint8_t epoch = w->v.epoch;
  for (uint32_t g = 0; g < TD_PAGE_GRANULES; g += MASK)
    for (uint64_t mask = pending_mask(marks + g); mask; mask &= mask - 1) {
      uint32_t granule = g + granule_of_bit[__builtin_ctzll(mask)];
      td_mark_store(&marks[granule], epoch);
      *end++ = (uint16_t)(first + granule);
    }
  return end;
}

/* The flagged pages of a chunk, unflagged from here on, their marks on the way. */
static uint32_t take_flags(struct td_markers *set, size_t chunk, uint8_t *pages) {
  uint32_t count = 0;
  for (size_t page = 0; page < TD_CHUNK_PAGES; page += 8) {
    for (uint64_t word = td_deferred_eight(set, chunk + page); word; word &= word - 1) {
      size_t one = page + (unsigned)__builtin_ctzll(word) / 8;
      if (!td_deferred_take(set, chunk + one)) continue;
      const uint8_t *marks = set->space->marks + (chunk + one) * TD_PAGE_GRANULES;
      for (size_t line = 0; line < TD_PAGE_GRANULES; line += TD_CACHE_LINE)
        __builtin_prefetch(marks + line, 1);
      pages[count++] = (uint8_t)one;
    }
  }
  return count;
}

/* One pass over a chunk, given by its first page; objects scanned. */
static uint32_t pass(struct td_marker *marker, struct walk *w, size_t chunk, uint64_t *flagged) {
  uint8_t pages[TD_CHUNK_PAGES];
  const uint16_t *ends[TD_CHUNK_PAGES];
  _Static_assert(TD_CHUNK_PAGES <= 256, "a page of a chunk is a byte");
  _Static_assert(TD_CHUNK_BLOCKS * TD_BLOCK_GRANULES <= 65536, "a granule of a chunk is two");
  uint16_t *const list = marker->chunk_objects, *end = list;
  uint32_t taken = take_flags(marker->set, chunk, pages);
  for (uint32_t i = 0; i < taken; i++)
    ends[i] = end = take_page(w, chunk + pages[i], chunk, end);
  *flagged += taken;
  uint16_t last = end == list ? 0 : end[-1];
  for (uint32_t i = 0; i < TD_AHEAD; i++)
    end[i] = last;
  struct taken t = {.start = w->v.base + chunk * TD_PAGE_BYTES, .at = list};
  for (uint32_t i = 0; i < taken; i++) {
    t.count = (uint32_t)(ends[i] - t.at);
    scan_page(marker, w, &t);
    t.at = ends[i];
  }
  return (uint32_t)(end - list);
}

/* ---- Turns ---- */

/* Each marker takes as many chunks as the heap has: one turn of the cursor if it is alone. Tells
 * how many objects it scanned; false: another turn would not pay. */
static bool turn(struct td_marker *marker, uint64_t *total) {
  struct td_markers *set = marker->set;
  struct walk w = {.v = td_view_of(set->space),
                   .space = set->space,
                   .flags = td_deferred_row(marker),
                   .shared = td_deferred_rows_are_shared(set),
                   .batch = td_batch_of(marker->batches)};
  uint64_t scanned = 0, flagged = 0;
  /* relaxed: constant during a run, see td_markers.chunks. */
  uint32_t chunks = atomic_load_explicit(&set->chunks, memory_order_relaxed);
  for (uint32_t i = 0; i < chunks; i++) {
    /* relaxed: only spreads the markers over the heap. */
    uint64_t next = atomic_fetch_add_explicit(&set->chunk_next, 1, memory_order_relaxed);
    size_t page = (size_t)(next % chunks) * TD_CHUNK_PAGES;
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
  return scanned >= PAYS * flagged && scanned >= PAYS_CHUNK * chunks;
}

bool td_mark_in_address_order(struct td_marker *marker) {
  uint64_t since = td_plat_now_ns(), total = 0;
  td_event_at(&marker->events, since, TIDE_TRACE_DENSE_BEGIN, 0, 0);
  TD_PROBE1(dense__begin, marker->id);
  td_deferred_announce(marker->set);
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
