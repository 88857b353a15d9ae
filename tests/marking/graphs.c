/* SPDX-License-Identifier: MIT */
/* Every graph of the table, small, on every engine with 1, 2 and 4 markers, the policies in turn,
 * with queues as the engine likes them and with the smallest there are: the marks are those of a
 * serial marking, and the objects those that the graph's definition promises.
 *
 *   graphs [--synthetic]      without the recorded graph */
#include "tests/marking/built.h"

static const char *const specs[] = {
    "tree:depth=11",
    "tree:depth=11,order=shuffled",
    "forest:trees=300,depth=3",
    "random:objects=6K,degree=4,roots=64",
    "clustered:objects=6K,degree=2,roots=64,local=93",
    "powerlaw:objects=6K,degree=4,roots=64",
    "dag:layers=12,width=400",
    "list:length=5K",
    "list:length=5K,order=shuffled",
    "lists:count=50,length=100",
    "comb:teeth=100,length=40",
    "star:arms=3K,length=2",
    "wide:leaves=8K",
    "array:slots=20K",
    "map:entries=2K",
    "ast:files=6,nodes=800",
    "records:length=4K",
    "file:" TD_SOURCE_GRAPHS "/ast.thg",
};
#define SPECS (sizeof specs / sizeof *specs)

static const unsigned markers[] = {1, 2, 4};

static uint64_t collections;

/* A kind of graph without a spec here would go untested. */
static void check_all_kinds(void) {
  const struct td_graph_kind *kind;
  for (size_t k = 0; (kind = td_graph_kind_at(k)); k++) {
    size_t length = strlen(kind->name), i = 0;
    while (i < SPECS && (strncmp(specs[i], kind->name, length) != 0 || specs[i][length] != ':'))
      i++;
    if (i == SPECS) fprintf(stderr, "no spec for graph '%s'\n", kind->name);
    CHECK(i < SPECS);
  }
}

static void on_every_engine(struct rig *r, const struct td_graph_spec *spec) {
  struct td_graph_plan plan;
  td_graph_plan(spec, &plan);
  uint64_t first = 0;
  const char *engine;
  for (size_t e = 0; (engine = tide_engine_name(e)); e++)
    for (size_t i = 0; i < sizeof markers / sizeof *markers; i++) {
      if (markers[i] < RIG_MARKERS_LEAST || !rig_engine_may(engine, markers[i])) continue;
      rig_configure(r, engine, markers[i]);
      if (markers[i] > 2) rig_choose_policy(r, collections);
      uint64_t objects = rig_collect(r, spec->text);
      if (first == 0) first = objects;
      CHECK(objects > 0 && objects == first);
      CHECK(!plan.live_known || objects == plan.live_objects);
      collections++;
    }
}

static void run(const char *text, uint32_t blocks, uint32_t items) {
  static struct rig r;
  SCOPED_SPEC spec = rig_spec(text);
  rig_open(&r, (size_t)256 << 20, blocks, items);
  struct td_graph_tide *graph = rig_build(&r, &spec, false);
  on_every_engine(&r, &spec);
  td_graph_tide_free(graph);
  CHECK(rig_collect(&r, "after the graph") == 0);
  rig_close(&r);
}

int main(int count, char **arguments) {
  bool synthetic = count == 2 && strcmp(arguments[1], "--synthetic") == 0;
  if (count > 1 && !synthetic) {
    fprintf(stderr, "usage: graphs [--synthetic]\n");
    return 2;
  }
  check_all_kinds();
  for (size_t i = 0; i < SPECS; i++) {
    bool is_file = strncmp(specs[i], "file:", 5) == 0;
    if (is_file && synthetic) continue;
    run(specs[i], 0, 0);
    if (!is_file) run(specs[i], 2, 2); /* a file's hundreds of thousands would take too long */
  }
  printf("%" PRIu64 " collections right\n", collections);
  return 0;
}
