/* SPDX-License-Identifier: MIT */
/* The memory of regions and visitors. Both are as large as the heap's range asks for, and committed
 * as far as the heap reaches; if the system refuses that, a collection has no regions. All but the
 * table of regions, which helpers read that watch for work, is mapped by a heap's first collection:
 * small heaps often go without one. */
#include <stdlib.h>

#include "heap/space/counted.h"
#include "marker/base/state.h"
#include "marker/region/fresh.h"
#include "marker/region/regions.h"

#define SHIFT_MOST (24u - TD_GRANULE_LOG2)
#define REGIONS_MANY 1024u /* with more, larger regions pay: open chunks should stay cached */
#define SHIFT_SMALLEST TD_BLOCK_GRANULES_LOG2

static const struct td_region_limits usual = {
    .shift_least = 21u - TD_GRANULE_LOG2, /* 2 MiB, whose marks take 128 KiB */
    .pool_least = (size_t)4 << 20,
    .pool_part = 32,
};

static size_t regions_of(const struct td_space *space) {
  return (space->granules >> SHIFT_SMALLEST) + 1;
}

/* Reserves as much as the largest heap may use. Without, there are no chunks. */
static void open_pool(struct td_chunks *pool, const struct td_space *space) {
  size_t most = (size_t)space->max_blocks << TD_BLOCK_LOG2;
  if (!td_chunks_open(pool, most / usual.pool_part + usual.pool_least)) return;
  /* One huge page would be a fifth of a heap of ten MiB. */
  if (space->first_huge_slab) td_plat_advise_small(pool->at, usual.pool_least);
}

struct td_regions *td_regions_make(const struct td_space *space) {
  struct td_regions *regions = aligned_alloc(TD_CACHE_LINE, sizeof *regions);
  if (!regions) return NULL;
  *regions = (struct td_regions){.limits = usual, .room = regions_of(space)};
  regions->limits.cached = td_plat_last_cache_bytes() >> TD_GRANULE_LOG2;
  regions->at = td_plat_reserve(regions->room * sizeof *regions->at, 0);
  if (regions->at) return regions;
  free(regions);
  return NULL;
}

void td_regions_free(struct td_regions *regions) {
  if (!regions) return;
  td_plat_release(regions->at, regions->room * sizeof *regions->at);
  td_chunks_close(&regions->pool);
  free(regions);
}

static unsigned choose_shift(const struct td_regions *regions, uint64_t granules) {
  unsigned shift = regions->limits.shift_least;
  while (shift < SHIFT_MOST && granules >> shift > REGIONS_MANY)
    shift++;
  return shift;
}

/* Returns how much memory waiting references may use in this collection. */
static size_t pool_bytes(const struct td_regions *regions, const struct td_space *space) {
  const struct td_region_limits *limits = &regions->limits;
  size_t bytes =
      ((size_t)td_counted_look(&space->used_blocks) << TD_BLOCK_LOG2) / limits->pool_part;
  return bytes > limits->pool_least ? bytes : limits->pool_least;
}

/* Lets the first `bytes` of a reserved table be written. */
static bool reach(void *table, size_t bytes, size_t *reached_bytes) {
  if (!table) return false;
  if (bytes <= *reached_bytes) return true;
  if (!td_plat_commit(table, bytes)) return false;
  *reached_bytes = bytes;
  return true;
}

void td_regions_begin(struct td_regions *regions, const struct td_space *space) {
  uint64_t granules = (uint64_t)space->frontier << TD_BLOCK_GRANULES_LOG2;
  const unsigned shift = choose_shift(regions, granules);
  regions->shift = shift;
  regions->parts = shift > TD_CHUNK_SHIFT ? shift - TD_CHUNK_SHIFT : 0;
  const bool outgrown = granules > regions->limits.cached;
  regions->wide_slots = outgrown ? granules / TD_CACHE_LINE * TD_MANY_A_LINE : UINT64_MAX;
  if (!regions->pool.at) open_pool(&regions->pool, space);
  td_chunks_begin(&regions->pool, pool_bytes(regions, space));
  uint32_t count = (uint32_t)(granules >> shift) + 1;
  if (!reach(regions->at, count * sizeof *regions->at, &regions->reached_bytes)) count = 0;
  /* relaxed, both: td_term_start publishes them: [term.start]. */
  atomic_store_explicit(&regions->count, count, memory_order_relaxed);
  atomic_store_explicit(&regions->used, 0, memory_order_relaxed);
}

#define FRESH_WORDS ((size_t)1 << SHIFT_MOST >> TD_FRESH_WORD)
#define FRESH_BYTES (FRESH_WORDS * sizeof(uint64_t))

struct td_visitor *td_visitor_make(struct td_marker *marker) {
  struct td_visitor *visitor = malloc(sizeof *visitor);
  if (!visitor) return NULL;
  *visitor = (struct td_visitor){.marker = marker, .regions = marker->set->regions};
  visitor->open_bytes = visitor->regions->room * sizeof *visitor->open;
  visitor->summary = calloc(FRESH_WORDS / 64, sizeof *visitor->summary);
  visitor->list = malloc(TD_VISIT_LIST_ROOM * sizeof *visitor->list);
  if (visitor->summary && visitor->list) return visitor;
  td_visitor_free(visitor);
  return NULL;
}

void td_visitor_free(struct td_visitor *visitor) {
  if (!visitor) return;
  td_plat_release(visitor->open, visitor->open_bytes);
  td_plat_unmap(visitor->fresh, FRESH_BYTES);
  free(visitor->summary);
  free(visitor->list);
  free(visitor);
}

void td_visitor_begin(struct td_visitor *visitor) {
  struct td_regions *regions = visitor->regions;
  size_t parts = td_regions_parts(regions);
  if (!visitor->open) visitor->open = td_plat_reserve(visitor->open_bytes, 0);
  if (!visitor->fresh) visitor->fresh = td_plat_map(FRESH_BYTES);
  /* relaxed: td_term_start publishes it: [term.start]. */
  if (!visitor->fresh ||
      !reach(visitor->open, parts * sizeof *visitor->open, &visitor->reached_bytes))
    atomic_store_explicit(&regions->count, 0, memory_order_relaxed);
  visitor->stock = (struct td_stock){.first = 0};
  /* Markers begin at different places. */
  visitor->cursor = visitor->marker->id * td_regions_count(regions) / visitor->marker->set->limit;
}
