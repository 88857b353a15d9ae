/* SPDX-License-Identifier: MIT */
/* Where the memory of regions lies, on machines with several nodes of memory.
 *
 * A region's *home* is the node on which most of some of its pages lie. The system tells it, from
 * time to time. A marker is *near* a region by the distance from the node on which it executes. So
 * owners prefer regions at home, and thieves of single chunks look there first.
 *
 * A region on a node without markers counts as at home for all. No marker is nearer, and to put off
 * its visit would only mean to come back later, for as much.
 *
 * It is a preference and no more. A weight decides between regions in which about as much waits;
 * one that is far is taken as soon as enough waits there, or nothing waits elsewhere. So no region
 * depends on anybody's being near, and nothing of region.h does.
 *
 * There is nothing to choose, and `differ` is false, if the machine has one node, if it does not
 * tell where memory lies, or if all lies on one node. */
#ifndef TD_MARKER_REGION_HOMES_H
#define TD_MARKER_REGION_HOMES_H

#include "heap/space/space.h"
#include "marker/region/region.h"

#define TD_NO_HOME TD_NODES_MAX /* the sampled pages have no memory yet */

/* The weight of what waits in a region, for a marker of its node and for one of the farthest
 * node. */
#define TD_WEIGHT_HOME 32u
#define TD_WEIGHT_FAR 8u

struct td_homes {
  /* Constant after creation, all three. Tests make up others. */
  struct td_nodes nodes;
  int (*node_of)(unsigned marker); /* called by that marker; negative: not known */
  bool (*nodes_of)(void **pages, size_t count, int *nodes);
  /* Written before a collection by the collecting thread. Active markers read it, and the regions'
   * homes: [term.start]. */
  bool differ; /* not all regions have the same home */
  /* A bit for each node on which a marker has been in this collection. Markers set theirs: relaxed,
   * all accesses, because it is a hint. */
  _Atomic(uint64_t) inhabited;
  /* The collecting thread's: the regions whose homes were asked for last. */
  uint32_t count;
  unsigned shift;
};

/* How near each node is to a marker: its own while it is active. */
struct td_nearness {
  bool asked; /* in this collection */
  bool known;
  uint32_t node;
  uint64_t inhabited;               /* as it was when the weights were computed */
  uint8_t weight[TD_NODES_MAX + 1]; /* by home */
};

/* The regions of a collection. */
struct td_homes_of {
  uint64_t cycle;
  unsigned shift;
  uint32_t count; /* 0 if regions will not be visited */
};

/* Asks the machine for its nodes. */
void td_homes_open(struct td_homes *homes);
/* Before a collection: finds the homes of regions, if they are others than before, and every few
 * collections in any case, because memory moves. */
void td_homes_begin(struct td_homes *homes, const struct td_space *space, struct td_region *at,
                    const struct td_homes_of *of);
/* A marker asks where it is. It may be elsewhere the next time. */
void td_nearness_ask(struct td_nearness *near, struct td_homes *homes, unsigned marker);

/* Returns whether markers have come to further nodes since. */
static inline bool td_nearness_is_old(const struct td_nearness *near,
                                      const struct td_homes *homes) {
  /* relaxed: a hint. */
  return atomic_load_explicit(&homes->inhabited, memory_order_relaxed) != near->inhabited;
}

#endif
