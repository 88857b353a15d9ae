/* Several mutators share one array of lists and write into it and into the lists all the time,
 * while young and full collections come as they like. Every list holds what was put there.
 * Arguments: rounds (per worker), workers. */
#include "tests/young/heap.h"

enum { SLOTS = 3000, LOCKS = 16 };

struct node {
  struct node *next, *other; /* other: NULL, or a node of the same slot */
  uint64_t slot, number;
};

static struct tide_heap *heap;
static tide_layout layout;
static void **shared; /* longer than a page: logged by the slot */
static pthread_mutex_t locks[LOCKS];

struct worker {
  uint32_t seed;
  uint64_t rounds;
};

/* Newest first, so numbers fall by one. */
static void check(const struct node *list, uint64_t slot) {
  for (const struct node *at = list; at; at = at->next) {
    CHECK(at->slot == slot);
    CHECK(!at->next || at->next->number + 1 == at->number);
    CHECK(!at->other || at->other->slot == slot);
  }
}

/* Another one may have the lock and wait for a collection. */
static void lock(struct tide_mutator *m, uint64_t slot) {
  if (pthread_mutex_trylock(&locks[slot % LOCKS]) == 0) return;
  tide_blocking_enter(m);
  pthread_mutex_lock(&locks[slot % LOCKS]);
  tide_blocking_leave(m);
}

static void step(struct tide_mutator *m, uint32_t *seed) {
  uint64_t slot = random_next(seed) % SLOTS;
  lock(m, slot);
  struct node *list = shared[slot];
  struct node *fresh = tide_alloc(m, layout, sizeof *fresh);
  CHECK(fresh && !fresh->next && !fresh->other);
  fresh->next = list;
  fresh->slot = slot;
  fresh->number = list ? list->number + 1 : 0;
  if (random_next(seed) % 32 == 0) fresh->next = NULL; /* the rest is garbage */
  struct node *other = tide_alloc(m, layout, sizeof *other);
  CHECK(other);
  other->slot = slot;
  if (list) tide_write(m, list, &list->other, other);
  tide_write(m, shared, &shared[slot], fresh);
  check(fresh, slot);
  pthread_mutex_unlock(&locks[slot % LOCKS]);
  uint32_t dice = random_next(seed) % 4096;
  if (dice == 0) CHECK(tide_collect(m) == TIDE_OK);
  if (dice < 10) CHECK(tide_collect_young(m) == TIDE_OK);
}

static void *work(void *argument) {
  struct worker *worker = argument;
  struct tide_mutator *m = tide_attach(heap, NULL, NULL);
  CHECK(m);
  for (uint64_t i = 0; i < worker->rounds; i++)
    step(m, &worker->seed);
  CHECK(tide_detach(m) == TIDE_OK);
  return NULL;
}

int main(int count, char **arguments) {
  uint64_t rounds = argument(count, arguments, 1, 60000);
  uint64_t workers = argument(count, arguments, 2, 4);
  heap = young_heap(2);
  struct tide_mutator *m = tide_attach(heap, NULL, NULL);
  CHECK(m);
  size_t offsets[] = {0, 8};
  layout = tide_layout_offsets(heap, sizeof(struct node), offsets, 2, NULL);
  CHECK(tide_root_add(heap, &shared) == TIDE_OK);
  shared = tide_alloc_array(m, TIDE_LAYOUT_REFS, SLOTS, sizeof(void *));
  for (unsigned i = 0; i < LOCKS; i++)
    pthread_mutex_init(&locks[i], NULL);
  struct worker *all = calloc(workers, sizeof *all);
  pthread_t *threads = calloc(workers, sizeof *threads);
  CHECK(shared && all && threads);
  for (uint64_t i = 0; i < workers; i++) {
    all[i] = (struct worker){.seed = 2463534242u + (uint32_t)i * 7919u, .rounds = rounds};
    CHECK(pthread_create(&threads[i], NULL, work, &all[i]) == 0);
  }
  join_all(m, threads, workers);
  for (uint64_t i = 0; i < SLOTS; i++)
    check(shared[i], i);
  young_heap_end(heap, m, 1);
  free(threads);
  free(all);
  return 0;
}
