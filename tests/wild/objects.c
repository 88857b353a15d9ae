/* SPDX-License-Identifier: MIT */
/* Objects of the wild driver that all threads reach. */
#include "tests/wild/wild.h"

/* The first word: the object's own address, as a reference where every word is one, and else as a
 * number. */
static uintptr_t stamp_of(const void *object, enum shape shape) {
  return (uintptr_t)object | (shape != REFS && shape != NEAR);
}

static void trace(void *object, size_t bytes, struct tide_tracer *tracer, void *context) {
  tide_trace_range(tracer, (void *const *)object + 1, bytes / 8 - 1);
}

void wild_layouts(struct place *place) {
  struct tide_heap *heap = place->heap;
  const size_t two[] = {8, 16};
  const uint64_t some = 14;
  tide_layout *layout = place->layout;
  layout[PAIR] = tide_layout_offsets(heap, 32, two, 2, NULL);
  layout[REFS] = TIDE_LAYOUT_REFS;
  layout[PREFIXED] = tide_layout_prefixed(heap, 2, NULL);
  layout[CONSERVATIVE] = TIDE_LAYOUT_CONSERVATIVE;
  layout[SOME] = tide_layout_bitmap_conservative(heap, &some, 4, NULL);
  layout[TRACED] = tide_layout_traced(heap, trace, NULL, NULL);
  layout[SERIAL] = tide_layout_traced_serially(heap, trace, place, NULL);
  layout[NEAR] = tide_layout_held_by_first_page(heap, TIDE_LAYOUT_REFS, NULL);
  layout[NAMED] = tide_layout_named(heap, layout[PREFIXED], "named", NULL);
  layout[REPEATED] = tide_layout_offsets(heap, 24, two, 2, NULL);
  layout[LEAF] = TIDE_LAYOUT_LEAF;
  layout[UNZEROED] = tide_layout_unzeroed(heap, TIDE_LAYOUT_LEAF, NULL);
  for (unsigned i = 0; i < SHAPES; i++)
    CHECK(layout[i]);
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
  enum shape shape = shape_of(place, object);
  if (shape == PAIR) return 2;
  if (shape == PREFIXED || shape == NAMED) return bytes / 8 - 2;
  if (shape == SOME) return bytes / 32 * 3;
  if (shape == REPEATED) return bytes / 24 * 2;
  return shape < CHAIN_SHAPES ? bytes / 8 - 1 : 0;
}

void **object_slot(const struct place *place, void *object, size_t index) {
  void **words = object;
  enum shape shape = shape_of(place, object);
  if (shape == PREFIXED || shape == NAMED) return words + 2 + index;
  if (shape == SOME) return words + index / 3 * 4 + 1 + index % 3;
  if (shape == REPEATED) return words + index / 2 * 3 + 1 + index % 2;
  return words + 1 + index;
}

/* ---- Which ---- */

size_t some_bytes(struct at *at) {
  uint32_t dice = below(at, 64);
  if (dice == 0) return 33000 + below(at, 400000);
  if (dice == 1) return 520 + below(at, 32000);
  return dice < 4 ? 4000 + below(at, 300) : 32 + below(at, 200);
}

/* Returns an object that is reached, and checks all on the way. It is in scratch[0]. */
void *pick(struct at *at) {
  struct place *place = at->place;
  uint32_t dice = below(at, 8);
  void *object = dice == 0   ? slot_get(&place->shared[below(at, SHARED)])
                 : dice == 1 ? slot_get((void **)place->table + 1 + below(at, TABLE_SLOTS - 1))
                             : slot_get(&at->mine->pool[below(at, POOL)]);
  at->mine->scratch[0] = object;
  object_check(place, object);
  for (uint32_t steps = below(at, 6); object && steps > 0; steps--) {
    size_t slots = object_slots(place, object);
    void *next = slots ? slot_get(object_slot(place, object, below(at, (uint32_t)slots))) : NULL;
    if (!next) break;
    at->mine->scratch[0] = object = next;
    object_check(place, object);
  }
  return object;
}
