/* Heaps of the wild driver: how they come and go, and who sits there. */
#include "tests/wild/wild.h"

struct place wild_places[PLACES];

/* Frees nothing; collects, and runs what need not allocate. */
static bool give_up(void *context, size_t bytes) {
  struct place *place = context;
  struct tide_mutator *m = tide_current(place->heap);
  (void)bytes;
  atomic_fetch_add_explicit(&wild_refused, 1, memory_order_relaxed);
  if (bytes % 3 == 0) (void)tide_collect_young(m);
  return false;
}

void wild_place_make(struct place *place, uint32_t *seed) {
  struct tide_options options;
  struct tide_error error;
  tide_options_init(&options);
  uint32_t dice = random_next(seed);
  place->small = dice % 4 == 0;
  options.heap_max_bytes = place->small ? 4u << 20 : 64u << 20;
  options.heap_initial_bytes = dice % 3 ? 1u << 20 : 0;
  options.markers = 1 + random_next(seed) % 4;
  options.write_barrier = dice % 5 < 3;
  options.small_pages = dice % 2;
  options.helpers_after_ms = dice % 7 == 0 ? 3 : 0;
  options.out_of_memory = give_up;
  options.out_of_memory_context = place;
  place->heap = tide_heap_create(&options, &error);
  if (!place->heap) fprintf(stderr, "%s\n", error.text);
  CHECK(place->heap);
  wild_layouts(place);
  atomic_fetch_add_explicit(&wild_heaps, 1, memory_order_relaxed);
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
  struct tide_attach_options options;
  struct tide_error error;
  tide_attach_options_init(&options);
  options.stack = w->kind == PRECISE ? TIDE_STACK_PRECISE : TIDE_STACK_CONSERVATIVE;
  options.stop = w->kind == SIGNALLED ? TIDE_STOP_SIGNAL : TIDE_STOP_POLL;
  *seat = (struct seat){.place = place};
  seat->m = tide_attach(place->heap, &options, &error);
  if (!seat->m) fprintf(stderr, "%s\n", error.text);
  CHECK(seat->m && tide_current(place->heap) == seat->m);
  CHECK(!tide_attach(place->heap, NULL, &error) && error.status == TIDE_ERROR_STATE); /* twice */
  CHECK(tide_root_add_range(place->heap, seat->held, SLOTS) == TIDE_OK);
  CHECK(tide_root_add_range(place->heap, &seat->weak, 4) == TIDE_OK);
}

void wild_rise(struct worker *w, unsigned number, bool detach) {
  struct seat *seat = &w->seat[number];
  struct place *place = seat->place;
  if (!place) return;
  CHECK(tide_root_remove_range(place->heap, seat->held) == TIDE_OK);
  CHECK(tide_root_remove_range(place->heap, &seat->weak) == TIDE_OK);
  if (detach) CHECK(tide_detach(seat->m) == TIDE_OK);
  seat->place = NULL;
  /* release [wild.place]: what was done to the heap comes before its end. */
  atomic_fetch_sub_explicit(&place->users, 1, memory_order_release);
}

void wild_replace(struct worker *w) {
  struct place *place = &wild_places[below(w, PLACES)];
  int nobody = 0;
  /* acquire [wild.place] */
  if (!atomic_compare_exchange_strong_explicit(&place->users, &nobody, -1, memory_order_acquire,
                                               memory_order_relaxed))
    return;
  CHECK(tide_heap_destroy(place->heap) == TIDE_OK);
  wild_place_make(place, &w->seed);
  /* release [wild.place] */
  atomic_store_explicit(&place->users, 0, memory_order_release);
}

static const char *some_engine(struct worker *w) {
  unsigned count = 0;
  while (tide_engine_name(count))
    count++;
  return tide_engine_name(below(w, count));
}

/* Each may be refused: an engine for one marker, no memory. */
void wild_configure(struct worker *w, struct seat *seat) {
  struct tide_heap *heap = seat->place->heap;
  switch (below(w, 8)) {
  case 0:
    tide_heap_set_markers(heap, 1 + below(w, 6), NULL);
    break;
  case 1:
    tide_heap_set_engine(heap, some_engine(w), NULL);
    break;
  case 2:
    tide_heap_set_policy(heap, tide_policy_name(below(w, 3)), NULL);
    break;
  case 3:
    tide_heap_set_max(heap, (size_t)(2 + below(w, seat->place->small ? 4 : 62)) << 20, NULL);
    break;
  case 4:
    tide_heap_set_sizing(heap, (enum tide_sizing)below(w, 5), 0, NULL);
    break;
  case 5:
    tide_heap_grow(heap, (size_t)below(w, 4) << 20);
    break;
  case 6:
    tide_timeline_begin(heap, below(w, 2) * 500);
    break;
  default:
    if (tide_external_add(seat->m, 1 << 20) == TIDE_OK) tide_external_add(seat->m, -(1 << 20));
  }
}
