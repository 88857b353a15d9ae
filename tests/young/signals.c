/* SPDX-License-Identifier: MIT */
/* Threads that a signal stops anywhere, so also between the barrier and the store and inside the
 * barrier, write references to young objects into old ones all the time, while young and full
 * collections come one after the other. Every reference leads to what was stored.
 * Arguments: collections, workers. */
#include "tests/stress/list.h"
#include "tests/young/heap.h"

enum { HOLDERS = 600, SLOTS = 2000 };

static struct tide_heap *heap;
static tide_layout layout;
static _Atomic(bool) finished;

static struct node *make(struct tide_mutator *m, struct node *next, uint64_t number) {
  struct node *fresh = list_node(m, layout, number);
  tide_write(m, fresh, &fresh->next, next); /* it may be old already */
  return fresh;
}

/* What a worker has: small objects, which are logged as a whole, and a long array, which is logged
 * by the slot. `number` counts what was stored there. */
struct own {
  struct node *holder[HOLDERS];
  void **array;
  uint64_t holder_number[HOLDERS], slot_number[SLOTS];
};

static void check(const struct node *node, uint64_t number) {
  CHECK(node && node->number == number && node->next && node->next->number == number);
}

/* Stores what is there already. So most of the time goes into the barrier. */
static void write_again(struct tide_mutator *m, const struct own *own) {
  for (unsigned times = 0; times < 20; times++) {
    for (unsigned i = 0; i < HOLDERS; i++)
      tide_write(m, own->holder[i], &own->holder[i]->next, own->holder[i]->next);
    free(malloc(1)); /* where ThreadSanitizer lets signals through */
  }
}

static void turn(struct tide_mutator *m, struct own *own, uint64_t number) {
  for (unsigned i = 0; i < HOLDERS; i++) {
    struct node *holder = own->holder[i];
    if (holder->next) check(holder->next, own->holder_number[i]);
    tide_write(m, holder, &holder->next, make(m, make(m, NULL, number + i), number + i));
    own->holder_number[i] = number + i;
  }
  for (unsigned i = 0; i < SLOTS; i += 3) {
    unsigned at = (unsigned)(number + i) % SLOTS;
    if (own->array[at]) check(own->array[at], own->slot_number[at]);
    tide_write(m, own->array, &own->array[at], make(m, make(m, NULL, number + i), number + i));
    own->slot_number[at] = number + i;
  }
}

static void *work(void *unused) {
  SCOPED_MUTATOR m = ATTACH(heap, .stop = TIDE_STOP_SIGNAL);
  static _Thread_local struct own own;
  void *volatile array = own.array = tide_alloc_array(m, TIDE_LAYOUT_REFS, SLOTS, sizeof(void *));
  CHECK(own.array);
  void **list = tide_alloc_array(m, TIDE_LAYOUT_REFS, HOLDERS, sizeof(void *));
  void **volatile kept = list;
  CHECK(list);
  for (unsigned i = 0; i < HOLDERS; i++) {
    own.holder[i] = NULL;
    void *holder = make(m, NULL, i);
    tide_write(m, list, &list[i], holder);
    own.holder[i] = holder;
  }
  for (uint64_t number = 1; !atomic_load_explicit(&finished, memory_order_relaxed); number += 5)
    turn(m, &own, number), write_again(m, &own);
  CHECK(array == own.array && kept);
  return unused;
}

int main(int count, char **arguments) {
  uint64_t collections = argument(count, arguments, 1, 4000);
  uint64_t workers = argument(count, arguments, 2, 2);
  heap = young_heap(2);
  layout = list_layout(heap);
  struct tide_mutator *m = ATTACH(heap, .stop = TIDE_STOP_SIGNAL);
  const struct crew crew = crew_new(work, workers);
  uint32_t seed = 4711;
  for (uint64_t i = 0; i < collections; i++) {
    bool full = random_next(&seed) % 8 == 0;
    CHECK((full ? tide_collect : tide_collect_young)(m) == TIDE_OK);
    for (volatile uint32_t wait = random_next(&seed) % 20000; wait; wait--)
      continue;
  }
  atomic_store_explicit(&finished, true, memory_order_relaxed);
  crew_end(m, &crew);
  CHECK(is_sound(m));
  young_heap_end(heap, m, collections / 8 + 1);
  return 0;
}
