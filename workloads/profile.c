/* SPDX-License-Identifier: MIT */
/* Profiling a recorded graph: one breadth-first search, one depth-first search. */
#include "workloads/profile.h"

#include <stdlib.h>
#include <string.h>

#include "workloads/sink_record.h"

struct profiler {
  const struct td_thg *graph;
  struct td_graph_profile *profile;
  uint64_t *seen;     /* a bit for each object */
  uint32_t *order;    /* reached objects, breadth first */
  uint32_t *in;       /* references to each object, from reached ones */
  uint64_t *address;  /* of each object, laid side by side */
  uint32_t *level_at; /* order[level_at[l]] is the first object of level l */
  uint64_t level_capacity;
};

static bool see(struct profiler *profiler, uint32_t object) {
  uint64_t bit = UINT64_C(1) << (object % 64), *word = &profiler->seen[object / 64];
  bool first = (*word & bit) == 0;
  *word |= bit;
  return first;
}

static unsigned bucket_of(uint64_t degree) {
  return degree == 0 ? 0 : 64u - (unsigned)__builtin_clzll(degree);
}

/* ---- Breadth first --------------------------------------------------------------------- */

static bool add_level(struct profiler *profiler, uint32_t start) {
  struct td_graph_profile *profile = profiler->profile;
  if (profile->levels == profiler->level_capacity) {
    uint64_t larger = profiler->level_capacity * 2 + 64;
    uint32_t *grown = realloc(profiler->level_at, larger * sizeof *grown);
    if (grown == NULL) return false;
    profiler->level_at = grown;
    profiler->level_capacity = larger;
  }
  profiler->level_at[profile->levels++] = start;
  return true;
}

/* Counts one object and appends those that it reaches first to the order. */
static void visit(struct profiler *profiler, uint32_t object) {
  const struct td_thg *graph = profiler->graph;
  struct td_graph_profile *profile = profiler->profile;
  uint64_t first = graph->first_ref[object], end = graph->first_ref[object + 1], out = 0;
  for (uint64_t r = first; r < end; r++) {
    uint32_t target = graph->refs[r];
    if (target == TD_THG_NULL) continue;
    uint64_t from = profiler->address[object], to = profiler->address[target];
    profile->near_edges += (from < to ? to - from : from - to) < TD_PROFILE_NEAR_BYTES;
    profiler->in[target] += profiler->in[target] != UINT32_MAX;
    out++;
    if (see(profiler, target)) profiler->order[profile->objects++] = target;
  }
  profile->edges += out;
  profile->null_slots += end - first - out;
  profile->leaves += first == end;
  profile->bytes += graph->size[object];
  if (graph->size[object] > profile->bytes_max) profile->bytes_max = graph->size[object];
  profile->out_degree[bucket_of(out)]++;
  if (out > profile->out_degree_max) profile->out_degree_max = out;
}

static bool search_breadth_first(struct profiler *profiler) {
  const struct td_thg *graph = profiler->graph;
  struct td_graph_profile *profile = profiler->profile;
  for (uint32_t r = 0; r < graph->root_count; r++)
    if (see(profiler, graph->roots[r])) profiler->order[profile->objects++] = graph->roots[r];
  uint64_t visited = 0;
  while (visited < profile->objects) {
    uint64_t end = profile->objects, width = end - visited;
    if (!add_level(profiler, (uint32_t)visited)) return false;
    if (width > profile->level_max) profile->level_max = width;
    if (width < TD_PROFILE_NARROW) {
      profile->levels_narrow++;
      profile->objects_narrow += width;
    }
    while (visited < end)
      visit(profiler, profiler->order[visited++]);
  }
  return add_level(profiler, (uint32_t)visited); /* the end, not a level: taken off below */
}

static void count_in_degrees(struct profiler *profiler) {
  struct td_graph_profile *profile = profiler->profile;
  for (uint64_t i = 0; i < profile->objects; i++) {
    uint32_t in = profiler->in[profiler->order[i]];
    profile->in_degree[bucket_of(in)]++;
    if (in > profile->in_degree_max) profile->in_degree_max = in;
  }
}

