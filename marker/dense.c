/* Dense marking: when a queue is full the frontier is dense, and then walking it in address order
 * beats any order that the graph suggests: objects and marks are met in runs, and every access is
 * known long before it is needed.
 *
 * The frontier lives in the mark table: pending bytes, and a flag per block that has some. So a
 * frontier of any size needs no memory of its own, and nothing can overflow. */
#include "marker/scan.h"

#define AHEAD 24u  /* objects prefetched before they are read */
#define DELAY 64u  /* references whose marks are on their way */
#define RING 128u  /* power of two over DELAY */
#define REPEATS 4u /* how often a chunk is walked while it is flagged anew */
#define PAYS 8u    /* objects per flagged block that make another turn worth it */

/* What the walk needs in registers. */
struct walk {
  uintptr_t base;
  uint64_t granules;
  uint8_t *marks;
  struct td_block *blocks;
  struct td_heap *heap;
  uint8_t epoch;
  uint64_t objects, cells;
  uint32_t put, got; /* ring positions */
  uint64_t ring[RING];
};

/* A reference whose mark has arrived: new objects become pending, new leaves are done. */
TD_INLINE void settle(struct walk *w, uint64_t granule) {
  uint8_t *mark = &w->marks[granule];
  if ((td_mark_load(mark) & (TD_PENDING - 1)) == w->epoch) return;
  uint32_t b = td_block_of_granule(granule);
  struct td_block *block = &w->blocks[b];
  td_block_keep(block);
  if (block->kind == TD_KIND_LEAF) {
    td_mark_store(mark, w->epoch);
    w->objects++;
    w->cells += block->cell_granules;
  } else {
    td_mark_store(mark, w->epoch | TD_PENDING);
    td_flag_set(w->heap, b);
  }
}

TD_INLINE void meet(void *context, uintptr_t word) {
  struct walk *w = context;
  uint64_t granule = td_granule_of(w->base, word);
  if (granule >= w->granules) return;
  __builtin_prefetch(&w->marks[granule], 1);
  w->ring[w->put++ % RING] = granule;
  if (w->put - w->got > DELAY) settle(w, w->ring[w->got++ % RING]);
}

static __attribute__((noinline)) void scan_rare(struct td_marker *marker, struct walk *w,
                                                uint64_t granule) {
  struct td_gather gather;
  td_scan_rare(marker, granule, &gather);
  for (uint32_t i = 0; i < gather.count; i++)
    meet(w, td_granule_address(w->base, gather.items[i]));
}

static __attribute__((noinline)) void scan_conservative(struct walk *w, const uintptr_t *slots,
                                                        size_t to) {
  for (size_t i = to; i-- > 0;) {
    uintptr_t object = td_heap_find(w->heap, slots[i]);
    if (object) meet(w, object);
  }
}

TD_INLINE void scan(struct td_marker *marker, struct walk *w, uint64_t granule) {
  uint32_t b = td_block_of_granule(granule);
  const struct td_block *block = &w->blocks[b];
  const uintptr_t *slots = (const uintptr_t *)td_granule_address(w->base, granule);
  size_t from, to;
  w->objects++;
  w->cells += block->cell_granules;
  if (block->kind == TD_KIND_BITMAP) {
    td_scan_map(slots, block->map, meet, w);
  } else if (td_array_slots(w->heap, b, &from, &to)) {
    if (block->kind == TD_KIND_CONSERVATIVE)
      scan_conservative(w, slots, to);
    else
      td_scan_words(slots, from, to, meet, w);
  } else {
    scan_rare(marker, w, granule);
  }
  if (block->cell_granules == 0) w->cells += w->heap->infos[b].large_bytes >> TD_GRANULE_LOG2;
}

