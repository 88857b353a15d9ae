/* Stress for the queues, for seconds or for hours.
 *
 *   queue --seconds N [--queue Q]... [--threads N]
 *
 * One owner puts items with unique numbers and gets; the other threads steal, in batches of random
 * size, and wish for early grants; now and then somebody stalls, for a few instructions, for a time
 * slice, or in the middle of its own work.  Rings from tiny to production size take turns, as do
 * the owner's habits.  Every number must come out exactly once: a round's numbers are counted in
 * an array of bytes, and checked when the round ends.
 *
 * Prints what was done per queue.  Exit status: 0 nothing lost and nothing twice, 1 otherwise, 2
 * usage, 4 no memory or no threads. */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "marker/queue/all.h"

#define MAX_THREADS 64
#define ROUND_ITEMS (1u << 18)
#define BATCH 64

struct counts {
  uint64_t rounds, puts, gets, steals, stolen, empty, lost_races, fulls, grants, lost, twice;
  uint64_t round_puts; /* of this round */
};

struct ring {
  uint32_t blocks, entries;
};

/* Tiny, where every border is met all the time; and as a marker uses them. */
static struct ring const rings[] = {{2, 2},   {2, 4},    {4, 2},    {4, 16},
                                    {16, 64}, {64, 128}, {64, 4096}};
enum { RINGS = sizeof rings / sizeof *rings };

static uint32_t thread_count = 3;

/* Times every number came out in this round; each is touched by one thread unless it came out
 * twice. */
static _Atomic(uint8_t) *seen;

/* The owner sets it when the round is over; thieves look.  relaxed: pthread_join orders the rest.
 */
static atomic_bool over;

static uint32_t next_random(uint32_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return *state;
}

static size_t round_up(size_t bytes) {
  return (bytes + TD_CACHE_LINE - 1) & ~(size_t)(TD_CACHE_LINE - 1);
}

/* Mostly nothing; sometimes a pause that lets others overtake. */
static void stall(uint32_t *random) {
  uint32_t r = next_random(random);
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
  if (item == 0 || item > ROUND_ITEMS) {
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

/* Larger buffers for the growing deque, up to a size at which it is full like the others. */
static void *larger_buffer(void *context, size_t bytes) {
  (void)context;
  return bytes > 1u << 20 ? NULL : aligned_alloc(TD_CACHE_LINE, round_up(bytes));
}

static void free_buffer(void *context, void *memory, size_t bytes) {
  (void)context, (void)bytes;
  free(memory);
}

/* What a queue needs besides its storage: only the growing one anything. */
#define STRESS_PREPARE(queue) ((void)0)
#define STRESS_RELEASE(queue, owner) ((void)0)

#define STRESS_QUEUE bwos
#include "tests/stress/queue_rounds.h"
#define STRESS_QUEUE bwos_paper
#include "tests/stress/queue_rounds.h"
#define STRESS_QUEUE bwos_fifo
#include "tests/stress/queue_rounds.h"
#define STRESS_QUEUE abp
#include "tests/stress/queue_rounds.h"
#define STRESS_QUEUE abp_sc
#include "tests/stress/queue_rounds.h"
#define STRESS_QUEUE mutex
#include "tests/stress/queue_rounds.h"
#define STRESS_QUEUE serial
#include "tests/stress/queue_rounds.h"

#undef STRESS_PREPARE
#undef STRESS_RELEASE
#define STRESS_PREPARE(queue) td_chase_lev_grow_with(queue, larger_buffer, NULL)
#define STRESS_RELEASE(queue, owner) td_chase_lev_release(queue, owner, free_buffer, NULL)
#define STRESS_QUEUE chase_lev
#include "tests/stress/queue_rounds.h"

struct stress {
  char const *name;
  bool (*round)(struct ring ring, uint32_t *random, struct counts *counts);
  bool chosen;
};

#define LIST_STRESS(Q) {#Q, Q##_round, false},
static struct stress all[] = {TD_FOR_EACH_QUEUE(LIST_STRESS)};
enum { QUEUES = sizeof all / sizeof *all };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void check_round(struct counts *counts) {
  for (uint32_t i = 0; i < ROUND_ITEMS; i++) {
    counts->lost += atomic_load_explicit(&seen[i], memory_order_relaxed) == 0;
    atomic_store_explicit(&seen[i], 0, memory_order_relaxed);
  }
  counts->rounds++;
}

/* Rounds of one queue for so many seconds, each kind of ring with each habit at least once. */
static bool run_queue(struct stress *s, double seconds) {
  struct counts counts = {0};
  uint32_t random = 2463534242u;
  double end = now() + seconds;
  do {
    if (!s->round(rings[counts.rounds % RINGS], &random, &counts)) {
      fprintf(stderr, "stress: %s: no memory or no more threads\n", s->name);
      exit(4);
    }
    check_round(&counts);
  } while (now() < end || counts.rounds < 2 * RINGS);
  printf("%-10s %" PRIu64 " rounds, %" PRIu64 " put, %" PRIu64 " got, %" PRIu64
         " stolen in %" PRIu64 " steals, %" PRIu64 " empty, %" PRIu64 " races lost, %" PRIu64
         " full, %" PRIu64 " grants; %" PRIu64 " lost, %" PRIu64 " twice\n",
         s->name, counts.rounds, counts.puts, counts.gets, counts.stolen, counts.steals,
         counts.empty, counts.lost_races, counts.fulls, counts.grants, counts.lost, counts.twice);
  fflush(stdout);
  return counts.lost == 0 && counts.twice == 0;
}

static void usage(char const *what, char const *value) {
  fprintf(stderr, "stress: %s '%s'\nusage: queue --seconds N [--queue Q]... [--threads N]\n", what,
          value);
  exit(2);
}

static double number(char const *option, char const *text, double min, double max) {
  char *end;
  errno = 0;
  double value = strtod(text, &end);
  if (end == text || *end != '\0' || errno != 0 || !(value >= min && value <= max))
    usage(option, text);
  return value;
}

static void choose(char const *name) {
  for (int i = 0; i < QUEUES; i++) {
    if (strcmp(all[i].name, name) != 0) continue;
    all[i].chosen = true;
    return;
  }
  usage("no queue", name);
}

int main(int argc, char **argv) {
  double seconds = 0;
  int chosen = 0;
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 == argc) usage("unknown option or no value for", argv[i]);
    if (strcmp(argv[i], "--seconds") == 0) {
      seconds = number("bad number of seconds", argv[i + 1], 0.001, 1e7);
    } else if (strcmp(argv[i], "--threads") == 0) {
      double n = number("bad number of threads (1 to 64)", argv[i + 1], 1, MAX_THREADS);
      if (n != (double)(uint32_t)n) usage("bad number of threads", argv[i + 1]);
      thread_count = (uint32_t)n;
    } else if (strcmp(argv[i], "--queue") == 0) {
      choose(argv[i + 1]);
      chosen++;
    } else {
      usage("unknown option", argv[i]);
    }
  }
  if (seconds == 0) usage("missing", "--seconds");
  seen = calloc(ROUND_ITEMS, sizeof *seen);
  if (seen == NULL) {
    fprintf(stderr, "stress: no memory\n");
    return 4;
  }
  int active = chosen > 0 ? chosen : QUEUES;
  bool good = true;
  for (int i = 0; i < QUEUES; i++)
    if (chosen == 0 || all[i].chosen) good = run_queue(&all[i], seconds / active) && good;
  free(seen);
  return good ? 0 : 1;
}
