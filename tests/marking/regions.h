/* SPDX-License-Identifier: MIT */
/* Marking by regions with limits as small as a test likes: a graph of some thousand objects has
 * many regions then, a frontier of a handful is wide, and the pool has a few chunks or one. */
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
static inline void rig_limit_regions(struct rig *r, unsigned shift, size_t chunks, uint32_t wide) {
  rig_regions(r)->limits = (struct td_region_limits){
      .shift_least = shift,
      .regions_pay = 1,
      .pool_least = chunks * sizeof(struct td_chunk),
      .pool_part = REGIONS_PART_NONE,
      .wide = wide,
  };
}

/* ---- Nodes of memory that are made up ---- */

static inline int rig_node_of(unsigned marker) {
  return (int)(marker % 3); /* of four, nobody is on the last */
}

static inline int rig_node_below_two(unsigned marker) {
  return (int)(marker / 2 % 2);
}

/* Blocks lie on the nodes in turn. */
static inline bool rig_nodes_of_two(void **pages, size_t count, int *nodes) {
  for (size_t i = 0; i < count; i++)
    nodes[i] = (int)((uintptr_t)pages[i] >> TD_BLOCK_LOG2) & 1;
  return true;
}

static inline bool rig_nodes_of_four(void **pages, size_t count, int *nodes) {
  for (size_t i = 0; i < count; i++)
    nodes[i] = (int)((uintptr_t)pages[i] >> TD_BLOCK_LOG2) & 3;
  return true;
}

/* 1, 2 or 4 nodes from the next collection on. */
static inline void rig_choose_nodes(struct rig *r, unsigned count) {
  struct td_homes *homes = &rig_regions(r)->homes;
  homes->nodes = (struct td_nodes){.count = count};
  for (unsigned a = 0; a < count; a++)
    for (unsigned b = 0; b < count; b++)
      homes->nodes.distance[a][b] = (uint8_t)(a == b ? 10 : a / 2 == b / 2 ? 16 : 28);
  homes->node_of = count == 2 ? rig_node_below_two : rig_node_of;
  homes->nodes_of = count == 2 ? rig_nodes_of_two : rig_nodes_of_four;
  homes->count = 0; /* asks again */
  if (count == 1) homes->differ = false;
}

/* What the last collection did by regions. */
struct regions_met {
  uint64_t visits, references, objects;
  uint64_t home, away; /* of the visits */
  bool narrow;         /* somebody found that visits do not pay */
  bool exhausted;      /* the whole pool was in use */
  bool deferred;       /* objects were deferred */
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
    met->narrow |= set->marker[i]->visits_at > 0;
    met->visits += r->marker[i].region_visits;
    met->references += r->marker[i].region_references;
    met->objects += r->marker[i].region_objects;
    met->home += r->marker[i].region_home_visits;
    met->away += r->marker[i].region_away_visits;
  }
  if (met->home + met->away > met->visits) rig_complain(r, what, "more visits than there were");
  if (regions->homes.nodes.count == 1 && met->home + met->away > 0)
    rig_complain(r, what, "visits away from the only node");
  if (out) rig_complain(r, what, "chunks are missing");
  if (met->objects > r->marked) rig_complain(r, what, "visits have counted an object twice");
}

#endif
