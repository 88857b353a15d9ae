/* A heap that is being filled postpones full collections. Programs that drop what they filled it
 * with, in several ways, do not need several times the memory for that. */
#include "gc/state/heap.h"
#include "tests/unit/gc/young.h"

#define LEAF_BYTES ((size_t)1024)
#define LEAVES ((size_t)150 << 10) /* of a table: 150 MiB */
#define SMALL_LEAVES ((size_t)90 << 10)
#define NODES ((size_t)4 << 20) /* of a list: 128 MiB */
#define NODE_BYTES ((size_t)32) /* of a struct pair, in the heap */
#define ROUNDS 12u

struct program {
  struct world w;
  void **root;   /* a handle */
  void **holder; /* the same, of an object that is old */
};
typedef void (*run_fn)(struct program *program);

static void fill_table(struct program *p, void **root, size_t leaves) {
  struct tide_mutator *m = p->w.m;
  *root = tide_alloc_array(m, TIDE_LAYOUT_REFS, leaves, sizeof(void *));
  cr_assert_not_null(*root);
  for (size_t i = 0; i < leaves; i++) {
    void *leaf = tide_alloc(m, TIDE_LAYOUT_LEAF, LEAF_BYTES);
    cr_assert_not_null(leaf);
    tide_write(m, *root, (void **)*root + i, leaf);
  }
}

static void churn(struct program *p, size_t leaves) {
  for (size_t i = 0; i < leaves; i++)
    cr_assert_not_null(tide_alloc(p->w.m, TIDE_LAYOUT_LEAF, LEAF_BYTES));
}

/* Fills a table, drops it, and goes on with objects that die at once. */
static void drop_and_churn(struct program *p) {
  fill_table(p, p->root, LEAVES);
  *p->root = NULL;
  churn(p, 10 * LEAVES);
}

/* Fills a table, drops it, fills the next. */
static void table_after_table(struct program *p) {
  for (unsigned round = 0; round < ROUNDS; round++)
    fill_table(p, p->root, round ? LEAVES : SMALL_LEAVES);
}

/* The same with lists that grow at the head. */
static void list_after_list(struct program *p) {
  for (unsigned round = 0; round < ROUNDS; round++) {
    *p->root = NULL;
    for (size_t i = 0; i < NODES; i++)
      *p->root = pair_new(&p->w, *p->root, NULL, i);
  }
}

/* Tables that an old object holds. Storing NULL needs no barrier. */
static void holder_after_holder(struct program *p) {
  for (unsigned round = 0; round < ROUNDS; round++) {
    fill_table(p, p->root, round ? LEAVES : SMALL_LEAVES);
    struct pair *holder = *p->holder;
    tide_write(p->w.m, holder, &holder->left, *p->root);
    *p->root = NULL;
    churn(p, 1);
    if (round % 2) holder->left = NULL;
  }
}

/* A heap without young collections grows to twice of what lives, as far as a collection knows. With
 * them it takes some time until it is seen that something died; but no more than as much again. */
static void expect_little_memory(run_fn run, size_t live_bytes) {
  struct tide_options options;
  tide_options_init(&options);
  options.heap_max_bytes = (size_t)16 << 30; /* of which a quarter may come from guesses */
  options.write_barrier = true;
  struct program p = {.w = world_with(&options, TIDE_STACK_PRECISE)};
  p.root = tide_handle(p.w.m, NULL);
  p.holder = tide_handle(p.w.m, pair_new(&p.w, NULL, NULL, 0));
  run(&p);
  struct tide_heap_stats stats;
  tide_heap_stats(p.w.heap, &stats);
  world_end(&p.w);
  cr_assert_leq(stats.peak_committed_bytes, 4 * live_bytes, "%llu MiB",
                (unsigned long long)stats.peak_committed_bytes >> 20);
}

Test(young_letting_go, drop_and_churn, .timeout = 120) {
  expect_little_memory(drop_and_churn, LEAVES * LEAF_BYTES);
}
Test(young_letting_go, table_after_table, .timeout = 120) {
  expect_little_memory(table_after_table, LEAVES * LEAF_BYTES);
}
Test(young_letting_go, list_after_list, .timeout = 120) {
  expect_little_memory(list_after_list, NODES * NODE_BYTES);
}
Test(young_letting_go, holder_after_holder, .timeout = 120) {
  expect_little_memory(holder_after_holder, 2 * LEAVES * LEAF_BYTES);
}
