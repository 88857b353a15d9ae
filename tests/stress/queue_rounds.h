/* One round of stress for one queue: included by queue.c once per queue, with STRESS_QUEUE defined,
 * so that what runs are the queue's own inline functions, the owner's state in a local. */
#define STRESS_JOIN2(a, b, c) a##b##c
#define STRESS_JOIN(a, b, c) STRESS_JOIN2(a, b, c)
#define STRESS_OF(name) STRESS_JOIN(td_, STRESS_QUEUE, name)
#define STRESS_NAME(name) STRESS_JOIN(STRESS_QUEUE, _, name)

struct STRESS_NAME(thief) {
  struct STRESS_OF() * queue;
  uint32_t random;
  struct counts counts;
  pthread_t thread;
};

static void *STRESS_NAME(steal_all)(void *argument) {
  struct STRESS_NAME(thief) *t = argument;
  uint64_t out[BATCH];
  uint32_t idle = 0;
  while (!atomic_load_explicit(&over, memory_order_relaxed)) {
    int32_t taken = STRESS_OF(_steal)(t->queue, out, 1 + next_random(&t->random) % BATCH);
    for (int32_t i = 0; i < taken; i++)
      saw(out[i], &t->counts);
    t->counts.steals += taken > 0;
    t->counts.stolen += taken > 0 ? (uint64_t)taken : 0;
    t->counts.empty += taken == 0;
    t->counts.lost_races += taken < 0;
    if (taken == 0 && next_random(&t->random) % 4 == 0) STRESS_OF(_want)(t->queue);
    /* Do not sit out a time slice that the owner could use. */
    idle = taken > 0 ? 0 : idle + 1;
    if (idle % 64 == 63) sched_yield();
    stall(&t->random);
  }
  return NULL;
}

/* Put up to n items. */
static bool STRESS_NAME(put_some)(struct STRESS_OF() * q, struct STRESS_OF(_owner) * o, uint32_t n,
                                  struct counts *counts) {
  for (; n != 0 && counts->round_puts < ROUND_ITEMS; n--) {
    if (!STRESS_OF(_put)(q, o, counts->round_puts + 1)) {
      counts->fulls++;
      return false;
    }
    counts->round_puts++;
  }
  return true;
}

/* Get up to n items, granting on a wish. */
static void STRESS_NAME(get_some)(struct STRESS_OF() * q, struct STRESS_OF(_owner) * o, uint32_t n,
                                  struct counts *counts) {
  for (; n != 0; n--) {
    if (STRESS_OF(_wanted)(q)) {
      STRESS_OF(_grant)(q, o);
      counts->grants++;
    }
    uint64_t item = STRESS_OF(_get)(q, o);
    if (item == 0) return;
    saw(item, counts);
    counts->gets++;
  }
}

/* Give thieves a little time; where there is much to take, the time slice. */
static bool STRESS_NAME(wait_for_room)(struct STRESS_OF() * q, struct STRESS_OF(_owner) * o,
                                       struct counts *counts) {
  for (int tries = 0; tries < 20; tries++) {
    if (STRESS_NAME(put_some)(q, o, 1, counts)) return true;
    if (STRESS_OF(_size)(q) > 1000) sched_yield();
  }
  return false;
}

/* The owner's part of a round: busy owners put and get in bursts, generous ones leave what they can
 * to thieves. */
static void STRESS_NAME(own)(struct STRESS_OF() * q, struct STRESS_OF(_owner) * shared_owner,
                             bool generous, uint32_t *random, struct counts *counts) {
  struct STRESS_OF(_owner) o = *shared_owner;
  uint32_t burst = 1u << next_random(random) % 8;
  counts->round_puts = 0;
  while (counts->round_puts < ROUND_ITEMS) {
    bool room = STRESS_NAME(put_some)(q, &o, next_random(random) % (2 * burst), counts);
    if (generous && STRESS_OF(_wanted)(q)) {
      STRESS_OF(_grant)(q, &o);
      counts->grants++;
    }
    if (!generous)
      STRESS_NAME(get_some)(q, &o, next_random(random) % (2 * burst), counts);
    else if (!room && !STRESS_NAME(wait_for_room)(q, &o, counts))
      STRESS_NAME(get_some)(q, &o, 1 + next_random(random) % burst, counts);
    stall(random);
  }
  for (int tries = 0; generous && tries < 100 && STRESS_OF(_size)(q) > 1000; tries++)
    sched_yield();
  STRESS_NAME(get_some)(q, &o, UINT32_MAX, counts);
  counts->puts += counts->round_puts;
  *shared_owner = o;
}

static bool STRESS_NAME(round)(struct ring ring, uint32_t *random, struct counts *counts) {
  static struct STRESS_OF() queue;
  struct STRESS_OF(_owner) owner;
  static struct STRESS_NAME(thief) thieves[MAX_THREADS];
  size_t bytes = STRESS_OF(_storage_bytes)(ring.blocks, ring.entries);
  void *storage = aligned_alloc(TD_CACHE_LINE, round_up(bytes));
  if (storage == NULL) return false;
  STRESS_OF(_init)(&queue, &owner, storage, ring.blocks, ring.entries);
  STRESS_PREPARE(&queue);
  atomic_store_explicit(&over, false, memory_order_relaxed);
  uint32_t started = 0;
  while (started + 1 < thread_count) {
    struct STRESS_NAME(thief) *t = &thieves[started];
    *t = (struct STRESS_NAME(thief)){.queue = &queue, .random = next_random(random)};
    if (pthread_create(&t->thread, NULL, STRESS_NAME(steal_all), t) != 0) break;
    started++;
  }
  STRESS_NAME(own)(&queue, &owner, counts->rounds / RINGS % 2 != 0, random, counts);
  atomic_store_explicit(&over, true, memory_order_relaxed);
  for (uint32_t i = 0; i < started; i++) {
    pthread_join(thieves[i].thread, NULL);
    add_counts(counts, &thieves[i].counts);
  }
  STRESS_RELEASE(&queue, &owner);
  free(storage);
  return started + 1 == thread_count;
}

#undef STRESS_JOIN2
#undef STRESS_JOIN
#undef STRESS_OF
#undef STRESS_NAME
#undef STRESS_QUEUE
