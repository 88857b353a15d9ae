/* A program that does all that the headers allow, as wildly as it may, with several threads and two
 * heaps at once, while young and full collections come as they like. Every object that it finds
 * must be what it was made as. Meant for TIDE_STRESS and TIDE_VERIFY=1, too.
 * Arguments: steps (per thread and turn), threads, turns, markers (0: by chance), seed. */
#include "tests/young/hostile_work.h"

struct hostile_counts hostile_counts;
static struct place places[HEAPS];

static const struct {
  void (*call)(struct at *at);
  unsigned weight;
} operations[] = {{hostile_make, 200},      {hostile_store, 200},    {hostile_store_shared, 60},
                  {hostile_cut, 3},         {hostile_bulk, 40},      {hostile_resize, 20},
                  {hostile_free_fresh, 20}, {hostile_weak, 40},      {hostile_ephemeron, 40},
                  {hostile_weak_table, 30}, {hostile_weak_slot, 10}, {hostile_finalizers, 40},
                  {hostile_handles, 5},     {hostile_roots, 5},      {hostile_pins, 10},
                  {hostile_fiber, 4},       {hostile_collect, 6},    {hostile_blocking, 10},
                  {hostile_paused, 2},      {hostile_inspect, 1},    {hostile_configure, 1},
                  {hostile_nonsense, 4},    {hostile_fork, 1},       {hostile_hear, 1}};

void hostile_step(struct worker *w) {
  unsigned total = 0, i = 0;
  for (unsigned k = 0; k < sizeof operations / sizeof *operations; k++)
    total += operations[k].weight;
  uint32_t dice = random_next(&w->seed) % total;
  while (dice >= operations[i].weight)
    dice -= operations[i++].weight;
  unsigned number = random_next(&w->seed) % HEAPS;
  struct at at = {w, &places[number], w->m[number], &w->mine[number], number};
  operations[i].call(&at);
}

/* ---- Threads ---- */

static void begin(struct worker *w) {
  struct tide_attach_options options;
  struct tide_error error;
  tide_attach_options_init(&options);
  options.stack = w->kind == PRECISE ? TIDE_STACK_PRECISE : TIDE_STACK_CONSERVATIVE;
  options.stop = w->kind == SIGNALLED ? TIDE_STOP_SIGNAL : TIDE_STOP_POLL;
  for (unsigned i = 0; i < HEAPS; i++) {
    w->m[i] = tide_attach(places[i].heap, &options, &error);
    if (!w->m[i]) fprintf(stderr, "%s\n", error.text);
    CHECK(w->m[i]);
    void **words = (void **)(void *)&w->mine[i];
    CHECK(tide_root_add_range(places[i].heap, words, sizeof w->mine[i] / sizeof *words) == TIDE_OK);
  }
}

/* Every other thread ends without a word. */
static void *work(void *argument) {
  struct worker *w = argument;
  begin(w);
  for (uint64_t i = 0; i < w->steps; i++)
    hostile_step(w);
  for (unsigned i = 0; i < HEAPS; i++) {
    (void)tide_weak_slot_remove(w->m[i], &w->slots[i], TIDE_WEAK_BEFORE);
    CHECK(tide_root_remove_range(places[i].heap, &w->mine[i]) == TIDE_OK);
    if (w->seed % 2) CHECK(tide_detach(w->m[i]) == TIDE_OK);
  }
  return NULL;
}

static bool give_up(void *context, size_t bytes) {
  struct place *place = context;
  (void)bytes;
  struct tide_mutator *m = tide_current(place->heap);
  if (may_misuse && tide_alloc(m, TIDE_LAYOUT_LEAF, 16)) abort();
  (void)tide_collect_young(m);
  return false;
}

static void turn(uint64_t steps, uint64_t threads, uint64_t markers, uint32_t *seed) {
  struct tide_options options;
  tide_options_init(&options);
  options.heap_max_bytes = 64u << 20;
  options.write_barrier = true;
  options.out_of_memory = give_up;
  struct tide_mutator *m[HEAPS];
  for (unsigned i = 0; i < HEAPS; i++) {
    options.out_of_memory_context = &places[i];
    place_make(&places[i], markers ? (unsigned)markers : 1 + random_next(seed) % 4, options);
    m[i] = tide_attach(places[i].heap, NULL, NULL);
    CHECK(m[i]);
    place_fill(&places[i], m[i]);
  }
  struct worker *all = calloc(threads, sizeof *all);
  pthread_t *ids = calloc(threads, sizeof *ids);
  CHECK(all && ids);
  for (unsigned i = 0; i < HEAPS; i++)
    tide_blocking_enter(m[i]);
  for (uint64_t i = 0; i < threads; i++) {
    all[i] = (struct worker){.seed = random_next(seed), .kind = (enum kind)(i % 3), .steps = steps};
    CHECK(pthread_create(&ids[i], NULL, work, &all[i]) == 0);
  }
  for (uint64_t i = 0; i < threads; i++)
    CHECK(pthread_join(ids[i], NULL) == 0);
  for (unsigned i = 0; i < HEAPS; i++)
    tide_blocking_leave(m[i]);
  for (unsigned i = 0; i < HEAPS; i++) {
    struct tide_heap_stats stats;
    tide_heap_stats(places[i].heap, &stats);
    printf("heap %u: %" PRIu64 " collections, %" PRIu64 " of them young, %" PRIu64
           " KiB promoted, %" PRIu64 " KiB allocated\n",
           i, stats.collections, stats.young_collections, stats.promoted_bytes >> 10,
           stats.allocated_bytes >> 10);
    for (unsigned k = 0; k < 3000; k++) /* logs that nobody takes */
      slot_set(m[i], places[i].table, (void **)places[i].table + 1 + k,
               places[i].shared[k % SHARED]);
    CHECK(tide_detach(m[i]) == TIDE_OK && tide_heap_destroy(places[i].heap) == TIDE_OK);
  }
  free(all);
  free(ids);
}

int main(int count, char **arguments) {
  uint64_t steps = argument(count, arguments, 1, 4000), threads = argument(count, arguments, 2, 3);
  uint64_t turns = argument(count, arguments, 3, 2), markers = argument(count, arguments, 4, 0);
  uint32_t seed = (uint32_t)argument(count, arguments, 5, 2463534242u);
  for (uint64_t i = 0; i < turns; i++)
    turn(steps, threads, markers, &seed);
  printf("%" PRIu64 " finalizers ran, %" PRIu64 " forks, %" PRIu64 " freed, %" PRIu64
         " refused, %" PRIu64 " events\n",
         (uint64_t)hostile_counts.finalized, (uint64_t)hostile_counts.forks,
         (uint64_t)hostile_counts.freed, (uint64_t)hostile_counts.refused,
         (uint64_t)hostile_counts.events);
  return 0;
}
