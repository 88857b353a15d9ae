/* SPDX-License-Identifier: MIT */
/* Trees: one complete binary tree, and a forest of small ones with a root each. */
#include <stdlib.h>

#include "workloads/build.h"
#include "workloads/random.h"

enum { LEFT = 0, RIGHT = 1, WORD = 2 };
#define NODE_BYTES 24u
#define NODE_BITS UINT64_C(3)

static const char *const orders[] = {"index", "shuffled", NULL};

enum { TREE_DEPTH = 0, TREE_ORDER = 1 };
static const struct td_graph_key tree_keys[] = {
    [TREE_DEPTH] = {"depth", "levels below the root", 22, 0, 30, NULL},
    [TREE_ORDER] = {"order", "which object a node is: in preorder, or permuted", 0, 0, 1, orders},
};

enum { FOREST_TREES = 0, FOREST_DEPTH = 1 };
static const struct td_graph_key forest_keys[] = {
    [FOREST_TREES] = {"trees", "trees, each with a root slot of its own", 10000, 1, 1000000000,
                      NULL},
    [FOREST_DEPTH] = {"depth", "levels below each root", 6, 0, 30, NULL},
};

static uint64_t tree_nodes(uint64_t depth) {
  return (UINT64_C(2) << depth) - 1;
}

/* Links the subtree whose root is node `at`, the last of `height` levels below it being leaves.
 * Nodes are numbered in preorder; node i is object number[i], or i itself without a table. */
static void link_subtree(struct td_graph_builder *builder, const uint32_t *number, uint64_t at,
                         uint64_t height) {
  uint64_t object = number == NULL ? at : number[at];
  td_build_word(builder, object, WORD, at);
  td_build_step(builder);
  if (height == 0) return;
  uint64_t left = at + 1, right = left + tree_nodes(height - 1);
  td_build_link(builder, object, LEFT, number == NULL ? left : number[left]);
  td_build_link(builder, object, RIGHT, number == NULL ? right : number[right]);
  link_subtree(builder, number, left, height - 1);
  link_subtree(builder, number, right, height - 1);
}

static bool alloc_nodes(struct td_graph_builder *builder, uint64_t count) {
  uint32_t node;
  if (!td_build_bitmap(builder, NODE_BITS, &node)) return false;
  for (uint64_t i = 0; i < count; i++)
    if (!td_build_alloc(builder, node, NODE_BYTES)) return false;
  return true;
}

static void plan_tree(const struct td_graph_spec *spec, struct td_graph_plan *plan) {
  uint64_t nodes = tree_nodes(spec->value[TREE_DEPTH]);
  *plan = (struct td_graph_plan){true, nodes, nodes * NODE_BYTES, true, nodes, nodes - 1};
}

static bool build_tree(struct td_graph_builder *builder) {
  uint64_t depth = builder->spec->value[TREE_DEPTH], nodes = tree_nodes(depth);
  uint32_t *number = NULL;
  if (builder->spec->value[TREE_ORDER] == 1) {
    struct td_random random = td_random_start();
    number = td_random_permutation(&random, nodes);
    if (number == NULL) return td_build_no_memory(builder);
  }
  bool built = alloc_nodes(builder, nodes);
  if (built) {
    link_subtree(builder, number, 0, depth);
    built = td_build_root(builder, number == NULL ? 0 : number[0]);
  }
  free(number);
  return built;
}

const struct td_graph_kind td_graph_tree = {
    "tree", "complete binary tree of 2^(depth+1)-1 objects", tree_keys, 2, plan_tree, build_tree};

static void plan_forest(const struct td_graph_spec *spec, struct td_graph_plan *plan) {
  uint64_t trees = spec->value[FOREST_TREES];
  uint64_t nodes = trees * tree_nodes(spec->value[FOREST_DEPTH]);
  *plan = (struct td_graph_plan){true, nodes, td_plan_multiply(nodes, NODE_BYTES),
                                 true, nodes, nodes - trees};
}

static bool build_forest(struct td_graph_builder *builder) {
  uint64_t trees = builder->spec->value[FOREST_TREES];
  uint64_t depth = builder->spec->value[FOREST_DEPTH], nodes = tree_nodes(depth);
  if (!alloc_nodes(builder, trees * nodes)) return false;
  for (uint64_t t = 0; t < trees; t++)
    link_subtree(builder, NULL, t * nodes, depth);
  for (uint64_t t = 0; t < trees; t++)
    if (!td_build_root(builder, t * nodes)) return false;
  return true;
}

const struct td_graph_kind td_graph_forest = {
    "forest",    "small binary trees, each with its own root slot and no root array",
    forest_keys, 2,
    plan_forest, build_forest};
