/* SPDX-License-Identifier: MIT */
/* Collections of a tiny heap, very many: epochs come round thousands of times, and the price of a
 * collection with nothing to do shows. With a second marker, and with a second mutator that sits
 * in a blocking section, as they must not cost anything either.
 * Arguments: collections. */
#include <time.h>

#include "tests/stress/list.h"

enum { NODES = 100 };

static _Atomic(int) phase; /* 0: not attached yet, 1: in its region, 2: leave */

static void *sit_still(void *heap) {
  SCOPED_MUTATOR m = ATTACH(heap);
  struct node *mine = (struct node *)tide_alloc(m, TIDE_LAYOUT_LEAF, sizeof *mine);
  CHECK(mine);
  mine->number = 4711;
  tide_blocking_enter(m);
  atomic_store_explicit(&phase, 1, memory_order_release);
  while (atomic_load_explicit(&phase, memory_order_acquire) != 2) {
    struct timespec nap = {.tv_nsec = 1000000};
    nanosleep(&nap, NULL);
  }
  tide_blocking_leave(m);
  CHECK(mine->number == 4711);
  return NULL;
}

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void collect_often(struct tide_heap *heap, uint64_t collections, const char *what) {
  SCOPED_MUTATOR m = ATTACH(heap);
  const tide_layout layout = list_layout(heap);
  size_t scope = tide_scope_open(m);
  void **head = tide_handle(m, list_build(m, layout, NODES));
  uint64_t begin = now_ns();
  for (uint64_t i = 0; i < collections; i++) {
    CHECK(tide_collect(m) == TIDE_OK);
    if (i % 16 == 0) { /* another head, another free cell */
      struct node *node = (struct node *)tide_alloc(m, layout, sizeof *node);
      CHECK(node && node->next == NULL && node->number == 0);
      memcpy(node, *head, sizeof *node);
      *head = node;
    }
  }
  uint64_t ns = now_ns() - begin;
  list_check(*head, NODES);
  CHECK(cycle_of(heap).number >= collections);
  struct tide_error error;
  CHECK(tide_check_heap(m, &error) == TIDE_OK);
  printf("%s: %" PRIu64 " collections, %" PRIu64 " ns each\n", what, collections, ns / collections);
  CHECK(tide_scope_close(m, scope) == TIDE_OK);
}

int main(int count, char **arguments) {
  uint64_t collections = argument(count, arguments, 1, 20000);
  CHECK(collections > 0);
  struct tide_heap *heap = HEAP(.heap_max_bytes = 16u << 20, .markers = 1);
  collect_often(heap, collections, "one marker");
  CHECK(tide_heap_destroy(heap) == TIDE_OK);
  heap = HEAP(.heap_max_bytes = 16u << 20, .markers = 2);
  collect_often(heap, collections, "two markers");
  pthread_t thread = thread_new(sit_still, heap);
  while (atomic_load_explicit(&phase, memory_order_acquire) != 1) {
  }
  collect_often(heap, collections, "beside a blocked mutator");
  atomic_store_explicit(&phase, 2, memory_order_release);
  thread_end(NULL, thread);
  CHECK(tide_heap_destroy(heap) == TIDE_OK);
  return 0;
}
