/* SPDX-License-Identifier: MIT */
/* How many instructions the inlined paths take (tests/cost/steps.h). The bounds are the aims: three
 * for a poll (load, test, branch), fifteen for an allocation with all that lies behind it. */
#include "tests/cost/steps.h"

enum { WORDS = 4096 };
/* Turns. What an allocation does now and then is shared by all of them; in the loops all turns are
 * the same. */
enum { FEW = 500, MANY = 2500, LOOP_FEW = 50, LOOP_MANY = 250 };

#if __has_attribute(noipa)
#define ALONE __attribute__((noinline, noipa, unused))
#else
#define ALONE __attribute__((noinline, unused))
#endif
/* A call with the same arguments may not be taken for the same result. */
#define FRESH __asm__ volatile("" ::: "memory")

/* A turn of sum is a part of a cycle, and without a poll several are done at once by vector
 * instructions; in mix each waits for the one before. Each function is compiled by itself, so that
 * a loop looks as an embedder's would. */
#define SUM_TURN(i) result += at[i]
#define MIX_TURN(i) result = (result ^ at[i]) * UINT64_C(0x9e3779b97f4a7c15)

static struct tide_mutator *m;
static uint64_t array[WORDS];
static void *volatile sink;

#define LOOPS(kind, TURN)                                                                          \
  static ALONE uint64_t kind##_plain(struct tide_mutator *mutator, const uint64_t *at,             \
                                     size_t count) {                                               \
    uint64_t result = 0;                                                                           \
    FRESH;                                                                                         \
    for (size_t i = 0; i < count; i++)                                                             \
      TURN(i);                                                                                     \
    return result;                                                                                 \
  }                                                                                                \
  static ALONE uint64_t kind##_polled(struct tide_mutator *mutator, const uint64_t *at,            \
                                      size_t count) {                                              \
    uint64_t result = 0;                                                                           \
    FRESH;                                                                                         \
    for (size_t i = 0; i < count; i++) {                                                           \
      TURN(i);                                                                                     \
      tide_safepoint(mutator);                                                                     \
    }                                                                                              \
    return result;                                                                                 \
  }                                                                                                \
  static void run_##kind##_plain(size_t turns) {                                                   \
    sink = (void *)(uintptr_t)kind##_plain(m, array, turns);                                       \
  }                                                                                                \
  static void run_##kind##_polled(size_t turns) {                                                  \
    sink = (void *)(uintptr_t)kind##_polled(m, array, turns);                                      \
  }
LOOPS(sum, SUM_TURN)
LOOPS(mix, MIX_TURN)

/* Objects in a ring, for the barrier. */
struct node {
  struct node *next;
  void *other;
};
static struct node *objects;

static ALONE void run_alloc(size_t turns) {
  for (size_t i = 0; i < turns; i++)
    *(void *volatile *)tide_alloc(m, TIDE_LAYOUT_REFS, 16) = NULL;
}

/* Stores into one object after the other, without and with the barrier. */
static ALONE void run_store_plain(size_t turns) {
  void *value = sink;
  for (struct node *at = objects; turns-- > 0; at = at->next) {
    *(tide_slot *)&at->other = value;
    FRESH;
  }
}
static ALONE void run_store_barrier(size_t turns) {
  struct tide_mutator *mutator = m;
  void *value = sink;
  for (struct node *at = objects; turns-- > 0; at = at->next) {
    tide_write(mutator, at, &at->other, value);
    FRESH;
  }
}

/* With the promise of a barrier: the objects are young, or old and logged in the first turns. */
enum age { NO_BARRIER, YOUNG, OLD };
static enum age age;

/* Of a block whose other cells all live: what was freed is found without looking at those. */
enum { REUSED_BYTES = 64, REUSED = 65536 / REUSED_BYTES, SELDOM = 8 };
static void *filled[REUSED];

static ALONE void run_reuse(size_t turns) {
  for (size_t i = 0; i < turns; i += SELDOM) {
    (void)tide_free(m, filled[1]);
    filled[1] = tide_alloc(m, TIDE_LAYOUT_LEAF, REUSED_BYTES);
  }
}

static void use_up_block(struct tide_heap *heap) {
  CHECK(tide_root_add_range(heap, filled, REUSED) == TIDE_OK);
  for (size_t i = 0; i < REUSED; i++)
    filled[i] = tide_alloc(m, TIDE_LAYOUT_LEAF, REUSED_BYTES);
  filled[0] = NULL;
  CHECK(tide_collect(m) == TIDE_OK);
  filled[0] = tide_alloc(m, TIDE_LAYOUT_LEAF, REUSED_BYTES);
}

static void make_ring(void) {
  enum { NODES = 64 };
  struct node *first = NULL;
  for (unsigned i = 0; i < NODES; i++) {
    struct node *node = tide_alloc(m, TIDE_LAYOUT_REFS, sizeof *node);
    if (!first) first = node;
    node->next = objects;
    objects = node;
  }
  first->next = objects;
}

static void steps_prepare(void) {
  struct tide_heap *heap = HEAP(.write_barrier = age != NO_BARRIER);
  m = ATTACH(heap);
  make_ring();
  CHECK(tide_root_add(heap, &objects) == TIDE_OK);
  if (age == OLD) CHECK(tide_collect(m) == TIDE_OK);
  if (age == NO_BARRIER) use_up_block(heap);
}

int main(void) {
  steps_open();
  double sum = per_turn("sum", run_sum_plain, LOOP_FEW, LOOP_MANY),
         sum_poll = per_turn("sum, polled", run_sum_polled, LOOP_FEW, LOOP_MANY);
  double mix = per_turn("mix", run_mix_plain, LOOP_FEW, LOOP_MANY),
         mix_poll = per_turn("mix, polled", run_mix_polled, LOOP_FEW, LOOP_MANY);
  double alloc = per_turn("allocation", run_alloc, FEW, MANY);
  double reuse = SELDOM * per_turn("freed and taken again, in every 8th", run_reuse, FEW, MANY);
  double store = per_turn("store", run_store_plain, LOOP_FEW, LOOP_MANY);
  double barrier = per_turn("barrier", run_store_barrier, LOOP_FEW, LOOP_MANY);
  age = YOUNG;
  double young = per_turn("young", run_store_barrier, LOOP_FEW, LOOP_MANY);
  age = OLD;
  double old = per_turn("old, logged", run_store_barrier, LOOP_FEW, LOOP_MANY);
#if defined(__OPTIMIZE__) && defined(__x86_64__) && !defined(__clang__)
  /* Of the polled loops: those without may be unrolled. */
  CHECK(sum_poll <= 4 + 3.01 && mix_poll <= 5 + 3.01);
  CHECK(barrier <= store + 7.01);
  CHECK(alloc <= 15 + 4); /* the loop's own: a store, an addition, a comparison, a branch */
  CHECK(reuse <= 600);
#else
  CHECK(reuse > 1);
  CHECK(sum_poll > 1 && mix_poll > 1 && alloc > 1 && store > 1 && barrier > 1);
#endif
  /* The same instructions, whether the heap makes something of it or not. */
  CHECK(young <= barrier + 0.01 && old <= barrier + 0.01);
  CHECK(sum_poll > sum && mix_poll > mix);
  return 0;
}
