/* SPDX-License-Identifier: MIT */
/* A graph that changes all the time: a forest of complete trees whose nodes also refer to their
 * parents, so that it is full of cycles. Subtrees of the same height change places or are replaced
 * by new ones. Every node has one owner, so a program that frees by hand can do the same work. */
#include "bench/gcbench/child/work.h"

#define TREES (UINT32_C(1) << 13) /* all shares together */
#define LEVELS 6u                 /* below the root */

struct node {
  struct node *parent, *child[2];
  uint64_t value;
};

static struct node *build(struct memory *memory, struct node *parent, unsigned levels,
                          uint64_t value) {
  struct node *node = memory_new(memory, MEMORY_NODE, sizeof *node);
  *node = (struct node){.parent = parent, .value = value};
  for (unsigned i = 0; levels > 0 && i < 2; i++)
    memory_write(memory, node, &node->child[i], build(memory, node, levels - 1, 2 * value + i));
  return node;
}

static void destroy(struct memory *memory, struct node *node) {
  if (MEMORY_COLLECTS) return;
  for (unsigned i = 0; node->child[0] && i < 2; i++)
    destroy(memory, node->child[i]);
  memory_free(memory, node);
}

static uint64_t add_up(const struct node *node) {
  return node ? node->value + add_up(node->child[0]) + add_up(node->child[1]) : 0;
}

/* Follows the bits of `path` down from the root, one a level. */
static struct node *descend(struct node *root, unsigned levels, uint64_t path) {
  while (levels-- > 0) {
    root = root->child[path & 1];
    path >>= 1;
  }
  return root;
}

static void hang(struct memory *memory, struct node *parent, unsigned side, struct node *child) {
  memory_write(memory, parent, &parent->child[side], child);
  memory_write(memory, child, &child->parent, parent);
}

static void swap(struct memory *memory, struct node *a, struct node *b, uint64_t path) {
  unsigned level = (unsigned)(path >> 32) % LEVELS;
  a = descend(a, level, path);
  b = descend(b, level, path >> LEVELS);
  unsigned side_a = path >> 24 & 1, side_b = path >> 25 & 1;
  struct node *from_a = a->child[side_a], *from_b = b->child[side_b];
  hang(memory, a, side_a, from_b);
  hang(memory, b, side_b, from_a);
}

/* Small subtrees are replaced more often than large ones. */
static uint64_t replace(struct memory *memory, struct node *root, uint64_t path) {
  unsigned level = LEVELS - 1 - (unsigned)__builtin_ctzll(path >> 32 | UINT64_C(1) << (LEVELS - 1));
  struct node *parent = descend(root, level, path);
  unsigned side = path >> 24 & 1;
  struct node *old = parent->child[side];
  uint64_t before = old->value;
  struct node *fresh = build(memory, parent, LEVELS - 1 - level, path & 0xffff);
  memory_write(memory, parent, &parent->child[side], fresh);
  destroy(memory, old);
  return before;
}

uint64_t gcbench_work_mutate(struct memory *memory, const struct gcbench_share *share) {
  uint32_t count = TREES / share->mutators;
  struct node **roots = memory_new_zeroed(memory, MEMORY_REFS, count * sizeof(struct node *));
  uint64_t state = gcbench_seed(share), sum = 0;
  for (uint32_t i = 0; i < count; i++)
    memory_write(memory, roots, &roots[i], build(memory, NULL, LEVELS, i));
  uint64_t operations = gcbench_part(share, share->operations);
  for (uint64_t i = 0; i < operations; i++) {
    uint32_t a = gcbench_below(&state, count), b = gcbench_below(&state, count);
    uint64_t path = gcbench_random(&state);
    if (a != b) swap(memory, roots[a], roots[b], path);
    sum += replace(memory, roots[b], gcbench_random(&state));
  }
  for (uint32_t i = 0; i < count; i++) {
    memory_poll(memory);
    sum += add_up(roots[i]);
    destroy(memory, roots[i]);
  }
  memory_free(memory, roots);
  return sum;
}
