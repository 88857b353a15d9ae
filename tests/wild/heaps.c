/* SPDX-License-Identifier: MIT */
/* Heaps of the wild driver: how they come and go, and who sits there. */
#include "tests/wild/wild.h"

struct place wild_places[PLACES];

/* Frees nothing; collects, and runs what need not allocate. */
static bool give_up(void *context, size_t bytes) {
  struct place *place = context;
  struct tide_mutator *m = tide_current(place->heap);
  count(&wild_counts.refused);
  if (may_misuse) CHECK(!tide_alloc(m, TIDE_LAYOUT_LEAF, 16));
  if (bytes % 3 == 0) (void)tide_collect_young(m);
  return false;
}

static struct tide_mutator *attach(struct place *place, enum kind kind) {
  struct tide_error error;
  struct tide_mutator *m =
      ATTACH(place->heap, .stack = kind == PRECISE ? TIDE_STACK_PRECISE : TIDE_STACK_CONSERVATIVE,
             .stop = kind == SIGNALLED ? TIDE_STOP_SIGNAL : TIDE_STOP_POLL);
  CHECK(tide_current(place->heap) == m);
  CHECK(!tide_attach(place->heap, NULL, &error) && error.status == TIDE_ERROR_STATE); /* twice */
  return m;
}

/* Makes what the threads will share. */
static void furnish(struct place *place, enum kind kind) {
  struct tide_heap *heap = place->heap;
  memset(place->shared, 0, sizeof place->shared);
  place->table = place->weak_table = NULL;
  CHECK(tide_root_add_range(heap, place->shared, SHARED) == TIDE_OK);
  CHECK(tide_root_add(heap, &place->table) == TIDE_OK);
  CHECK(tide_root_add(heap, &place->weak_table) == TIDE_OK);
  wild_layouts(place);
  struct tide_mutator *m = attach(place, kind);
  void *array = tide_alloc_array(m, place->layout[REPEATED], 2, 24);
  CHECK(array);
  place->array = tide_object_layout(heap, array);
  place->table = object_new(place, m, REFS, TABLE_SLOTS * 8);
  place->weak_table = tide_weak_table_new(m);
  CHECK(place->table && place->weak_table && tide_detach(m) == TIDE_OK);
}

void wild_place_make(struct place *place, enum kind kind, uint32_t *seed) {
  uint32_t dice = random_next(seed);
  place->small = dice % 4 == 0;
  place->heap = HEAP(.heap_max_bytes = place->small ? 4u << 20 : 64u << 20,
                     .heap_initial_bytes = dice % 3 ? 1u << 20 : 0,
                     .markers = 1 + random_next(seed) % 4, .write_barrier = dice % 5 < 4,
                     .small_pages = dice % 2, .helpers_after_ms = dice % 7 == 0 ? 3 : 0,
                     .out_of_memory = give_up, .out_of_memory_context = place);
  furnish(place, kind);
  count(&wild_counts.heaps);
}

/* There is a log that nobody takes. */
void wild_place_end(struct place *place, enum kind kind) {
  struct tide_mutator *m = attach(place, kind);
  for (unsigned i = 0; i < 3000; i++)
    slot_set(m, place->table, (void **)place->table + 1 + i, place->shared[i % SHARED]);
  CHECK(tide_detach(m) == TIDE_OK && tide_heap_destroy(place->heap) == TIDE_OK);
}

/* acquire [wild.place]: the heap is seen by who may sit there. */
static bool reserve(struct place *place) {
  int users = atomic_load_explicit(&place->users, memory_order_relaxed); /* checked below */
  while (users >= 0)
    if (atomic_compare_exchange_weak_explicit(&place->users, &users, users + 1,
                                              memory_order_acquire, memory_order_relaxed))
      return true;
  return false;
}

void wild_sit(struct worker *w, unsigned number) {
  struct seat *seat = &w->seat[number];
  struct place *place = &wild_places[number];
  /* In a child others' seats are never left, and a heap that was being replaced never comes. */
  if (seat->place || !reserve(place)) return;
  *seat = (struct seat){.place = place};
  seat->m = attach(place, w->kind);
  CHECK(tide_root_add_range(place->heap, (void **)(void *)&seat->mine,
                            sizeof seat->mine / sizeof(void *)) == TIDE_OK);
}

void wild_rise(struct worker *w, unsigned number, bool detach) {
  struct seat *seat = &w->seat[number];
  struct place *place = seat->place;
  if (!place) return;
  if (detach) (void)tide_weak_slot_remove(seat->m, &seat->slot, TIDE_WEAK_BEFORE);
  CHECK(tide_root_remove_range(place->heap, (void **)(void *)&seat->mine) == TIDE_OK);
  if (detach) CHECK(tide_detach(seat->m) == TIDE_OK);
  seat->place = NULL;
  /* release [wild.place]: what was done to the heap comes before its end. */
  atomic_fetch_sub_explicit(&place->users, 1, memory_order_release);
}

void wild_replace(struct worker *w) {
  struct place *place = &wild_places[below_of(w, PLACES)];
  int nobody = 0;
  /* acquire [wild.place] */
  if (!atomic_compare_exchange_strong_explicit(&place->users, &nobody, -1, memory_order_acquire,
                                               memory_order_relaxed))
    return;
  wild_place_end(place, w->kind);
  wild_place_make(place, w->kind, &w->seed);
  /* release [wild.place] */
  atomic_store_explicit(&place->users, 0, memory_order_release);
}
