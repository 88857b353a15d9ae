/* SPDX-License-Identifier: MIT */
/* Chains: one list, many interleaved lists, a comb, a star. */
#include <stdlib.h>

#include "workloads/build.h"
#include "workloads/random.h"

enum { NEXT = 0, VALUE = 1 };
#define NODE_BYTES 16u
#define NODE_BITS UINT64_C(1)
#define COUNT_MAX UINT64_C(4000000000)

static const char *const orders[] = {"index", "shuffled", NULL};

enum { LIST_LENGTH = 0, LIST_ORDER = 1 };
static const struct td_graph_key list_keys[] = {
    [LIST_LENGTH] = {"length", "nodes", 5000000, 1, COUNT_MAX, NULL},
    [LIST_ORDER] = {"order", "which object a node is: in index order, or permuted", 0, 0, 1,
                    orders},
};

enum { LISTS_COUNT = 0, LISTS_LENGTH = 1 };
static const struct td_graph_key lists_keys[] = {
    [LISTS_COUNT] = {"count", "lists", 1000, 1, COUNT_MAX, NULL},
    [LISTS_LENGTH] = {"length", "nodes of each", 5000, 1, COUNT_MAX, NULL},
};

enum { COMB_TEETH = 0, COMB_LENGTH = 1 };
static const struct td_graph_key comb_keys[] = {
    [COMB_TEETH] = {"teeth", "nodes of the spine, each with a tooth", 10000, 1, COUNT_MAX, NULL},
    [COMB_LENGTH] = {"length", "nodes of each tooth", 100, 0, COUNT_MAX, NULL},
};

enum { STAR_ARMS = 0, STAR_LENGTH = 1 };
static const struct td_graph_key star_keys[] = {
    [STAR_ARMS] = {"arms", "arms of the one root array", 5000000, 1, COUNT_MAX, NULL},
    [STAR_LENGTH] = {"length", "nodes of each arm", 1, 1, COUNT_MAX, NULL},
};

static bool alloc_nodes(struct td_graph_builder *builder, uint32_t shape, uint64_t count,
                        uint64_t bytes) {
  for (uint64_t i = 0; i < count; i++)
    if (!td_build_alloc(builder, shape, bytes)) return false;
  return true;
}

/* List nodes, then one array of `slots` references. */
static bool alloc_lists(struct td_graph_builder *builder, uint64_t nodes, uint64_t slots) {
  uint32_t node, array;
  return td_build_bitmap(builder, NODE_BITS, &node) && td_build_prefix(builder, 0, &array) &&
         alloc_nodes(builder, node, nodes, NODE_BYTES) &&
         td_build_alloc(builder, array, slots * sizeof(void *));
}

/* ---- list ------------------------------------------------------------------------------ */

static void plan_list(const struct td_graph_spec *spec, struct td_graph_plan *plan) {
  uint64_t nodes = spec->value[LIST_LENGTH];
  *plan = (struct td_graph_plan){true, nodes, nodes * NODE_BYTES, true, nodes, nodes - 1};
}

static bool build_list(struct td_graph_builder *builder) {
  uint64_t length = builder->spec->value[LIST_LENGTH];
  uint32_t *number = NULL, node;
  if (builder->spec->value[LIST_ORDER] == 1) {
    struct td_random random = td_random_start();
    number = td_random_permutation(&random, length);
    if (number == NULL) return td_build_no_memory(builder);
  }
  bool built =
      td_build_bitmap(builder, NODE_BITS, &node) && alloc_nodes(builder, node, length, NODE_BYTES);
  for (uint64_t i = 0; built && i < length; i++) {
    uint64_t object = number == NULL ? i : number[i];
    td_build_word(builder, object, VALUE, i);
    if (i + 1 < length)
      td_build_link(builder, object, NEXT, number == NULL ? i + 1 : number[i + 1]);
    td_build_step(builder);
  }
  built = built && td_build_root(builder, number == NULL ? 0 : number[0]);
  free(number);
  return built;
}

const struct td_graph_kind td_graph_list = {"list", "one linked list", list_keys,
                                            2,      plan_list,         build_list};

/* ---- lists ----------------------------------------------------------------------------- */

/* Nodes and one root array with a slot for each chain. */
static void plan_chains(uint64_t chains, uint64_t length, struct td_graph_plan *plan) {
  uint64_t nodes = td_plan_multiply(chains, length);
  uint64_t bytes = td_plan_add(td_plan_multiply(nodes, NODE_BYTES), chains * sizeof(void *));
  *plan = (struct td_graph_plan){true, td_plan_add(nodes, 1), bytes,
                                 true, td_plan_add(nodes, 1), nodes};
}