static void sample_frontier(struct profiler *profiler) {
  struct td_graph_profile *profile = profiler->profile;
  uint64_t levels = --profile->levels;
  profile->points = (unsigned)(levels < TD_PROFILE_POINTS ? levels : TD_PROFILE_POINTS);
  for (unsigned i = 0; i < profile->points; i++) {
    uint64_t first = i * levels / profile->points, end = (i + 1) * levels / profile->points;
    uint64_t objects = profiler->level_at[end] - (uint64_t)profiler->level_at[first];
    profile->frontier[i] = (double)objects / (double)(end - first);
  }
}

/* ---- Depth first ----------------------------------------------------------------------- */

/* The marker imitated here marks an object, then pushes it; of an object's references the first
 * is followed first.  An object is pushed once, so `order` is large enough for its stack. */
static void search_depth_first(struct profiler *profiler) {
  const struct td_thg *graph = profiler->graph;
  uint32_t *stack = profiler->order;
  uint64_t used = 0, most = 0;
  memset(profiler->seen, 0, ((uint64_t)graph->object_count / 64 + 1) * sizeof *profiler->seen);
  for (uint32_t root = 0; root < graph->root_count; root++) {
    if (see(profiler, graph->roots[root])) stack[used++] = graph->roots[root];
    while (used != 0) {
      most = used > most ? used : most;
      uint32_t object = stack[--used];
      for (uint64_t r = graph->first_ref[object + 1]; r-- > graph->first_ref[object];)
        if (graph->refs[r] != TD_THG_NULL && see(profiler, graph->refs[r]))
          stack[used++] = graph->refs[r];
    }
  }
  profiler->profile->stack_max = most;
}

/* ---- The whole ------------------------------------------------------------------------- */

static bool allocate(struct profiler *profiler) {
  uint64_t objects = (uint64_t)profiler->graph->object_count + 1;
  profiler->seen = calloc(objects / 64 + 1, sizeof *profiler->seen);
  profiler->order = malloc(objects * sizeof *profiler->order);
  profiler->in = calloc(objects, sizeof *profiler->in);
  profiler->address = malloc(objects * sizeof *profiler->address);
  return profiler->seen != NULL && profiler->order != NULL && profiler->in != NULL &&
         profiler->address != NULL;
}

static void lay_out(struct profiler *profiler) {
  uint64_t at = 0;
  for (uint32_t i = 0; i < profiler->graph->object_count; i++) {
    profiler->address[i] = at;
    at += (profiler->graph->size[i] + 15) & ~UINT64_C(15);
  }
}

bool td_graph_profile_thg(const struct td_thg *graph, const char *name,
                          struct td_graph_profile *profile, struct td_graph_error *error) {
  *profile =
      (struct td_graph_profile){.allocated = graph->object_count, .roots = graph->root_count};
  struct profiler profiler = {.graph = graph, .profile = profile};
  bool done = allocate(&profiler);
  if (done) {
    lay_out(&profiler);
    done = search_breadth_first(&profiler);
  }
  if (done) {
    count_in_degrees(&profiler);
    sample_frontier(&profiler);
    search_depth_first(&profiler);
  }
  free(profiler.seen);
  free(profiler.order);
  free(profiler.in);
  free(profiler.address);
  free(profiler.level_at);
  return done || td_graph_fail(error, TD_GRAPH_NO_RESOURCES,
                               "graph '%.300s': no memory for its profile", name);
}

bool td_graph_profile(const struct td_graph_spec *spec, struct td_graph_profile *profile,
                      struct td_graph_error *error) {
  struct td_thg graph;
  if (!td_graph_record(spec, &graph, error)) return false;
  bool done = td_graph_profile_thg(&graph, spec->text, profile, error);
  td_thg_free(&graph);
  return done;
}
