/* SPDX-License-Identifier: MIT */
/* How many lines of marks, block entries and objects marking loads that it has not asked for, for
 * each thousand objects; recorded by loops that are compiled with the compiler's instrumentation:
 * recorder.h. No more than the bounds below, which were recorded when this was written. The counts
 * come from one marker and are the same on every machine; they differ a little between compilers.
 *
 *   asked [--all]      prints all figures, not only those out of bounds */
#include "tests/asked/recorder.h"
#include "tests/marking/built.h"
#include "tests/marking/regions.h"

/* Per thousand objects. Regions are small where there are any, so that these small heaps are marked
 * as large ones are. */
static const struct bound {
  const char *graph;
  bool by_regions;
  uint64_t most[RECORDED_KINDS];
} bounds[] = {
    {"tree:depth=16", false, {2, 4, 2}},
    {"tree:depth=16,order=shuffled", false, {6, 4, 7}},
    {"tree:depth=16,order=shuffled", true, {4, 5, 4}},
    {"random:objects=100K,degree=4,roots=64", false, {99, 10, 69}},
    {"random:objects=100K,degree=4,roots=64", true, {4, 5, 4}},
    {"clustered:objects=100K,degree=2,roots=64,local=93", false, {14, 5, 29}},
    {"clustered:objects=100K,degree=2,roots=64,local=93", true, {2, 4, 6}},
    {"powerlaw:objects=100K,degree=4,roots=64", true, {4, 6, 4}},
    {"map:entries=40K", false, {601, 6, 21}},
    {"map:entries=40K", true, {16, 4, 5}},
    {"list:length=100K", false, {2, 4, 2}},
    {"lists:count=500,length=200", false, {2, 4, 4}},
    {"wide:leaves=100K", false, {5, 4, 5}},
    {"comb:teeth=1K,length=100", false, {10, 4, 15}},
    {"ast:files=40,nodes=1K", false, {86, 4, 16}},
    {"ast:files=40,nodes=1K", true, {9, 4, 5}},
    {"file:" TD_SOURCE_GRAPHS "/service.thg", false, {109, 59, 130}},
    {"file:" TD_SOURCE_GRAPHS "/service.thg", true, {29, 14, 34}},
    {"file:" TD_SOURCE_GRAPHS "/ast.thg", false, {14, 20, 14}},
};
#define BOUNDS (sizeof bounds / sizeof *bounds)

static const char *const kinds[RECORDED_KINDS] = {"marks", "entries", "objects"};

static struct rig r; /* large */

static void record(struct recorded *found) {
  const struct td_space *space = &r.heap->space;
  const struct recorder_range ranges[] = {
      {RECORDED_MARKS, (uintptr_t)space->marks, space->granules},
      {RECORDED_ENTRIES, (uintptr_t)space->blocks, space->block_count * sizeof *space->blocks},
      {RECORDED_ENTRIES, (uintptr_t)space->infos, space->block_count * sizeof *space->infos},
      {RECORDED_OBJECTS, space->base, space->reserved_bytes},
  };
  recorder_begin(ranges, sizeof ranges / sizeof *ranges);
  enum tide_status status = tide_collect(r.m);
  recorder_end(found);
  CHECK(status == TIDE_OK);
}

/* Returns whether the figures are within the bound. */
static bool judge(const struct bound *bound, const struct recorded *found, bool all) {
  const char *name = strrchr(bound->graph, '/');
  bool good = true;
  for (int k = 0; k < RECORDED_KINDS; k++) {
    uint64_t unasked = (found[k].unasked * 1000 + r.marked - 1) / r.marked;
    bool within = unasked <= bound->most[k];
    good &= within;
    if (all || !within)
      printf("%s%-52s %-7s %-7s unasked %4" PRIu64 " (most %4" PRIu64 "), next %4" PRIu64
             ", asked %4" PRIu64 ", late %4" PRIu64 "\n",
             within ? "" : "BAD ", name ? name + 1 : bound->graph,
             bound->by_regions ? "regions" : "", kinds[k], unasked, bound->most[k],
             found[k].next * 1000 / r.marked, found[k].asked * 1000 / r.marked,
             found[k].late * 1000 / r.marked);
  }
  return good;
}

/* If there are no regions for a graph like this, or if there are and it stays with them. */
static void limit(bool by_regions) {
  rig_limit_regions(&r, REGIONS_SHIFT_LEAST + 1, 4096);
  r.heap->markers->marking = by_regions ? TD_MARKING_PLACE : TD_MARKING_CHOSEN;
  if (!by_regions) rig_regions(&r)->limits.cached = UINT64_MAX;
}

static bool run(const struct bound *bound, bool all) {
  SCOPED_SPEC spec = rig_spec(bound->graph);
  struct recorded found[RECORDED_KINDS];
  struct regions_met met;
  rig_open(&r, (size_t)512 << 20, 0, 0);
  limit(bound->by_regions);
  struct td_graph_tide *graph = rig_build(&r, &spec, false);
  rig_collect(&r, bound->graph);
  rig_check_regions(&r, bound->graph, &met);
  CHECK((met.objects > r.marked / 4) == bound->by_regions);
  record(found);
  td_graph_tide_free(graph);
  rig_close(&r);
  return judge(bound, found, all);
}

int main(int count, char **arguments) {
  bool good = true, all = count == 2 && strcmp(arguments[1], "--all") == 0;
  if (count > 1 && !all) {
    fprintf(stderr, "usage: asked [--all]\n");
    return 2;
  }
  for (size_t i = 0; i < BOUNDS; i++)
    good &= run(&bounds[i], all);
  return good ? 0 : 1;
}
