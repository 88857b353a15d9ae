/* SPDX-License-Identifier: MIT */
/* Every kind of graph is the one that it was when its definition, written down a second time, was
 * compared with it: which objects are reached, over how many references, and the sum of all. Plans
 * come true. */
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "tests/unit/workloads/recorded.h"

static uint64_t sum_of(const struct td_thg *graph) {
  uint64_t parts[] = {
      XXH64(graph->size, graph->object_count * sizeof *graph->size, 0),
      XXH64(graph->first_ref, (graph->object_count + 1) * sizeof *graph->first_ref, 0),
      XXH64(graph->refs, graph->ref_count * sizeof *graph->refs, 0),
      XXH64(graph->roots, graph->root_count * sizeof *graph->roots, 0)};
  return XXH64(parts, sizeof parts, 0);
}

static const struct {
  const char *text;
  uint64_t objects, edges, sum;
} graphs[] = {
    {"tree:depth=10", 2047, 2046, 0x067cb78e8b95fa1d},
    {"tree:depth=0", 1, 0, 0xabfbd006ac48a398},
    {"tree:depth=10,order=shuffled", 2047, 2046, 0x0b298258aeb027a5},
    {"forest:trees=30,depth=3", 450, 420, 0x3f41ce6de1bd6727},
    {"list:length=1000", 1000, 999, 0x224453c5d90980fe},
    {"list:length=1000,order=shuffled", 1000, 999, 0x30f0ae3d26d679f7},
    {"lists:count=7,length=30", 211, 210, 0x99f1394c93ff0d9f},
    {"comb:teeth=9,length=4", 45, 44, 0xf3cdf4d02ada9e3f},
    {"comb:teeth=9,length=0", 9, 8, 0xdb15178c3fcafa40},
    {"star:arms=50,length=3", 151, 150, 0xa87c9e2efb85c337},
    {"records:length=20,fields=3,values=7", 47, 99, 0x15bcd265d089dd69},
    {"records:length=2,fields=1,values=7", 6, 5, 0xfe0c482ea2e6d542},
    {"wide:leaves=5000", 5001, 5000, 0x81f359ea1621c466},
    {"array:slots=1000,targets=30", 31, 1000, 0x7f1006e991d5d241},
    {"array:slots=10,targets=30", 11, 10, 0xcddbad3c4bef0d82},
    {"map:entries=1000", 3001, 3000, 0x720ce7928c8cc806},
    {"map:entries=1", 4, 3, 0xd4c623ed586e5871},
    {"ast:files=20,nodes=500,names=100", 10102, 12063, 0xd2ba94fc9149e425},
    {"ast:files=1,nodes=1,names=1", 4, 3, 0x1f742438fbc751b0},
    {"ast:files=3,nodes=2,names=1", 9, 8, 0x24dd710bed78570d},
    {"ast:files=3,nodes=3,names=2", 13, 16, 0x54cf4a87e82e39d1},
    {"ast:files=5,nodes=4,names=9", 31, 33, 0x16e2828844632649},
    {"ast:files=1,nodes=61,names=1", 64, 78, 0x20fc483140e60d29},
    {"ast:files=1,nodes=20K", 40002, 44019, 0x0134e33992842970},
    {"forest:trees=1500,depth=1", 4500, 3000, 0x40438bd0c9540e4f},
    {"random:objects=1,degree=1,roots=1", 2, 2, 0xb55c6e2c1ce06a02},
    {"clustered:objects=1,degree=1,roots=1,local=50", 2, 2, 0xb55c6e2c1ce06a02},
    {"powerlaw:objects=1,degree=1,roots=1", 2, 2, 0xb55c6e2c1ce06a02},
    {"list:length=1", 1, 0, 0x6e63691916b7509b},
    {"dag:layers=5,width=30,degree=2", 151, 270, 0xa7a45e5e539773b9},
    {"dag:layers=1,width=1,degree=1", 2, 1, 0x12af38efa2639498},
    {"records:length=3,fields=2,values=20", 12, 11, 0xd0f69847cbe23fd0},
    {"random:objects=3000,degree=4,roots=64", 2939, 11816, 0x7f21f97495968abf},
    {"clustered:objects=3K,degree=3,roots=16,local=93", 2810, 8443, 0x016574b205edaf10},
    {"clustered:objects=3K,degree=2,roots=16,local=0", 2401, 4816, 0xc50af611f47cb9b0},
    {"clustered:objects=3K,degree=2,roots=16,local=100", 2354, 4722, 0x2482a962bfa5a6f8},
    {"clustered:objects=5,degree=200,roots=16,local=50", 6, 1016, 0x5e0fa96754ca0bd4},
    {"powerlaw:objects=3K,degree=4,roots=16", 2504, 10028, 0x50023fa9ca34b052},
    {"dag:layers=6,width=20,degree=3", 121, 320, 0x8c6c590b48c53feb},
};

Test(shapes, are_what_they_were) {
  for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
    SCOPED_GRAPH graph = record(graphs[i].text);
    struct reached reached = reach(&graph);
    cr_expect_eq(reached.objects, graphs[i].objects, "%s: %llu objects", graphs[i].text,
                 (unsigned long long)reached.objects);
    cr_expect_eq(reached.edges, graphs[i].edges, "%s: %llu edges", graphs[i].text,
                 (unsigned long long)reached.edges);
    cr_expect_eq(sum_of(&graph), graphs[i].sum, "%s: sum %#llx", graphs[i].text,
                 (unsigned long long)sum_of(&graph));
  }
}

Test(shapes, plans_come_true) {
  for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
    SCOPED_SPEC spec = parse_spec(graphs[i].text);
    struct td_graph_plan plan;
    td_graph_plan(&spec, &plan);
    SCOPED_GRAPH graph = record(graphs[i].text);
    uint64_t bytes = 0;
    for (uint32_t o = 0; o < graph.object_count; o++)
      bytes += graph.size[o];
    cr_expect(plan.known);
    cr_expect_eq(plan.objects, graph.object_count, "%s", graphs[i].text);
    cr_expect(strcmp(spec.kind->name, "ast") == 0 ? plan.bytes >= bytes : plan.bytes == bytes, "%s",
              graphs[i].text);
    cr_expect(!plan.live_known || plan.live_objects == graphs[i].objects);
    cr_expect(!plan.live_known || plan.live_edges == graphs[i].edges);
  }
}