static void plan_lists(const struct td_graph_spec *spec, struct td_graph_plan *plan) {
  plan_chains(spec->value[LISTS_COUNT], spec->value[LISTS_LENGTH], plan);
}

static bool build_lists(struct td_graph_builder *builder) {
  uint64_t count = builder->spec->value[LISTS_COUNT];
  uint64_t nodes = count * builder->spec->value[LISTS_LENGTH], array = nodes;
  if (!alloc_lists(builder, nodes, count)) return false;
  for (uint64_t i = 0; i < nodes; i++) {
    td_build_word(builder, i, VALUE, i);
    if (i + count < nodes) td_build_link(builder, i, NEXT, i + count);
    td_build_step(builder);
  }
  for (uint64_t i = 0; i < count; i++)
    td_build_link(builder, array, i, i);
  return td_build_root(builder, array);
}

const struct td_graph_kind td_graph_lists = {
    "lists",    "linked lists laid out in turn: node i links to i+count; one root array",
    lists_keys, 2,
    plan_lists, build_lists};

/* ---- star ------------------------------------------------------------------------------ */

static void plan_star(const struct td_graph_spec *spec, struct td_graph_plan *plan) {
  plan_chains(spec->value[STAR_ARMS], spec->value[STAR_LENGTH], plan);
}

static bool build_star(struct td_graph_builder *builder) {
  uint64_t arms = builder->spec->value[STAR_ARMS];
  uint64_t length = builder->spec->value[STAR_LENGTH];
  uint64_t array = arms * length;
  if (!alloc_lists(builder, arms * length, arms)) return false;
  for (uint64_t i = 0; i < arms * length; i++) {
    td_build_word(builder, i, VALUE, i);
    if ((i + 1) % length != 0) td_build_link(builder, i, NEXT, i + 1);
    td_build_step(builder);
  }
  for (uint64_t a = 0; a < arms; a++)
    td_build_link(builder, array, a, a * length);
  return td_build_root(builder, array);
}

const struct td_graph_kind td_graph_star = {
    "star",    "one root array of short lists, each laid out in one piece", star_keys, 2, plan_star,
    build_star};

/* ---- comb ------------------------------------------------------------------------------ */

enum { SPINE_NEXT = 0, SPINE_TOOTH = 1, SPINE_WORD = 2 };
#define SPINE_BYTES 24u
#define SPINE_BITS UINT64_C(3)

static void plan_comb(const struct td_graph_spec *spec, struct td_graph_plan *plan) {
  uint64_t teeth = spec->value[COMB_TEETH];
  uint64_t nodes = td_plan_multiply(teeth, spec->value[COMB_LENGTH]);
  uint64_t objects = td_plan_add(nodes, teeth);
  uint64_t bytes = td_plan_add(td_plan_multiply(nodes, NODE_BYTES), teeth * SPINE_BYTES);
  *plan = (struct td_graph_plan){true, objects, bytes, true, objects, objects - 1};
}

/* Spine node t is object t * (length + 1), its tooth the objects after it. */
static bool alloc_comb(struct td_graph_builder *builder, uint64_t teeth, uint64_t length) {
  uint32_t node, spine;
  if (!td_build_bitmap(builder, NODE_BITS, &node) || !td_build_bitmap(builder, SPINE_BITS, &spine))
    return false;
  for (uint64_t t = 0; t < teeth; t++)
    if (!td_build_alloc(builder, spine, SPINE_BYTES) ||
        !alloc_nodes(builder, node, length, NODE_BYTES))
      return false;
  return true;
}

static bool build_comb(struct td_graph_builder *builder) {
  uint64_t teeth = builder->spec->value[COMB_TEETH];
  uint64_t length = builder->spec->value[COMB_LENGTH];
  if (!alloc_comb(builder, teeth, length)) return false;
  for (uint64_t t = 0; t < teeth; t++) {
    uint64_t spine = t * (length + 1);
    td_build_word(builder, spine, SPINE_WORD, t);
    if (t + 1 < teeth) td_build_link(builder, spine, SPINE_NEXT, spine + length + 1);
    if (length != 0) td_build_link(builder, spine, SPINE_TOOTH, spine + 1);
    for (uint64_t i = spine + 1; i < spine + length; i++)
      td_build_link(builder, i, NEXT, i + 1);
    for (uint64_t i = spine; i <= spine + length; i++)
      td_build_step(builder);
  }
  return td_build_root(builder, 0);
}

const struct td_graph_kind td_graph_comb = {
    "comb",    "a list whose every node has a list of its own hanging off it",
    comb_keys, 2,
    plan_comb, build_comb};
