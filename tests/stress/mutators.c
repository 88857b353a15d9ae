/* Threads come and go: each attaches, builds lists that only its stack or its handles hold,
 * checks their contents after every so many allocations, collects now and then, spends time in
 * blocking regions, and leaves, by detaching or by simply ending.
 * Arguments: rounds (per worker), workers. */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "tests/stress/driver.h"
#include "tide/stats.h"
#include "tide/tide.h"

struct node {
  struct node *next;
  uint64_t number;
};

static struct tide_heap *heap;
static tide_layout node_layout;

static struct node *build(struct tide_mutator *m, void **head, uint32_t *seed, uint64_t tag) {
  struct node *first = NULL;
  uint32_t length = 1 + random_next(seed) % 200;
  for (uint32_t i = 0; i < length; i++) {
    struct node *fresh =
        (struct node *)tide_alloc(m, node_layout, sizeof *fresh + random_next(seed) % 600);
    CHECK(fresh && fresh->next == NULL && fresh->number == 0);
    fresh->number = tag + i;
    fresh->next = head ? *head : first;
    if (head)
      *head = fresh;
    else
      first = fresh;
    if (random_next(seed) % 64 == 0) tide_alloc(m, TIDE_LAYOUT_LEAF, 40000);
    tide_safepoint(m);
  }
  return head ? *head : first;
}

static void check_list(const struct node *at, uint64_t tag) {
  uint64_t expected = at->number;
  for (; at; at = at->next)
    CHECK(at->number == expected--);
  CHECK(expected == tag - 1);
}

static void session(uint32_t *seed, bool precise, bool leave) {
  struct tide_attach_options options;
  tide_attach_options_init(&options);
  options.stack = precise ? TIDE_STACK_PRECISE : TIDE_STACK_CONSERVATIVE;
  struct tide_error error;
  struct tide_mutator *m = tide_attach(heap, &options, &error);
  CHECK(m && error.status == TIDE_OK);
  CHECK(tide_current(heap) == m);
  CHECK(!tide_attach(heap, NULL, &error) && error.status == TIDE_ERROR_STATE);
  for (int i = 0; i < 3; i++) {
    uint64_t tag = (uint64_t)random_next(seed) << 20;
    size_t scope = tide_scope_open(m);
    void **head = precise ? tide_handle(m, NULL) : NULL;
    struct node *list = build(m, head, seed, tag);
    if (random_next(seed) % 4 == 0) CHECK(tide_collect(m) == TIDE_OK);
    if (random_next(seed) % 4 == 0) {
      tide_blocking_enter(m);
      if (random_next(seed) % 2) usleep(50);
      tide_blocking_leave(m);
    }
    check_list(head ? *head : list, tag);
    if (!leave || i < 2) CHECK(tide_scope_close(m, scope) == TIDE_OK);
  }
  if (!leave) CHECK(tide_detach(m) == TIDE_OK);
}

struct worker {
  pthread_t thread;
  uint32_t seed;
  uint64_t rounds;
};

static void *short_life(void *seed) {
  session(seed, random_next(seed) % 2, true); /* ends attached, with a scope open */
  return NULL;
}

static void *work(void *argument) {
  struct worker *worker = argument;
  for (uint64_t i = 0; i < worker->rounds; i++) {
    session(&worker->seed, random_next(&worker->seed) % 2, false);
    if (i % 8 == 0) {
      pthread_t thread;
      uint32_t seed = worker->seed + 1;
      CHECK(pthread_create(&thread, NULL, short_life, &seed) == 0);
      pthread_join(thread, NULL);
    }
  }
  return NULL;
}

int main(int count, char **arguments) {
  uint64_t rounds = argument(count, arguments, 1, 40);
  uint64_t workers = argument(count, arguments, 2, 6);
  struct tide_options options;
  tide_options_init(&options);
  options.heap_max_bytes = 64u << 20;
  options.heap_initial_bytes = 1u << 20;
  options.markers = 2;
  struct tide_error error;
  heap = tide_heap_create(&options, &error);
  if (!heap) fprintf(stderr, "%s\n", error.text);
  CHECK(heap);
  size_t offset = 0;
  node_layout = tide_layout_offsets(heap, sizeof(struct node), &offset, 1, NULL);
  CHECK(node_layout != TIDE_LAYOUT_INVALID);
  struct worker *all = calloc(workers, sizeof *all);
  for (uint64_t i = 0; i < workers; i++) {
    all[i] = (struct worker){.seed = 2463534242u + (uint32_t)i * 7919u, .rounds = rounds};
    CHECK(pthread_create(&all[i].thread, NULL, work, &all[i]) == 0);
  }
  for (uint64_t i = 0; i < workers; i++)
    pthread_join(all[i].thread, NULL);
  struct tide_heap_stats stats;
  tide_heap_stats(heap, &stats);
  CHECK(stats.mutators == 0);
  CHECK(stats.collections > 0);
  printf("%" PRIu64 " collections, %" PRIu64 " MiB allocated\n", stats.collections,
         stats.allocated_bytes >> 20);
  CHECK(tide_heap_destroy(heap) == TIDE_OK);
  free(all);
  return 0;
}