/* Takes the pending objects of a block: from here on this marker owes their scanning. */
static uint32_t take_block(struct walk *w, uint32_t b, uint64_t chunk_first, uint32_t *list,
                           uint32_t count) {
  uint64_t first = (uint64_t)b << TD_BLOCK_GRANULES_LOG2;
  for (uint64_t g = first; g < first + TD_BLOCK_GRANULES; g += 8) {
    uint64_t word = td_mark_load_word(&w->marks[g]) & 0x8080808080808080u;
    while (word) {
      uint64_t granule = g + (uint64_t)__builtin_ctzll(word) / 8;
      word &= word - 1;
      td_mark_store(&w->marks[granule], w->epoch);
      list[count++] = (uint32_t)(granule - chunk_first);
    }
  }
  return count;
}

/* One pass over a chunk; objects scanned. */
static uint32_t pass(struct td_marker *marker, struct walk *w, uint32_t first_block,
                     uint64_t *flagged) {
  uint32_t count = 0;
  uint32_t *list = marker->dense_list;
  uint64_t first = (uint64_t)first_block << TD_BLOCK_GRANULES_LOG2;
  for (uint32_t b = first_block; b < first_block + TD_CHUNK_BLOCKS; b++) {
    if (!td_flag_peek(w->heap, b) || !td_flag_take(w->heap, b)) continue;
    ++*flagged;
    count = take_block(w, b, first, list, count);
  }
  for (uint32_t i = 0; i < count; i++) {
    uint64_t ahead = first + list[i + AHEAD < count ? i + AHEAD : count - 1];
    __builtin_prefetch((const void *)td_granule_address(w->base, ahead));
    scan(marker, w, first + list[i]);
  }
  return count;
}

static void begin(struct walk *w, struct td_marker *marker) {
  struct td_heap *heap = marker->set->heap;
  *w = (struct walk){.base = heap->base,
                     .granules = heap->granules,
                     .marks = heap->marks,
                     .blocks = heap->blocks,
                     .heap = heap,
                     .epoch = heap->epoch};
}

static void end(struct walk *w, struct td_marker *marker) {
  while (w->got != w->put)
    settle(w, w->ring[w->got++ % RING]);
  marker->stats.objects += w->objects;
  marker->stats.dense_objects += w->objects;
  marker->stats.bytes += w->cells << TD_GRANULE_LOG2;
}

void td_dense_run(struct td_marker *marker) {
  struct td_markers *set = marker->set;
  uint64_t scanned, flagged;
  do {
    struct walk w;
    begin(&w, marker);
    scanned = flagged = 0;
    marker->stats.dense_turns++;
    if (marker->stats.dense_turns % 2) td_recruit(set);
    for (uint32_t i = 0; i < set->chunks; i++) {
      /* relaxed: only spreads the markers over the heap. */
      uint64_t next = atomic_fetch_add_explicit(&set->dense_next, 1, memory_order_relaxed);
      uint32_t chunk = (uint32_t)(next % set->chunks) * TD_CHUNK_BLOCKS;
      for (unsigned repeat = 0; repeat < REPEATS; repeat++) {
        uint32_t count = pass(marker, &w, chunk, &flagged);
        scanned += count;
        if (count == 0) break;
      }
    }
    end(&w, marker);
  } while (flagged != 0 && scanned >= PAYS * flagged);
}

void td_dense_defer(struct td_marker *marker, uint64_t granule) {
  struct td_heap *heap = marker->set->heap;
  uint8_t *mark = &heap->marks[granule];
  if ((td_mark_load(mark) & (TD_PENDING - 1)) == heap->epoch) return;
  uint32_t b = td_block_of_granule(granule);
  td_block_keep(&heap->blocks[b]);
  td_mark_store(mark, heap->epoch | TD_PENDING);
  td_flag_set(heap, b);
}

uint32_t td_dense_flagged(const struct td_markers *set, uint32_t from) {
  const td_mark_word *words = (const td_mark_word *)(const void *)set->heap->flags;
  uint32_t count = set->chunks; /* a chunk is eight blocks, a word eight flags */
  for (uint32_t i = 0, at = from / 8 % count; i < count; i++, at = at + 1 == count ? 0 : at + 1) {
    /* relaxed: a hint; td_flag_take decides. */
    uint64_t word = __atomic_load_n(&words[at], __ATOMIC_RELAXED);
    if (word) return at * 8 + (uint32_t)__builtin_ctzll(word) / 8;
  }
  return 0;
}
