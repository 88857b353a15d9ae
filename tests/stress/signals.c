/* SPDX-License-Identifier: MIT */
/* Threads that never poll: a signal stops them wherever they are. They build lists and trees and
 * check them, and between allocations stand inside malloc, inside stdio with a stream's lock, or in
 * loops without a call. Others collect all the time, and gathering roots needs more and more memory
 * meanwhile; whoever waited for a lock of the C library there would wait for ever.
 * Arguments: seconds times ten, workers. */
#include "tests/stress/list.h"

static struct tide_heap *heap;
static tide_layout node_layout;
static _Atomic(bool) finished;
static _Atomic(uint64_t) spins;
static FILE *nowhere;

/* Cells of many classes and layouts, so that many runs are open when the signal comes. */
static void check_sizes(struct tide_mutator *m, uint32_t *seed) {
  void *kept[64];
  size_t bytes[64];
  for (int i = 0; i < 64; i++) {
    bytes[i] = 8 + random_next(seed) % (i % 8 ? 500 : 40000);
    unsigned char *object =
        tide_alloc(m, i % 2 ? TIDE_LAYOUT_LEAF : TIDE_LAYOUT_CONSERVATIVE, bytes[i]);
    CHECK(object);
    for (size_t b = 0; b < bytes[i]; b++)
      CHECK(object[b] == 0);
    memset(object, i + 1, bytes[i]);
    kept[i] = object;
  }
  for (int i = 0; i < 64; i++)
    for (size_t b = 0; b < bytes[i]; b++)
      CHECK(((unsigned char *)kept[i])[b] == i + 1);
}

static void linger(uint32_t *seed) {
  const uint32_t where = random_next(seed) % 4;
  for (int i = 0; where == 0 && i < 200; i++) {
    void *volatile block = malloc(16 + random_next(seed) % 4000);
    free(block);
  }
  for (int i = 0; where == 1 && i < 50; i++)
    fprintf(nowhere, "%d of %s\n", i, "many");
  for (int i = 0; where == 2 && i < 20000; i++)
    atomic_fetch_add_explicit(&spins, 1, memory_order_relaxed);
  if (where == 2) free(malloc(1)); /* where ThreadSanitizer lets signals through */
}

static void *work(void *number) {
  struct tide_mutator *m = ATTACH(heap, .stop = TIDE_STOP_SIGNAL);
  uint32_t seed = 77 + (uint32_t)(uintptr_t)number;
  struct node *old = list_build(m, node_layout, 1000);
  while (!atomic_load_explicit(&finished, memory_order_relaxed)) {
    uint64_t length = random_next(&seed) % 400;
    struct node *list = list_build(m, node_layout, length);
    linger(&seed);
    list_check(list, length);
    list_check(old, 1000);
    if (random_next(&seed) % 8 == 0) check_sizes(m, &seed);
    if (random_next(&seed) % 64 == 0) {
      CHECK(tide_detach(m) == TIDE_OK);
      m = ATTACH(heap, .stop = TIDE_STOP_SIGNAL);
      old = list_build(m, node_layout, 1000);
    }
  }
  CHECK(tide_detach(m) == TIDE_OK);
  return NULL;
}

/* More roots and deeper stacks from time to time: the lists of spans and words grow while threads
 * stand inside malloc. */
static void collect_deep(struct tide_mutator *m, unsigned depth) {
  void *volatile words[256];
  for (int i = 0; i < 256; i++)
    words[i] = tide_alloc(m, TIDE_LAYOUT_LEAF, 16);
  if (depth == 0)
    CHECK(tide_collect(m) == TIDE_OK);
  else
    collect_deep(m, depth - 1);
  CHECK(words[depth % 256]);
}

static void fork_once(struct tide_mutator *m, const struct node *list) {
  pid_t child = fork();
  if (child == 0) {
    list_check(list, 500);
    list_check(list_build(m, node_layout, 2000), 2000);
    CHECK(tide_collect(m) == TIDE_OK);
    list_check(list, 500);
    _exit(0);
  }
  expect_child(child);
}

int main(int count, char **arguments) {
  uint64_t tenths = argument(count, arguments, 1, 30);
  uint64_t workers = argument(count, arguments, 2, 3);
  heap = HEAP(.heap_max_bytes = 256u << 20, .heap_initial_bytes = 1u << 20, .markers = 2);
  CHECK(nowhere = fopen("/dev/null", "w"));
  node_layout = list_layout(heap);
  struct tide_mutator *m = ATTACH(heap, .stop = TIDE_STOP_SIGNAL);
  CHECK(tide_stop_signal() > 0);
  const struct crew crew = crew_new(work, workers);
  struct node *list = list_build(m, node_layout, 500);
  const uint64_t end = now_ns() + tenths * 100000000;
  uint64_t turns = 0, forks = 0;
  do {
    collect_deep(m, turns % 64 == 63 ? 40 : turns % 4);
    void **roots = calloc(600, sizeof *roots);
    for (int i = 0; i < 600; i += 2)
      CHECK(tide_root_add_range(heap, &roots[i], 1) == TIDE_OK);
    CHECK(tide_collect(m) == TIDE_OK);
    for (int i = 0; i < 600; i += 2)
      CHECK(tide_root_remove_range(heap, &roots[i]) == TIDE_OK);
    free(roots);
    if (turns++ % 8 == 0) fork_once(m, list), forks++;
    list_check(list, 500);
  } while (now_ns() < end);
  atomic_store_explicit(&finished, true, memory_order_relaxed);
  CHECK(tide_detach(m) == TIDE_OK);
  crew_end(NULL, &crew);
  printf("%" PRIu64 " collections, %" PRIu64 " forks\n", stats_of(heap).collections, forks);
  CHECK(tide_heap_destroy(heap) == TIDE_OK);
  fclose(nowhere);
  return 0;
}
