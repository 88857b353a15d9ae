/* SPDX-License-Identifier: MIT */
#include "marker/region/throw.h"

#include "marker/base/deferred.h"

_Static_assert(sizeof(struct td_chunk) == 512, "a power of two, and chunks lie at multiples of it");

void td_regions_announce(struct td_regions *regions) {
  /* relaxed, both: see td_regions.used. */
  if (!atomic_load_explicit(&regions->used, memory_order_relaxed))
    atomic_store_explicit(&regions->used, 1, memory_order_relaxed);
}

/* There are no chunks left: the references of a full one are deferred, and it can be used again. */
static uint16_t *defer_chunk(struct td_visitor *visitor, struct td_chunk *chunk, uint64_t region) {
  const struct td_view v = td_view_of(visitor->marker->set->space);
  uint64_t start = td_regions_chunk_start(visitor->regions, region, chunk);
  for (uint32_t i = 0; i < TD_CHUNK_REFERENCES; i++)
    td_defer(visitor->marker, td_view_object(&v, start + chunk->at[i]));
  return chunk->at;
}

uint16_t *td_visitor_next_chunk(struct td_visitor *visitor, uint64_t granule) {
  struct td_regions *regions = visitor->regions;
  uint64_t region = granule >> regions->shift;
  uint64_t part = granule >> (regions->shift - regions->parts);
  uint16_t *at = visitor->open[part];
  uint32_t number = td_chunks_get(&regions->pool, &visitor->stock);
  if (!number) {
    if (at) return visitor->open[part] = defer_chunk(visitor, td_open_chunk(at), region);
    const struct td_view v = td_view_of(visitor->marker->set->space);
    td_defer(visitor->marker, td_view_object(&v, granule));
    return NULL;
  }
  if (at) {
    struct td_chunk *full = td_open_chunk(at);
    full->count = TD_CHUNK_REFERENCES;
    td_regions_announce(regions);
    td_region_push(&regions->at[region], full, td_chunks_number(&regions->pool, full));
  }
  struct td_chunk *chunk = &regions->pool.at[number];
  chunk->part = (uint16_t)(part - (region << regions->parts));
  return visitor->open[part] = chunk->at;
}

void td_visitor_throw(struct td_visitor *visitor, uintptr_t object) {
  const struct td_view v = td_view_of(visitor->marker->set->space);
  struct td_throwing t = td_throwing_of(visitor, &v);
  td_throw(&t, object);
}

static void close_chunk(struct td_visitor *visitor, uint32_t part) {
  struct td_regions *regions = visitor->regions;
  uint16_t *at = visitor->open[part];
  if (!at) return;
  struct td_chunk *chunk = td_open_chunk(at);
  uint32_t number = td_chunks_number(&regions->pool, chunk);
  chunk->count = (uint16_t)(at - chunk->at);
  visitor->open[part] = NULL;
  if (chunk->count > 0) {
    td_regions_announce(regions);
    td_region_push(&regions->at[part >> regions->parts], chunk, number);
  } else {
    td_chunks_put(&regions->pool, &visitor->stock, number);
  }
}

/* Markers begin at different places, so that those that close together do not push to the same
 * region. */
void td_visitor_close(struct td_visitor *visitor) {
  const struct td_marker *marker = visitor->marker;
  const uint32_t parts = td_regions_parts(visitor->regions);
  const uint32_t from = (uint32_t)((uint64_t)marker->id * parts / marker->set->limit);
  for (uint32_t i = from; i < parts; i++)
    close_chunk(visitor, i);
  for (uint32_t i = 0; i < from; i++)
    close_chunk(visitor, i);
}
