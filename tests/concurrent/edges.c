/* SPDX-License-Identifier: MIT */
/* What happens to objects while a collection marks beside the program: each function lets one
 * begin, does something that could lose an object, lets it end, and looks. Under TIDE_VERIFY=1 the
 * marks are compared with what is reachable then. */
#include "tests/concurrent/nodes.h"

enum { MOST = 64 << 20 };
static bool has_young;

/* Other objects take the place of what has died. */
static void refill(void) {
  CHECK(tide_collect(h.m) == TIDE_OK);
  make_many();
}

static void what_is_overwritten_lives(void) {
  build_chain();
  held_begin(&h);
  struct node **kept = (struct node **)tide_handle(h.m, roots[0]->next);
  tide_write(h.m, roots[0], &roots[0]->next, NULL);
  put(0, NULL);
  struct tide_cycle_stats stats = held_end(&h);
  CHECK(stats.overwritten >= 2 && !stats.stopped_because);
  CHECK(stats.stops >= (has_young ? 3 : 2));
  CHECK(stats.kind == TIDE_CYCLE_FULL && stats.concurrent_ns > 0);
  refill();
  stats = cycle_of(h.heap);
  CHECK(stats.overwritten + stats.concurrent_ns + stats.stops + stats.stops_ns[0] == 0 &&
        !stats.stopped_because);
  CHECK((*kept)->number == 2 && (*kept)->next->number == 3);
}

static void what_is_new_lives(void) {
  held_begin(&h);
  for (size_t i = 0; i < ROOTS; i++)
    put(i, make(i));
  put(1, new_object(h.m, TIDE_LAYOUT_REFS, (size_t)1 << 20));
  put(2, new_object(h.m, TIDE_LAYOUT_REFS, 50000));
  held_end(&h);
  refill();
  for (size_t i = 3; i < ROOTS; i++)
    CHECK(roots[i]->number == i);
  CHECK(tide_object_bytes(h.heap, roots[1]) >= (size_t)1 << 20);
  CHECK(tide_object_bytes(h.heap, roots[2]) >= 50000);
}

/* Hides what is only weakly reachable from the stack, where it would be found. */
static __attribute__((noinline)) struct tide_weak *weak_to(uint64_t number) {
  return tide_weak_new(h.m, make(number), TIDE_WEAK_BEFORE);
}

static void what_weak_references_give_lives(void) {
  struct tide_weak **weak = (struct tide_weak **)tide_handle(h.m, weak_to(7));
  struct tide_weak **lost = (struct tide_weak **)tide_handle(h.m, weak_to(8));
  held_begin(&h);
  put(0, tide_weak_get(h.m, *weak));
  held_end(&h);
  refill();
  CHECK(roots[0] && roots[0]->number == 7 && tide_weak_get(h.m, *weak) == roots[0]);
  CHECK(!tide_weak_get(h.m, *lost));
}

static __attribute__((noinline)) struct tide_ephemeron *ephemeron_of(uint64_t key, uint64_t value) {
  struct node **held = (struct node **)tide_handle(h.m, make(key));
  struct tide_ephemeron *made = tide_ephemeron_new(h.m, *held, make(value));
  *held = NULL;
  return made;
}

static void what_ephemerons_give_lives(void) {
  struct tide_ephemeron **one = (struct tide_ephemeron **)tide_handle(h.m, ephemeron_of(1, 2));
  held_begin(&h);
  put(0, tide_ephemeron_value(h.m, *one));
  held_end(&h);
  refill();
  CHECK(roots[0] && roots[0]->number == 2);
}

static uint64_t hash(const void *key, void *context) {
  return ((const struct node *)key)->number;
}

static bool equal(const void *a, const void *b, void *context) {
  return hash(a, context) == hash(b, context);
}

static __attribute__((noinline)) void fill(struct tide_weak_table *table) {
  for (uint64_t i = 1; i <= 100; i++) {
    struct node **key = (struct node **)tide_handle(h.m, make(i));
    CHECK(tide_weak_table_put(h.m, table, *key, make(1000 + i)));
    *key = NULL;
  }
}

/* Keys that nothing else refers to are given out, and their entries removed. */
static void what_weak_tables_give_lives(void) {
  struct tide_weak_table **table = (struct tide_weak_table **)tide_handle(
      h.m, tide_weak_table_new_by_content(h.m, hash, equal, NULL));
  CHECK(*table);
  fill(*table);
  held_begin(&h);
  struct node wanted = {NULL, 5}, other = {NULL, 6};
  put(0, tide_weak_table_get(h.m, *table, &wanted));
  put(1, tide_weak_table_key(h.m, *table, &other));
  CHECK(tide_weak_table_remove(h.m, *table, &wanted));
  held_end(&h);
  refill();
  CHECK(roots[0] && roots[0]->number == 1005 && roots[1] && roots[1]->number == 6);
  CHECK(tide_weak_table_count(h.m, *table) == 1);
}

