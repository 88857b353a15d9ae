/* Objects of the hostile program. */
#include "tests/young/hostile.h"

/* The first word: the object's own address, as a reference where every word is one, and else as a
 * number. */
static uintptr_t stamp_of(const void *object, enum shape shape) {
  return (uintptr_t)object | (shape != REFS && shape != NEAR);
}

static void trace(void *object, size_t bytes, struct tide_tracer *tracer, void *context) {
  (void)context;
  tide_trace_range(tracer, (void *const *)object + 1, bytes / 8 - 1);
}

void place_make(struct place *place, unsigned markers, struct tide_options options) {
  struct tide_error error;
  options.markers = markers;
  *place = (struct place){.heap = tide_heap_create(&options, &error)};
  if (!place->heap) fprintf(stderr, "%s\n", error.text);
  CHECK(place->heap);
  struct tide_heap *heap = place->heap;
  size_t two[] = {8, 16};
  uint64_t some = 14;
  tide_layout *layout = place->layout;
  layout[PAIR] = tide_layout_offsets(heap, 32, two, 2, NULL);
  layout[REFS] = TIDE_LAYOUT_REFS;
  layout[PREFIXED] = tide_layout_prefixed(heap, 2, NULL);
  layout[CONSERVATIVE] = TIDE_LAYOUT_CONSERVATIVE;
  layout[SOME] = tide_layout_bitmap_conservative(heap, &some, 4, NULL);
  layout[TRACED] = tide_layout_traced(heap, trace, NULL, NULL);
  layout[NEAR] = tide_layout_held_by_first_page(heap, TIDE_LAYOUT_REFS, NULL);
  layout[NAMED] = tide_layout_named(heap, layout[PREFIXED], "named", NULL);
  layout[REPEATED] = tide_layout_offsets(heap, 24, two, 2, NULL);
  layout[LEAF] = TIDE_LAYOUT_LEAF;
  layout[UNZEROED] = tide_layout_unzeroed(heap, TIDE_LAYOUT_LEAF, NULL);
  for (unsigned i = 0; i < SHAPES; i++)
    CHECK(layout[i]);
  pthread_mutex_init(&place->table_lock, NULL);
  CHECK(tide_root_add_range(heap, place->shared, SHARED) == TIDE_OK);
  CHECK(tide_root_add(heap, &place->table) == TIDE_OK);
  CHECK(tide_root_add(heap, &place->weak_table) == TIDE_OK);
}

void place_fill(struct place *place, struct tide_mutator *m) {
  void *array = tide_alloc_array(m, place->layout[REPEATED], 2, 24);
  CHECK(array);
  place->array = tide_object_layout(place->heap, array);
  place->table = object_new(place, m, REFS, TABLE_SLOTS * 8);
  place->weak_table = tide_weak_table_new(m);
  CHECK(place->table && place->weak_table);
}

void *object_new(struct place *place, struct tide_mutator *m, enum shape shape, size_t bytes) {
  void *object = shape == REPEATED ? tide_alloc_array(m, place->layout[shape], bytes / 24 + 2, 24)
                                   : tide_alloc(m, place->layout[shape], bytes);
  if (object) *(uintptr_t *)object = stamp_of(object, shape);
  return object;
}

static enum shape shape_of(const struct place *place, const void *object) {
  tide_layout layout = tide_object_layout(place->heap, object);
  if (layout && layout == place->array) return REPEATED;
  for (unsigned i = 0; i < SHAPES; i++)
    if (layout && layout == place->layout[i] && i != REPEATED) return (enum shape)i;
  return SHAPES;
}

void object_check(const struct place *place, const void *object) {
  if (!object) return;
  enum shape shape = shape_of(place, object);
  if (shape == SHAPES || *(const uintptr_t *)object != stamp_of(object, shape)) {
    fprintf(stderr, "%p is no object any more: layout %u, first word %#zx\n", object,
            tide_object_layout(place->heap, object), *(const size_t *)object);
    abort();
  }
}

size_t object_slots(const struct place *place, const void *object) {
  size_t bytes = tide_object_bytes(place->heap, object);
  switch (shape_of(place, object)) {
  case PAIR:
    return 2;
  case PREFIXED:
  case NAMED:
    return bytes / 8 - 2;
  case SOME:
    return bytes / 32 * 3;
  case REPEATED:
    return bytes / 24 * 2;
  case REFS:
  case NEAR:
  case CONSERVATIVE:
  case TRACED:
    return bytes / 8 - 1;
  default:
    return 0;
  }
}

void **object_slot(const struct place *place, void *object, size_t index) {
  void **words = object;
  switch (shape_of(place, object)) {
  case PREFIXED:
  case NAMED:
    return words + 2 + index;
  case SOME:
    return words + index / 3 * 4 + 1 + index % 3;
  case REPEATED:
    return words + index / 2 * 3 + 1 + index % 2;
  default:
    return words + 1 + index;
  }
}
