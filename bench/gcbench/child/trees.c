/* SPDX-License-Identifier: MIT */
/* Short-lived trees of many sizes beside long-lived ones.
 *
 * gcbench is the well-known benchmark of John Ellis, Pete Kovac and Hans Boehm, written anew. Its
 * nodes have two references and two numbers; trees are built from the root down and from the leaves
 * up; one tree and one array of numbers live long. binary-trees is that of the Computer Language
 * Benchmarks Game, which descends from gcbench: its nodes have two references only. */
#include "bench/gcbench/child/work.h"

#define DEPTH_MIN 4u
/* Counting polls above subtrees of such a depth: about every 20 us. */
#define UNPOLLED_DEPTH 11u

/* ---- binary-trees ---------------------------------------------------------------------- */

struct pair {
  struct pair *left, *right;
};

static struct pair *pair_build(struct memory *memory, unsigned depth) {
  struct pair *left = NULL, *right = NULL;
  if (depth > 0) {
    left = pair_build(memory, depth - 1);
    right = pair_build(memory, depth - 1);
  }
  struct pair *pair = memory_new(memory, MEMORY_REFS, sizeof *pair);
  pair->left = left;
  pair->right = right;
  return pair;
}

static uint64_t pair_count(const struct pair *pair) {
  return pair->left ? 1 + pair_count(pair->left) + pair_count(pair->right) : 1;
}

/* The same, with a poll now and then. */
static uint64_t pair_count_polling(struct memory *memory, const struct pair *pair, unsigned depth) {
  memory_poll(memory);
  if (depth <= UNPOLLED_DEPTH) return pair_count(pair);
  return 1 + pair_count_polling(memory, pair->left, depth - 1) +
         pair_count_polling(memory, pair->right, depth - 1);
}

static void pair_free(struct memory *memory, struct pair *pair) {
  if (MEMORY_COLLECTS) return;
  if (pair->left) {
    pair_free(memory, pair->left);
    pair_free(memory, pair->right);
  }
  memory_free(memory, pair);
}

static uint64_t pair_use(struct memory *memory, unsigned depth) {
  struct pair *tree = pair_build(memory, depth);
  uint64_t count = pair_count_polling(memory, tree, depth);
  pair_free(memory, tree);
  return count;
}

uint64_t gcbench_work_binary_trees(struct memory *memory, const struct gcbench_share *share) {
  uint64_t sum = 0;
  struct pair *volatile kept = NULL;
  if (share->number == 0) {
    sum += pair_use(memory, share->depth + 1);
    kept = pair_build(memory, share->depth);
  }
  for (unsigned depth = DEPTH_MIN; depth <= share->depth; depth += 4) {
    uint64_t trees = gcbench_part(share, UINT64_C(1) << (share->depth - depth + DEPTH_MIN));
    for (uint64_t i = 0; i < trees; i++)
      sum += pair_use(memory, depth);
  }
  if (kept) {
    sum += pair_count_polling(memory, kept, share->depth);
    pair_free(memory, kept);
  }
  return sum;
}

/* ---- gcbench --------------------------------------------------------------------------- */

struct node {
  struct node *left, *right;
  uint32_t i, j;
};

#define NUMBERS_PER_NODE                                                                           \
  4u /* about the original's proportion, 500,000 numbers to a tree of 2^17 nodes */

static struct node *node_new(struct memory *memory, struct node *left, struct node *right) {
  struct node *node = memory_new(memory, MEMORY_TREE, sizeof *node);
  node->left = left;
  node->right = right;
  node->i = node->j = 0;
  return node;
}

static struct node *node_build_up(struct memory *memory, unsigned depth) {
  if (depth == 0) return node_new(memory, NULL, NULL);
  struct node *left = node_build_up(memory, depth - 1);
  struct node *right = node_build_up(memory, depth - 1);
  return node_new(memory, left, right);
}

static void node_build_down(struct memory *memory, unsigned depth, struct node *node) {
  if (depth == 0) return;
  memory_write(memory, node, &node->left, node_new(memory, NULL, NULL));
  memory_write(memory, node, &node->right, node_new(memory, NULL, NULL));
  node_build_down(memory, depth - 1, node->left);
  node_build_down(memory, depth - 1, node->right);
}

static uint64_t node_count(const struct node *node) {
  return node ? 1 + node_count(node->left) + node_count(node->right) : 0;
}

/* The same, with a poll now and then. */
static uint64_t node_count_polling(struct memory *memory, const struct node *node, unsigned depth) {
  memory_poll(memory);
  if (depth <= UNPOLLED_DEPTH) return node_count(node);
  return 1 + node_count_polling(memory, node->left, depth - 1) +
         node_count_polling(memory, node->right, depth - 1);
}

static void node_free(struct memory *memory, struct node *node) {
  if (MEMORY_COLLECTS) return;
  if (node->left) {
    node_free(memory, node->left);
    node_free(memory, node->right);
  }
  memory_free(memory, node);
}

static struct node *node_build_root(struct memory *memory, unsigned depth) {
  struct node *node = node_new(memory, NULL, NULL);
  node_build_down(memory, depth, node);
  return node;
}

/* The original only drops its trees. Here two nodes are looked at, so that the sum depends on them.
 */
static uint64_t node_drop(struct memory *memory, struct node *tree) {
  uint64_t seen = tree->left && tree->right ? 2 : 1;
  node_free(memory, tree);
  return seen;
}

uint64_t gcbench_work_gcbench(struct memory *memory, const struct gcbench_share *share) {
  uint64_t sum = 0, stretch = (UINT64_C(4) << (share->depth + 1)) - 1;
  struct node *volatile kept = NULL;
  double *volatile numbers = NULL;
  if (share->number == 0) {
    sum += node_drop(memory, node_build_up(memory, share->depth + 2));
    kept = node_build_root(memory, share->depth);
    size_t count = (size_t)NUMBERS_PER_NODE << share->depth;
    numbers = memory_new(memory, MEMORY_LEAF, count * sizeof *numbers);
    for (size_t i = 0; i < count; i++)
      numbers[i] = 1.0 / (double)(i + 1);
  }
  for (unsigned depth = DEPTH_MIN; depth <= share->depth; depth += 2) {
    uint64_t trees = gcbench_part(share, 2 * stretch / ((UINT64_C(2) << depth) - 1));
    for (uint64_t i = 0; i < trees; i++)
      sum += node_drop(memory, node_build_root(memory, depth));
    for (uint64_t i = 0; i < trees; i++)
      sum += node_drop(memory, node_build_up(memory, depth));
  }
  if (kept) {
    sum += node_count_polling(memory, kept, share->depth) + (numbers[0] > 0 ? 1 : 0);
    node_free(memory, kept);
    if (!MEMORY_COLLECTS) memory_free(memory, numbers);
  }
  return sum;
}
