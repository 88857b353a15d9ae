/* SPDX-License-Identifier: MIT */
/* What a heap graph looks like to a marker: sizes, degrees, and how wide its frontier is.
 *
 * Only what the roots reach counts.  Distances are those of allocation order: objects laid side
 * by side, each rounded up to 16 bytes, as a dump or a bump allocator has them; a heap that
 * sorts objects by size spreads them further.
 * Memory: about 16 bytes per object beside the graph itself. */
#ifndef TD_WORKLOADS_PROFILE_H
#define TD_WORKLOADS_PROFILE_H

#include "workloads/graph.h"

#define TD_PROFILE_NEAR_BYTES 4096u
#define TD_PROFILE_NARROW 64u  /* a level with fewer objects cannot feed many markers */
#define TD_PROFILE_BUCKETS 34u /* 0: none; i: [2^(i-1), 2^i) */
#define TD_PROFILE_POINTS 128u

struct td_graph_profile {
  uint64_t allocated; /* objects, unreachable ones included */
  uint64_t objects;   /* reachable, as all that follows */
  uint64_t edges;     /* references that are not null */
  uint64_t null_slots;
  uint64_t bytes;
  uint64_t bytes_max;  /* of one object */
  uint64_t roots;      /* as listed, one object may be listed twice */
  uint64_t leaves;     /* objects whose shape has no reference slot in their size */
  uint64_t near_edges; /* addresses less than TD_PROFILE_NEAR_BYTES apart */
  uint64_t out_degree[TD_PROFILE_BUCKETS], out_degree_max; /* non-null references */
  uint64_t in_degree[TD_PROFILE_BUCKETS], in_degree_max;   /* roots not counted */
  uint64_t levels;         /* of a breadth-first search from the roots */
  uint64_t levels_narrow;  /* of these, under TD_PROFILE_NARROW objects */
  uint64_t objects_narrow; /* in those levels */
  uint64_t level_max;      /* objects of the widest level */
  uint64_t stack_max;      /* items on the stack of a plain depth-first marker */
  /* The frontier over time: point i is the mean width of the levels [i, i+1) * levels / points. */
  double frontier[TD_PROFILE_POINTS];
  unsigned points; /* min(levels, TD_PROFILE_POINTS) */
};

/* Profiles the graph of a spec: records it first, or reads its file. */
bool td_graph_profile(const struct td_graph_spec *spec, struct td_graph_profile *profile,
                      struct td_graph_error *error);

/* Profiles a recorded graph.  name stands in for the spec in messages. */
bool td_graph_profile_thg(const struct td_thg *graph, const char *name,
                          struct td_graph_profile *profile, struct td_graph_error *error);

#endif
