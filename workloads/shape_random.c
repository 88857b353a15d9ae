/* SPDX-License-Identifier: MIT */
/* Graphs with random edges: uniform, mostly near, mostly to a few objects, and in layers. */
#include "workloads/build.h"
#include "workloads/random.h"

#define OBJECTS_MAX UINT64_C(4000000000)
#define DEGREE_MAX 1000u

#define PERCENT_ALL 100u
#define AROUND 64u /* objects that are near another one, half of them before it */

/* Of random, clustered and powerlaw. */
enum { OBJECTS = 0, DEGREE = 1, ROOTS = 2, LOCAL = 3 };
static const struct td_graph_key random_keys[] = {
    [OBJECTS] = {"objects", "objects, not all of them reachable", 5000000, 1, OBJECTS_MAX, NULL},
    [DEGREE] = {"degree", "references of each, to random objects", 4, 1, DEGREE_MAX, NULL},
    [ROOTS] = {"roots", "random objects in the root array", 1024, 1, OBJECTS_MAX, NULL},
    [LOCAL] = {"local", "percentage of the references that lead to one of the 64 objects around",
               90, 0, PERCENT_ALL, NULL},
};

enum { DAG_LAYERS = 0, DAG_WIDTH = 1, DAG_DEGREE = 2 };
static const struct td_graph_key dag_keys[] = {
    [DAG_LAYERS] = {"layers", "layers", 50, 1, OBJECTS_MAX, NULL},
    [DAG_WIDTH] = {"width", "objects of a layer", 100000, 1, OBJECTS_MAX, NULL},
    [DAG_DEGREE] = {"degree",
                    "references of each into the next layer: one straight, the rest random", 2, 1,
                    DEGREE_MAX, NULL},
};

/* `count` objects of `degree` references, then an array of `roots` references. */
static bool alloc_all(struct td_graph_builder *builder, uint64_t count, uint64_t degree,
                      uint64_t roots) {
  uint32_t refs;
  if (!td_build_prefix(builder, 0, &refs)) return false;
  for (uint64_t i = 0; i < count; i++)
    if (!td_build_alloc(builder, refs, degree * sizeof(void *))) return false;
  return td_build_alloc(builder, refs, roots * sizeof(void *));
}

static uint64_t bytes_of(uint64_t count, uint64_t degree, uint64_t roots) {
  return td_plan_add(td_plan_multiply(count, degree * sizeof(void *)), roots * sizeof(void *));
}

/* ---- random ---------------------------------------------------------------------------- */

/* Returns where a reference of an object leads. */
typedef uint64_t choose_target(struct td_random *random, const struct td_graph_spec *spec,
                               uint64_t object);

static uint64_t anywhere(struct td_random *random, const struct td_graph_spec *spec,
                         uint64_t object) {
  (void)object;
  return td_random_below(random, spec->value[OBJECTS]);
}

/* The numbers of objects are a circle here. */
static uint64_t mostly_near(struct td_random *random, const struct td_graph_spec *spec,
                            uint64_t object) {
  uint64_t objects = spec->value[OBJECTS];
  if (td_random_below(random, PERCENT_ALL) >= spec->value[LOCAL])
    return td_random_below(random, objects);
  uint64_t first = object + objects - AROUND / 2 % objects;
  return (first + td_random_below(random, AROUND)) % objects;
}

/* The cube of an even choice: of object i come about as many references as (objects / i)^(2/3). The
 * cube is at least 3 in 2^32 below 1, so that the product stays below the number of objects. */
static uint64_t mostly_few(struct td_random *random, const struct td_graph_spec *spec,
                           uint64_t object) {
  (void)object;
  double u = (double)td_random_next(random) * 0x1p-32;
  return (uint64_t)((double)spec->value[OBJECTS] * (u * u * u));
}

static void plan_random(const struct td_graph_spec *spec, struct td_graph_plan *plan) {
  uint64_t objects = spec->value[OBJECTS], roots = spec->value[ROOTS];
  *plan = (struct td_graph_plan){.known = true,
                                 .objects = objects + 1,
                                 .bytes = bytes_of(objects, spec->value[DEGREE], roots)};
}

static bool build_choosing(struct td_graph_builder *builder, choose_target *target) {
  const struct td_graph_spec *spec = builder->spec;
  uint64_t objects = spec->value[OBJECTS], degree = spec->value[DEGREE];
  uint64_t roots = spec->value[ROOTS], array = objects;
  if (!alloc_all(builder, objects, degree, roots)) return false;
  struct td_random random = td_random_start();
  for (uint64_t i = 0; i < objects; i++) {
    for (uint64_t k = 0; k < degree; k++)
      td_build_link(builder, i, k, target(&random, spec, i));
    td_build_step(builder);
  }
  for (uint64_t i = 0; i < roots; i++)
    td_build_link(builder, array, i, td_random_below(&random, objects));
  return td_build_root(builder, array);
}

static bool build_random(struct td_graph_builder *builder) {
  return build_choosing(builder, anywhere);
}

static bool build_clustered(struct td_graph_builder *builder) {
  return build_choosing(builder, mostly_near);
}

static bool build_powerlaw(struct td_graph_builder *builder) {
  return build_choosing(builder, mostly_few);
}

const struct td_graph_kind td_graph_random = {
    "random",    "objects with references to uniformly random objects; one root array",
    random_keys, 3,
    plan_random, build_random};

const struct td_graph_kind td_graph_clustered = {
    "clustered", "objects with references mostly into their neighbourhood; one root array",
    random_keys, 4,
    plan_random, build_clustered};

const struct td_graph_kind td_graph_powerlaw = {
    "powerlaw",  "objects with references mostly to the same few; one root array",
    random_keys, 3,
    plan_random, build_powerlaw};

/* ---- dag ------------------------------------------------------------------------------- */

static void plan_dag(const struct td_graph_spec *spec, struct td_graph_plan *plan) {
  uint64_t layers = spec->value[DAG_LAYERS], width = spec->value[DAG_WIDTH];
  uint64_t degree = spec->value[DAG_DEGREE], objects = td_plan_multiply(layers, width);
  uint64_t inner = td_plan_multiply(td_plan_multiply(layers - 1, width), degree);
  *plan = (struct td_graph_plan){true, td_plan_add(objects, 1), bytes_of(objects, degree, width),
                                 true, td_plan_add(objects, 1), td_plan_add(inner, width)};
}

/* The straight references keep every object alive, so the counts have a closed form. */
static bool build_dag(struct td_graph_builder *builder) {
  uint64_t width = builder->spec->value[DAG_WIDTH], degree = builder->spec->value[DAG_DEGREE];
  uint64_t objects = builder->spec->value[DAG_LAYERS] * width, array = objects;
  if (!alloc_all(builder, objects, degree, width)) return false;
  struct td_random random = td_random_start();
  for (uint64_t i = 0; i + width < objects; i++) {
    uint64_t next_layer = i - i % width + width;
    td_build_link(builder, i, 0, i + width);
    for (uint64_t k = 1; k < degree; k++)
      td_build_link(builder, i, k, next_layer + td_random_below(&random, width));
    td_build_step(builder);
  }
  for (uint64_t i = 0; i < width; i++)
    td_build_link(builder, array, i, i);
  return td_build_root(builder, array);
}

const struct td_graph_kind td_graph_dag = {
    "dag",    "layers of objects that refer into the next layer only, with much sharing",
    dag_keys, 3,
    plan_dag, build_dag};
