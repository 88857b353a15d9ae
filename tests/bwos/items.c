/* SPDX-License-Identifier: MIT */
/* Items of 16 and 64 bytes with checksums, through rings from tiny to large: every item comes out
 * whole, and once.
 *
 *   stress_bwos_items COUNT [THREADS] [SEED]
 *
 * COUNT items go through each of four queues: both forms, both sizes. The owner puts and gets in
 * bursts of random length; the other threads steal in batches and now and then stand still. An item
 * holds its number and words made from it; numbers that came out are counted, and summed in two
 * ways. Exit status: 0 all came out whole, 1 not, 2 usage, 4 no memory or threads. */
#include "tests/stress/driver.h"

#include <sched.h>

#include "tide/bwos.h"

#define THREADS_MAX 16
#define BATCH 32
#define ROUND_ITEMS 200000u /* a ring each */

struct two {
  uint64_t at[2];
};
struct eight {
  uint64_t at[8];
};
TIDE_BWOS_DEFINE(two_lifo, struct two);
TIDE_BWOS_DEFINE(eight_lifo, struct eight);
TIDE_BWOS_FIFO_DEFINE(two_fifo, struct two);
TIDE_BWOS_FIFO_DEFINE(eight_fifo, struct eight);

static const uint32_t rings[][2] = {{2, 2}, {4, 2}, {2, 16}, {8, 8}, {64, 64}, {16, 1024}};
#define RINGS (sizeof rings / sizeof rings[0])
#define STORAGE (16 * (64 + 1024 * sizeof(struct eight)))

struct tally {
  uint64_t count, sum, mixed, torn;
};

struct thief {
  pthread_t thread;
  void *queue;
  uint32_t random;
  struct tally out;
};

static _Alignas(64) unsigned char storage[STORAGE];
static atomic_bool over; /* relaxed: joining orders the rest */
static unsigned thieves = 2;

static uint64_t mix(uint64_t x) {
  x ^= x >> 31;
  x *= UINT64_C(0x9e3779b97f4a7c15);
  return x ^ x >> 29;
}

static void fill(uint64_t *at, size_t words, uint64_t number) {
  at[0] = number;
  for (size_t i = 1; i < words; i++)
    at[i] = mix(number + i);
}

static void count(struct tally *tally, const uint64_t *at, size_t words) {
  tally->count++;
  tally->sum += at[0];
  tally->mixed ^= mix(at[0]);
  for (size_t i = 1; i < words; i++)
    tally->torn += at[i] != mix(at[0] + i);
}

static void add(struct tally *sum, const struct tally *more) {
  sum->count += more->count;
  sum->sum += more->sum;
  sum->mixed ^= more->mixed;
  sum->torn += more->torn;
}

static void stand_still(uint32_t *random) {
  uint32_t r = random_next(random);
  if (r % 4096 == 0) sched_yield();
  for (uint32_t i = r % 64 == 1 ? r >> 24 : 0; i > 0; i--)
    atomic_signal_fence(memory_order_seq_cst);
}

/* The functions of one queue. */
#define DEFINE(Q, item_type)                                                                       \
  static void *Q##_thieve(void *argument) {                                                        \
    struct thief *t = argument;                                                                    \
    item_type out[BATCH];                                                                          \
    while (!atomic_load_explicit(&over, memory_order_relaxed)) {                                   \
      tide_bwos_taken taken = Q##_steal(t->queue, out, 1 + random_next(&t->random) % BATCH);       \
      for (int32_t i = 0; i < taken; i++)                                                          \
        count(&t->out, out[i].at, sizeof out[i] / 8);                                              \
      stand_still(&t->random);                                                                     \
    }                                                                                              \
    return NULL;                                                                                   \
  }                                                                                                \
  static bool Q##_round(uint32_t ring, uint32_t items, uint32_t *random, struct tally *in,         \
                        struct tally *out) {                                                       \
    static struct Q q;                                                                             \
    struct Q##_owner o;                                                                            \
    struct thief thief[THREADS_MAX] = {0};                                                         \
    CHECK(!Q##_make(&q, &o, storage, sizeof storage, rings[ring][0], rings[ring][1]));             \
    atomic_store_explicit(&over, false, memory_order_relaxed);                                     \
    for (unsigned i = 0; i < thieves; i++) {                                                       \
      thief[i].queue = &q;                                                                         \
      thief[i].random = random_next(random) | 1;                                                   \
      if (pthread_create(&thief[i].thread, NULL, Q##_thieve, &thief[i]) != 0) return false;        \
    }                                                                                              \
    item_type item;                                                                                \
    for (uint32_t put = 0; put < items;) {                                                         \
      for (uint32_t n = random_next(random) % 64; n > 0 && put < items; n--, put++) {              \
        fill(item.at, sizeof item / 8, in->count);                                                 \
        if (!Q##_put(&q, &o, item)) break;                                                         \
        count(in, item.at, 1);                                                                     \
      }                                                                                            \
      for (uint32_t n = random_next(random) % 64; n > 0 && Q##_get(&q, &o, &item); n--)            \
        count(out, item.at, sizeof item / 8);                                                      \
    }                                                                                              \
    while (Q##_get(&q, &o, &item))                                                                 \
      count(out, item.at, sizeof item / 8);                                                        \
    atomic_store_explicit(&over, true, memory_order_relaxed);                                      \
    for (unsigned i = 0; i < thieves; i++) {                                                       \
      pthread_join(thief[i].thread, NULL);                                                         \
      add(out, &thief[i].out);                                                                     \
    }                                                                                              \
    return true;                                                                                   \
  }
DEFINE(two_lifo, struct two)
DEFINE(eight_lifo, struct eight)
DEFINE(two_fifo, struct two)
DEFINE(eight_fifo, struct eight)

static const struct {
  const char *name;
  bool (*round)(uint32_t ring, uint32_t items, uint32_t *random, struct tally *in,
                struct tally *out);
} queues[] = {{"two_lifo", two_lifo_round},
              {"eight_lifo", eight_lifo_round},
              {"two_fifo", two_fifo_round},
              {"eight_fifo", eight_fifo_round}};

int main(int argc, char **argv) {
  uint64_t items = argument(argc, argv, 1, 300000);
  thieves = (unsigned)argument(argc, argv, 2, 3) - 1;
  uint32_t random = (uint32_t)argument(argc, argv, 3, 2463534242u);
  if (thieves >= THREADS_MAX || random == 0) {
    fprintf(stderr, "usage: stress_bwos_items COUNT [THREADS, 1 to %d] [SEED]\n", THREADS_MAX);
    return 2;
  }
  bool good = true;
  for (size_t k = 0; k < sizeof queues / sizeof queues[0]; k++) {
    struct tally in = {0}, out = {0};
    for (uint32_t round = 0; in.count < items || round < RINGS; round++) {
      uint64_t left = in.count < items ? items - in.count : 1;
      uint32_t now = left < ROUND_ITEMS ? (uint32_t)left : ROUND_ITEMS;
      if (items < RINGS * ROUND_ITEMS) now = (uint32_t)(items / RINGS + 1);
      if (!queues[k].round(round % RINGS, now, &random, &in, &out)) return 4;
    }
    bool same = in.count == out.count && in.sum == out.sum && in.mixed == out.mixed;
    printf("%s: %" PRIu64 " items, %s, %" PRIu64 " words torn\n", queues[k].name, in.count,
           same ? "each once" : "LOST OR TWICE", out.torn);
    fflush(stdout);
    good = good && same && out.torn == 0;
  }
  return good ? 0 : 1;
}
