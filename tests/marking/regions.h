/* SPDX-License-Identifier: MIT */
/* Marking by regions with limits as small as a test likes: a graph of some thousand objects has
 * many regions then and outgrows the cache, and the pool has a few chunks or one. */
#ifndef TD_TESTS_MARKING_REGIONS_H
#define TD_TESTS_MARKING_REGIONS_H

#include "gc/state/heap.h"
#include "marker/base/state.h"
#include "marker/region/regions.h"
#include "tests/marking/rig.h"

#define REGIONS_SHIFT_LEAST TD_BLOCK_GRANULES_LOG2 /* a block */
#define REGIONS_PART_NONE UINT32_MAX               /* the pool does not grow with the heap */

static inline struct td_regions *rig_regions(struct rig *r) {
  return r->heap->markers->regions;
}

/* `chunks` includes chunk 0, which is never used. */
static inline void rig_limit_regions(struct rig *r, unsigned shift, size_t chunks) {
  rig_regions(r)->limits = (struct td_region_limits){
      .shift_least = shift,
      .cached = 0,
      .pool_least = chunks * sizeof(struct td_chunk),
      .pool_part = REGIONS_PART_NONE,
  };
}

/* What the last collection did by regions. */
struct regions_met {
  uint64_t visits, references, objects;
  bool exhausted; /* the whole pool was in use */
  bool deferred;  /* objects were deferred */
};

/* Nothing may be left of a phase: no chunk in a region or open, none out of the pool, no object
 * that waits to be scanned. An owner tests marks exactly, so visits count an object once. */
static inline void rig_check_regions(struct rig *r, const char *what, struct regions_met *met) {
  struct td_markers *set = r->heap->markers;
  struct td_regions *regions = set->regions;
  uint32_t out = 0;
  *met = (struct regions_met){.exhausted = r->cycle.region_pool_bytes ==
                                           (size_t)regions->pool.limit * sizeof(struct td_chunk),
                              .deferred = atomic_load(&set->flagged)};
  for (uint32_t i = 0; i < regions->count; i++)
    if (td_region_look(&regions->at[i])) rig_complain(r, what, "a region is owned or has chunks");
  for (unsigned i = 0; i < set->limit; i++) {
    struct td_visitor *visitor = set->marker[i]->visitor;
    out += atomic_load(&visitor->stock.balance);
    for (uint32_t k = 0; k < td_regions_parts(regions); k++)
      if (visitor->open[k]) rig_complain(r, what, "a chunk is open");
    for (uint32_t k = 0; k < (1u << regions->shift) / 4096; k++)
      if (visitor->summary[k]) rig_complain(r, what, "an object was not scanned");
    met->visits += r->marker[i].region_visits;
    met->references += r->marker[i].region_references;
    met->objects += r->marker[i].region_objects;
  }
  if (out) rig_complain(r, what, "chunks are missing");
  if (met->objects > r->marked) rig_complain(r, what, "visits have counted an object twice");
}

#endif
