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
  struct td_view v;
  struct td_heap *heap;
  uint64_t objects, cells;
  uint32_t put, got; /* ring positions */
  uintptr_t *ring;
};

/* A reference whose mark has arrived: new objects become pending, new leaves are done. */
TD_INLINE void settle(struct walk *w, uintptr_t object) {
  uint8_t *mark = td_view_mark(&w->v, object);
  if ((td_mark_load(mark) & (TD_PENDING - 1)) == w->v.epoch) return;
  struct td_block *block = td_view_block(&w->v, object);
  td_block_keep(block);
  if (block->kind == TD_KIND_LEAF) {
    td_mark_store(mark, w->v.epoch);
    w->objects++;
    w->cells += block->cell_granules;
  } else {
    td_mark_store(mark, w->v.epoch | TD_PENDING);
    td_flag_set(w->heap, td_view_number(&w->v, object));
  }
}

TD_INLINE void meet(void *context, uintptr_t word) {
  struct walk *w = context;
  if (!td_view_is_reference(&w->v, word)) return;
  __builtin_prefetch(td_view_mark(&w->v, word), 1);
  w->ring[w->put++ % RING] = word;
  if (w->put - w->got > DELAY) settle(w, w->ring[w->got++ % RING]);
}

TD_INLINE void scan_rare(struct td_marker *marker, struct walk *w, uintptr_t object) {
  struct td_gather gather;
  td_scan_rare(marker, object, &gather);
  for (uint32_t i = 0; i < gather.count; i++)
    meet(w, gather.items[i]);
}

TD_INLINE void scan_conservative(struct walk *w, const uintptr_t *slots, size_t to) {
  for (size_t i = to; i-- > 0;) {
    uintptr_t object = td_heap_find(w->heap, slots[i]);
    if (object) meet(w, object);
  }
}

TD_INLINE void scan_array(struct walk *w, uintptr_t object, const struct td_block *block) {
  size_t from = 0, to = 0;
  td_array_slots(w->heap, td_view_number(&w->v, object), &from, &to);
  if (block->kind == TD_KIND_CONSERVATIVE)
    scan_conservative(w, (const uintptr_t *)object, to);
  else
    td_scan_words((const uintptr_t *)object, from, to, meet, w);
}

TD_INLINE void scan(struct td_marker *marker, struct walk *w, uintptr_t object) {
  const struct td_block *block = td_view_block(&w->v, object);
  w->objects++;
  w->cells += block->cell_granules;
  if (__builtin_expect(block->cell_granules == 0, 0))
    w->cells += w->heap->infos[td_view_number(&w->v, object)].large_bytes >> TD_GRANULE_LOG2;
  if (block->kind == TD_KIND_BITMAP)
    td_scan_map((const uintptr_t *)object, block->map, meet, w);
  else if (block->kind == TD_KIND_REFS || block->kind == TD_KIND_PREFIXED ||
           block->kind == TD_KIND_CONSERVATIVE)
    scan_array(w, object, block);
  else
    scan_rare(marker, w, object);
}

/* Takes the pending objects of a block: from here on this marker owes their scanning. */
static uint32_t take_block(struct walk *w, uint32_t b, uint64_t chunk_first, uint32_t *list,
                           uint32_t count) {
  uint64_t first = (uint64_t)b << TD_BLOCK_GRANULES_LOG2;
  for (uint64_t g = first; g < first + TD_BLOCK_GRANULES; g += 8) {
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

/* One pass over a chunk; objects scanned. */
TD_INLINE uint32_t pass(struct td_marker *marker, struct walk *w, uint32_t first_block,
                        uint64_t *flagged) {
  uint32_t count = 0;
  uint32_t *list = marker->dense_list;
  uint64_t first = (uint64_t)first_block << TD_BLOCK_GRANULES_LOG2;
  uintptr_t start = td_view_object(&w->v, first);
  for (uint32_t b = first_block; b < first_block + TD_CHUNK_BLOCKS; b++) {
    if (!td_flag_peek(w->heap, b) || !td_flag_take(w->heap, b)) continue;
    ++*flagged;
    count = take_block(w, b, first, list, count);
  }
  for (uint32_t i = 0; i < count; i++) {
    uint32_t ahead = list[i + AHEAD < count ? i + AHEAD : count - 1];
    __builtin_prefetch((const void *)(start + ((uintptr_t)ahead << TD_GRANULE_LOG2)));
    scan(marker, w, start + ((uintptr_t)list[i] << TD_GRANULE_LOG2));
  }
  return count;
}

TD_INLINE void end(struct walk *w, struct td_marker *marker) {
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
    uintptr_t ring[RING];
    struct walk w = {.v = td_view_of(set->heap), .heap = set->heap, .ring = ring};
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

void td_dense_defer(struct td_marker *marker, uintptr_t object) {
  struct td_heap *heap = marker->set->heap;
  struct td_view v = td_view_of(heap);
  if (td_view_is_marked(&v, object)) return;
  td_block_keep(td_view_block(&v, object));
  td_mark_store(td_view_mark(&v, object), v.epoch | TD_PENDING);
  td_flag_set(heap, td_view_number(&v, object));
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
