/* SPDX-License-Identifier: MIT */
/* Stress for one queue, for seconds or for hours. Compiled once for each queue.
 *
 *   stress_queue_Q --seconds N|--runs N [--threads N] [--items N] [--seed N]
 *
 * One owner puts items with unique numbers and gets; the other threads steal, in batches of random
 * size, and wish for early grants; now and then somebody stalls, for a few instructions, for a time
 * slice, or in the middle of its own work.  Rings from tiny to production size take turns, as do
 * the owner's habits.  Every number must come out exactly once: a round's numbers are counted in
 * an array of bytes, and checked when the round ends.  A run is a round: a new queue, new threads.
 *
 * Prints what was done.  Exit status: 0 nothing lost and nothing twice, 1 otherwise, 2
 * usage, 4 no memory or no threads. */
#include <sched.h>

#include TD_QUEUE_HEADER

#include "marker/queue/growth.h"
#include "tests/stress/driver.h"

#define STRING_(text) #text
#define STRING(text) STRING_(text)
#define QUEUE TD_QUEUE_JOIN(td_, TD_QUEUE, )
#define Q(name) TD_QUEUE_JOIN(td_, TD_QUEUE, _##name)

#define MAX_THREADS 256
#define MAX_ITEMS (1u << 18)
#define BATCH 64

/* A queue that grows finds 2 MiB: enough for the small rings, not for the large. */

struct counts {
  uint64_t rounds, puts, gets, steals, stolen, empty, lost_races, fulls, grants, offered, lost,
      twice;
  uint64_t round_puts; /* of this round */
};

struct ring {
  uint32_t blocks, entries;
};

/* Tiny, where every border is met all the time; and as a marker uses them. */
static struct ring const rings[] = {{2, 2},   {2, 4},    {4, 2},    {4, 16},
                                    {16, 64}, {64, 128}, {64, 4096}};
enum { RINGS = sizeof rings / sizeof *rings };

static uint32_t thread_count, round_items /* how many numbers a round has */;

/* Times every number came out in this round; each is touched by one thread unless it came out
 * twice. */
static _Atomic(uint8_t) *seen;

/* The owner sets it when the round is over; thieves look.  relaxed: pthread_join orders the rest.
 */
static atomic_bool over;

static size_t round_up(size_t bytes) {
  return (bytes + TD_CACHE_LINE - 1) & ~(size_t)(TD_CACHE_LINE - 1);
}

/* Mostly nothing; sometimes a pause that lets others overtake. */
static void stall(uint32_t *random) {
  uint32_t r = random_next(random);
  if (r % 64 == 0) {
    for (uint32_t i = r >> 8 & 255; i != 0; i--)
      atomic_signal_fence(memory_order_seq_cst);
  } else if (r % 8192 == 1) {
    sched_yield();
  } else if (r % 262144 == 2) {
    struct timespec const pause = {0, 50000};
    nanosleep(&pause, NULL);
  }
}

/* relaxed: a count; the owner reads it after joining everybody. */
static void saw(uint64_t item, struct counts *counts) {
  if (item == 0 || item > round_items) {
    counts->twice++; /* not a number that was put in this round */
    return;
  }
  if (atomic_fetch_add_explicit(&seen[item - 1], 1, memory_order_relaxed) != 0) counts->twice++;
}

static void add_counts(struct counts *sum, struct counts const *part) {
  sum->steals += part->steals;
  sum->stolen += part->stolen;
  sum->empty += part->empty;
  sum->lost_races += part->lost_races;
  sum->twice += part->twice;
}

struct thief {
  struct QUEUE *queue;
  uint32_t random;
  struct counts counts;
  pthread_t thread;
};

static void *steal_all(void *argument) {
  struct thief *t = argument;
  uint64_t out[BATCH];
  uint32_t idle = 0;
  while (!atomic_load_explicit(&over, memory_order_relaxed)) {
    int32_t taken = Q(steal)(t->queue, out, 1 + random_next(&t->random) % BATCH);
    for (int32_t i = 0; i < taken; i++)
      saw(out[i], &t->counts);
    t->counts.steals += taken > 0;
    t->counts.stolen += taken > 0 ? (uint64_t)taken : 0;
    t->counts.empty += taken == 0;
    t->counts.lost_races += taken < 0;
    if (taken == 0 && random_next(&t->random) % 4 == 0) Q(want)(t->queue);
    /* Do not sit out a time slice that the owner could use. */
    idle = taken > 0 ? 0 : idle + 1;
    if (idle % 64 == 63) sched_yield();
    stall(&t->random);
  }
  return NULL;
}

/* Put up to n items. Where there is another way in, an item in eight takes it. */
static bool put_some(struct QUEUE *q, struct Q(owner) * o, uint32_t n, struct counts *counts) {
  for (; n != 0 && counts->round_puts < round_items; n--) {
    if (counts->round_puts % 8 == 5 && Q(offer)(q, counts->round_puts + 1))
      counts->offered++;
    else if (!Q(put)(q, o, counts->round_puts + 1)) {
      counts->fulls++;
      return false;
    }
    counts->round_puts++;
  }
  return true;
}

/* Get up to n items, granting on a wish. */
static void get_some(struct QUEUE *q, struct Q(owner) * o, uint32_t n, struct counts *counts) {
  for (; n != 0; n--) {
    if (Q(wanted)(q)) {
      Q(grant)(q, o);
      counts->grants++;
    }
    uint64_t item = Q(get)(q, o);
    if (item == 0) return;
    saw(item, counts);
    counts->gets++;
  }
}