/* It lets go what has died while that is marked, and takes a smaller array. */
static void what_weak_tables_keep_lives(void) {
  struct tide_weak_table **table =
      (struct tide_weak_table **)tide_handle(h.m, tide_weak_table_new(h.m));
  fill(*table);
  put(0, make(1));
  put(1, make(2));
  CHECK(tide_weak_table_put(h.m, *table, roots[0], make(3)));
  CHECK(tide_collect(h.m) == TIDE_OK);
  held_begin(&h);
  CHECK(tide_weak_table_put(h.m, *table, roots[1], make(4)));
  held_end(&h);
  refill();
  CHECK(((struct node *)tide_weak_table_get(h.m, *table, roots[0]))->number == 3);
  CHECK(((struct node *)tide_weak_table_get(h.m, *table, roots[1]))->number == 4);
}

/* What it refers to was reachable through it. */
static void what_is_freed_is_looked_into(void) {
  build_chain();
  void *large = new_object(h.m, TIDE_LAYOUT_REFS, (size_t)1 << 20);
  struct node ***kept_large = (struct node ***)tide_handle(h.m, large);
  (*kept_large)[100000] = make(9);
  held_begin(&h);
  struct node **kept = (struct node **)tide_handle(h.m, roots[0]->next);
  struct node **last = (struct node **)tide_handle(h.m, (*kept_large)[100000]);
  struct node *first = roots[0];
  put(0, NULL);
  CHECK(tide_free(h.m, first) == TIDE_OK);
  CHECK(tide_resize_in_place(h.m, *kept_large, 4096));
  CHECK(!tide_resize_in_place(h.m, *kept_large, (size_t)2 << 20));
  CHECK(tide_free(h.m, *kept_large) == TIDE_OK);
  *kept_large = NULL;
  held_end(&h);
  refill();
  CHECK((*kept)->number == 2 && (*kept)->next->number == 3 && (*last)->number == 9);
}

/* ---- Threads ---- */

static void *come_and_go(void *unused) {
  SCOPED_MUTATOR m = ATTACH(h.heap);
  struct node *taken = roots[0]->next, *made = list_node(m, layout, 0);
  tide_write(m, roots[0], &roots[0]->next, NULL);
  tide_write(m, made, &made->next, taken);
  tide_write(m, roots, &roots[1], made);
  return unused;
}

static void threads_come_and_go(void) {
  build_chain();
  held_begin(&h);
  thread_end(h.m, thread_new(come_and_go, NULL)); /* it has waited for nobody */
  held_end(&h);
  refill();
  CHECK(roots[1]->next->number == 2 && !roots[0]->next);
}

static void another_collection_waits(void) {
  struct held_other other = {.collect = tide_collect};
  held_other_begin(&h, &other);
  held_other_end(&other);
}

/* It is owed until a collection is over; nobody stops the program for it meanwhile. */
static void external_memory_begins_one(void) {
  if (has_young) { /* or one of these would come first */
    CHECK(tide_heap_set_young(h.heap, TIDE_YOUNG_NEVER) == TIDE_OK);
    CHECK(tide_collect(h.m) == TIDE_OK);
  }
  const struct tide_heap_stats before = stats_of(h.heap);
  CHECK(tide_external_add(h.m, (ptrdiff_t)1 << 32) == TIDE_OK);
  do
    make(0);
  while (stats_of(h.heap).collections == before.collections);
  const struct tide_heap_stats after = stats_of(h.heap);
  CHECK(after.concurrent_collections > before.concurrent_collections);
  CHECK(after.degenerate_collections == before.degenerate_collections);
  CHECK(tide_external_add(h.m, -((ptrdiff_t)1 << 32)) == TIDE_OK);
  if (has_young) CHECK(tide_heap_set_young(h.heap, TIDE_YOUNG_ALWAYS) == TIDE_OK);
}

/* An object whose slots lie outside of the heap, and get more and fewer meanwhile. */
struct list {
  _Atomic(struct node **) slots; /* LIST of them */
};
enum { LIST = 100 };
static atomic_uint traced;

static void trace_list(void *object, size_t bytes, struct tide_tracer *tracer, void *context) {
  struct node **slots = atomic_load(&((struct list *)object)->slots);
  atomic_fetch_add(&traced, 1);
  CHECK(tide_heap_set_max(h.heap, 1 << 26, NULL) == TIDE_ERROR_STATE);
  if (slots) tide_trace_range(tracer, (void *const *)slots, LIST);
}

