/* SPDX-License-Identifier: MIT */
/* Chains of the wild driver: one thread has them, and remembers what every word of them holds. */
#include "tests/wild/wild.h"

/* `next` and nothing else is a reference; `fill` are numbers that are none. */
struct node {
  uintptr_t stamp; /* its own address, disguised, and its number in the chain */
  struct node *next;
  size_t words; /* of fill */
  uintptr_t fill[];
};

static uintptr_t stamp_of(const struct node *node, uint32_t seed) {
  return ((uintptr_t)node ^ seed) << 4 | 1;
}

static size_t some_words(struct at *at) {
  uint32_t dice = below(at, 128);
  return dice == 0 ? 4100 + below(at, 40000) : dice < 3 ? 64 + below(at, 4000) : 1 + below(at, 24);
}

static void fill(struct node *node, uint32_t seed, size_t words) {
  node->stamp = stamp_of(node, seed);
  node->words = words;
  for (size_t i = 0; i < words; i++)
    node->fill[i] = (uintptr_t)seed << 8 | 5;
}

static void check_node(const struct node *node, uint32_t seed) {
  bool good = node && node->stamp == stamp_of(node, seed);
  for (size_t i = 0; good && i < node->words; i++)
    good = node->fill[i] == ((uintptr_t)seed << 8 | 5);
  if (good) return;
  fprintf(stderr, "%p is not what it was: stamp %#zx, %zu words\n", (const void *)node,
          node ? node->stamp : 0, node ? node->words : 0);
  abort();
}

static struct node *make(struct at *at, uint32_t seed) {
  size_t words = some_words(at), bytes = sizeof(struct node) + words * sizeof(uintptr_t);
  tide_layout layout = at->place->layout[below(at, CHAIN_SHAPES)];
  struct node *node = below(at, 32) ? tide_alloc(at->m, layout, bytes)
                                    : tide_alloc_aligned(at->m, layout, bytes, 256);
  if (node) fill(node, seed, words);
  return node;
}

/* Hangs a fresh chain at a slot, or what there is memory for. */
void wild_chain(struct at *at) {
  unsigned slot = below(at, CHAINS);
  uint32_t length = 1 + below(at, below(at, 16) ? 8 : 300), seed = random_next(&at->w->seed);
  void **held = &at->mine->chain[slot];
  *held = NULL;
  at->seat->shadow[slot].length = 0;
  at->seat->shadow[slot].seed = seed;
  for (uint32_t i = 0; i < length; i++) {
    struct node *node = make(at, seed + i);
    if (!node) return;
    tide_write(at->m, node, &node->next, *held);
    *held = node;
    at->seat->shadow[slot].length++;
  }
}

static void check_chain(const struct seat *seat, unsigned slot) {
  const struct node *node = seat->mine.chain[slot];
  for (uint32_t i = seat->shadow[slot].length; i > 0; i--, node = node->next)
    check_node(node, seat->shadow[slot].seed + i - 1);
  CHECK(!node);
}

void wild_chain_check(struct at *at) {
  bool all = below(at, 8) == 0;
  for (unsigned slot = all ? 0 : below(at, CHAINS), i = 0; i < (all ? CHAINS : 1); i++)
    check_chain(at->seat, slot + i);
}

void wild_check_all(struct worker *w) {
  for (unsigned i = 0; i < PLACES * CHAINS; i++)
    if (w->seat[i / CHAINS].place) check_chain(&w->seat[i / CHAINS], i % CHAINS);
}

/* The first object of a chain is freed, moved or made longer. */
void wild_chain_change(struct at *at) {
  unsigned slot = below(at, CHAINS);
  void **held = &at->mine->chain[slot];
  struct node *node = *held;
  if (!node) return;
  uint32_t seed = at->seat->shadow[slot].seed + at->seat->shadow[slot].length - 1;
  at->mine->scratch[3] = node;
  size_t words = 1 + (below(at, 4) ? below(at, 64) : below(at, 9000));
  size_t bytes = sizeof *node + words * sizeof(uintptr_t);
  switch (below(at, 3)) {
  case 0: /* nothing else may refer to it */
    *held = node->next;
    at->seat->shadow[slot].length--;
    at->mine->scratch[3] = NULL;
    CHECK(tide_free(at->m, node) == TIDE_OK);
    return;
  case 1:
    if (tide_resize_in_place(at->m, node, bytes)) fill(node, seed, words);
    break;
  default:
    tide_stop_hold(at->m);
    *held = at->mine->scratch[3] = NULL;
    struct node *moved = tide_object_replace(at->m, node, bytes);
    *held = moved ? moved : node;
    if (moved) fill(moved, seed, words);
    tide_stop_release(at->m);
  }
  at->mine->scratch[3] = NULL;
}