/* Give thieves a little time; where there is much to take, the time slice. */
static bool wait_for_room(struct QUEUE *q, struct Q(owner) * o, struct counts *counts) {
  for (int tries = 0; tries < 20; tries++) {
    if (put_some(q, o, 1, counts)) return true;
    if (Q(size)(q) > 1000) sched_yield();
  }
  return false;
}

/* The owner's part of a round: busy owners put and get in bursts, generous ones leave what they can
 * to thieves. */
static void own(struct QUEUE *q, struct Q(owner) * shared_owner, bool generous, uint32_t *random,
                struct counts *counts) {
  struct Q(owner) o = *shared_owner;
  uint32_t burst = 1u << random_next(random) % 8;
  counts->round_puts = 0;
  while (counts->round_puts < round_items) {
    bool room = put_some(q, &o, random_next(random) % (2 * burst), counts);
    if (generous && Q(wanted)(q)) {
      Q(grant)(q, &o);
      counts->grants++;
    }
    if (!generous)
      get_some(q, &o, random_next(random) % (2 * burst), counts);
    else if (!room && !wait_for_room(q, &o, counts))
      get_some(q, &o, 1 + random_next(random) % burst, counts);
    stall(random);
  }
  for (int tries = 0; generous && tries < 100 && Q(size)(q) > 1000; tries++)
    sched_yield();
  get_some(q, &o, UINT32_MAX, counts);
  counts->puts += counts->round_puts;
  *shared_owner = o;
}

static bool run_round(struct ring ring, uint32_t *random, struct counts *counts,
                      struct td_growth *growth) {
  static struct QUEUE queue;
  struct Q(owner) owner;
  static struct thief thieves[MAX_THREADS];
  size_t bytes = Q(storage_bytes)(ring.blocks, ring.entries);
  void *storage = aligned_alloc(TD_CACHE_LINE, round_up(bytes));
  if (storage == NULL) return false;
  Q(init)(&queue, &owner, storage, ring.blocks, ring.entries);
  Q(grow_from)(&queue, td_growth_take, growth);
  atomic_store_explicit(&over, false, memory_order_relaxed);
  uint32_t started = 0;
  while (started + 1 < thread_count) {
    struct thief *t = &thieves[started];
    *t = (struct thief){.queue = &queue, .random = random_next(random)};
    if (pthread_create(&t->thread, NULL, steal_all, t) != 0) break;
    started++;
  }
  own(&queue, &owner, counts->rounds / RINGS % 2 != 0, random, counts);
  atomic_store_explicit(&over, true, memory_order_relaxed);
  for (uint32_t i = 0; i < started; i++) {
    pthread_join(thieves[i].thread, NULL);
    add_counts(counts, &thieves[i].counts);
  }
  Q(shrink)(&queue, &owner);
  td_growth_free(growth);
  free(storage);
  return started + 1 == thread_count;
}

static void check_round(struct counts *counts) {
  for (uint32_t i = 0; i < round_items; i++) {
    counts->lost += atomic_load_explicit(&seen[i], memory_order_relaxed) == 0;
    atomic_store_explicit(&seen[i], 0, memory_order_relaxed);
  }
  counts->rounds++;
}

/* Ends after `runs` rounds, or if that is 0 after the seconds, with each kind of ring and each
 * habit at least once. */
static bool run(double seconds, uint64_t runs, uint32_t random) {
  const char *name = STRING(TD_QUEUE);
  struct td_growth growth = {0};
  struct counts counts = {0};
  const uint64_t end = now_ns() + (uint64_t)(seconds * 1e9);
  do {
    if (!run_round(rings[counts.rounds % RINGS], &random, &counts, &growth)) {
      fprintf(stderr, "stress: %s: no memory or no more threads\n", name);
      exit(4);
    }
    check_round(&counts);
  } while (runs ? counts.rounds < runs : now_ns() < end || counts.rounds < 2 * RINGS);
  printf("%-10s %" PRIu64 " rounds, %" PRIu64 " put, %" PRIu64 " got, %" PRIu64
         " stolen in %" PRIu64 " steals, %" PRIu64 " empty, %" PRIu64 " races lost, %" PRIu64
         " full, %" PRIu64 " grants, %" PRIu64 " offered; %" PRIu64 " lost, %" PRIu64 " twice\n",
         name, counts.rounds, counts.puts, counts.gets, counts.stolen, counts.steals, counts.empty,
         counts.lost_races, counts.fulls, counts.grants, counts.offered, counts.lost, counts.twice);
  return counts.lost == 0 && counts.twice == 0;
}

int main(int argc, char **argv) {
  double seconds = 0, runs = 0, threads = 3, items = MAX_ITEMS, seed = 2463534242u;
  const struct number_option options[] = {
      {"--seconds", &seconds, 0.001, 1e7, NULL},     {"--runs", &runs, 1, UINT32_MAX, NULL},
      {"--threads", &threads, 1, MAX_THREADS, NULL}, {"--items", &items, 1, MAX_ITEMS, NULL},
      {"--seed", &seed, 1, UINT32_MAX, NULL},        {.name = NULL}};
  read_options(argc, argv, options);
  if ((seconds != 0) == (runs != 0)) {
    fprintf(stderr, "stress: needed, one of them: --seconds, --runs\n");
    return 2;
  }
  thread_count = (uint32_t)threads;
  round_items = (uint32_t)items;
  seen = calloc(round_items, sizeof *seen);
  CHECK(seen);
  bool good = run(seconds, (uint64_t)runs, (uint32_t)seed);
  free(seen);
  return good ? 0 : 1;
}