static void what_is_traced_lives(void) {
  tide_layout lists = tide_layout_traced_concurrent(h.heap, trace_list, NULL, NULL);
  CHECK(lists != TIDE_LAYOUT_INVALID);
  struct list **list = (struct list **)tide_handle(h.m, tide_alloc(h.m, lists, sizeof **list));
  struct node **slots = calloc((size_t)2 * LIST, sizeof *slots), **others = slots + LIST;
  CHECK(list && *list && slots);
  atomic_store(&(*list)->slots, slots);
  for (uint64_t i = 0; i < LIST; i++)
    slots[i] = make(i);
  held_begin(&h);
  for (uint64_t i = 0; i < LIST; i++) { /* the other way round, into other memory */
    others[LIST - 1 - i] = slots[i];
    tide_write(h.m, *list, &slots[i], NULL);
  }
  atomic_store(&(*list)->slots, others);
  struct tide_cycle_stats stats = held_end(&h);
  CHECK(!stats.stopped_because && stats.overwritten >= LIST);
  refill();
  for (uint64_t i = 0; i < LIST; i++)
    CHECK((*list)->slots[i]->number == LIST - 1 - i);
  CHECK(atomic_load(&traced) >= 2);
  atomic_store(&(*list)->slots, NULL); /* a word on the stack may keep the object */
  *list = NULL;
  CHECK(tide_collect(h.m) == TIDE_OK); /* and one that goes on may look at them */
  free(slots);
}

/* An object that has its reference inverted: only its trace function knows that one. */
struct box {
  atomic_uintptr_t inverted; /* or 0 */
};

static void trace_box(void *object, size_t bytes, struct tide_tracer *tracer, void *context) {
  const uintptr_t inverted = atomic_load(&((struct box *)object)->inverted);
  if (inverted) tide_trace(tracer, (const void *)~inverted);
}

static void box_set(struct box *box, uintptr_t inverted) {
  tide_write_begin(h.m, box, &box->inverted, 1);
  atomic_store(&box->inverted, inverted);
}

static __attribute__((noinline)) struct box **box_of(uint64_t number) {
  tide_layout boxes = tide_layout_traced_concurrent(h.heap, trace_box, NULL, NULL);
  CHECK(boxes != TIDE_LAYOUT_INVALID);
  struct box **box = (struct box **)tide_handle(h.m, tide_alloc(h.m, boxes, sizeof **box));
  CHECK(*box);
  box_set(*box, ~(uintptr_t)make(number));
  return box;
}

static void what_is_encoded_lives(void) {
  struct box **box = box_of(7);
  held_begin(&h);
  struct node **kept = (struct node **)tide_handle(h.m, (void *)~(*box)->inverted);
  box_set(*box, 0);
  CHECK(!held_end(&h).stopped_because);
  refill();
  CHECK((*kept)->number == 7);
}

/* Without young collections, each of which would be verified. */
static void set_young(enum tide_young young) {
  if (!has_young) return;
  CHECK(tide_heap_set_young(h.heap, young) == TIDE_OK && tide_collect(h.m) == TIDE_OK);
}

/* The program goes on until fresh blocks are scarce. From there on it waits for a while, again and
 * again, though no thread waits for the end. */
static void who_allocates_much_waits(void) {
  enum { BYTES = 8192 };
  void ***all = (void ***)tide_handle(h.m, NULL);
  set_young(TIDE_YOUNG_NEVER);
  held_begin(&h);
  do {
    void **link = new_object(h.m, TIDE_LAYOUT_REFS, BYTES);
    link[0] = *all;
    *all = link;
  } while (stats_of(h.heap).heap_bytes < MOST / 16 * 13);
  struct tide_cycle_stats cycle = held_end(&h);
  *all = NULL;
  CHECK(cycle.paced_ns > 0 && !cycle.stopped_because);
  CHECK(tide_collect(h.m) == TIDE_OK);
  held_begin(&h);
  cycle = held_end(&h);
  CHECK(cycle.paced_ns == 0);
  set_young(TIDE_YOUNG_ALWAYS);
}

int main(void) {
  nodes_open(MOST);
  has_young = tide_heap_set_young(h.heap, TIDE_YOUNG_ALWAYS) == TIDE_OK;
  RUN_EACH(what_is_overwritten_lives, what_is_new_lives, what_weak_references_give_lives,
           what_ephemerons_give_lives, what_weak_tables_give_lives, what_weak_tables_keep_lives,
           what_is_freed_is_looked_into, threads_come_and_go, another_collection_waits,
           external_memory_begins_one, what_is_traced_lives, what_is_encoded_lives,
           who_allocates_much_waits);
  held_close(&h);
  return 0;
}
