/* SPDX-License-Identifier: MIT */
/* The walk: what it says of objects, references and layouts. */
#include "tests/unit/gc/walk.h"

#define ANYWHERE (SIZE_MAX - 1)
#define REFERENCES(...)                                                                            \
  (const struct tide_walk_reference[]) {                                                           \
    __VA_ARGS__                                                                                    \
  }

static void refers(struct tide_walk *walk, const void *object, size_t count,
                   const struct tide_walk_reference *expected) {
  struct seen seen = references_of(walk, object);
  cr_assert_eq(seen.count, count);
  for (size_t i = 0; i < count; i++) {
    cr_assert_eq(seen.references[i].target, expected[i].target, "reference %zu", i);
    cr_assert_eq(seen.references[i].kind, expected[i].kind, "reference %zu", i);
    if (expected[i].offset == ANYWHERE) continue;
    cr_assert_eq(seen.references[i].offset, expected[i].offset, "reference %zu", i);
  }
}

struct numbers {
  uint64_t next;
  const char *last;
  void *kept;
  bool met;
};

SEE_OBJECT(check_object) {
  struct numbers *numbers = context;
  cr_assert_gt((const char *)object->address, numbers->last);
  cr_assert_eq(object->number, numbers->next);
  cr_assert_eq(tide_walk_number(walk, object->address), object->number);
  cr_assert_eq(tide_walk_number(walk, (char *)object->address + 8), TIDE_NO_NUMBER);
  if (object->bytes > 16)
    cr_assert_eq(tide_walk_number(walk, (char *)object->address + 16), TIDE_NO_NUMBER);
  numbers->met |= object->address == numbers->kept;
  numbers->last = object->address;
  numbers->next++;
  return true;
}

SEE_OBJECT(count_three) {
  return ++*(int *)context < 3;
}

LOOK(look_at_numbers) {
  struct numbers *numbers = context;
  cr_assert_eq(tide_walk_objects(walk, check_object, numbers), TIDE_OK);
  cr_assert_eq(tide_walk_count(walk), numbers->next);
  cr_assert_eq(tide_walk_number(walk, NULL), TIDE_NO_NUMBER);
  cr_assert_eq(tide_walk_number(walk, &numbers), TIDE_NO_NUMBER);
  int visited = 0;
  cr_assert_eq(tide_walk_objects(walk, count_three, &visited), TIDE_OK);
  cr_assert_eq(visited, 3);
}

HeapTest(walk, numbers_objects_in_address_order) {
  void **list = tide_handle(w.m, NULL);
  for (uint64_t i = 0; i < 20000; i++) {
    *list = pair_new(&w, *list, NULL, i);
    tide_alloc(w.m, TIDE_LAYOUT_LEAF, 1 + i % 100); /* garbage */
  }
  struct numbers numbers = {.kept = tide_alloc(w.m, TIDE_LAYOUT_REFS, 300000)};
  tide_handle(w.m, numbers.kept);
  inspect(&w, look_at_numbers, &numbers);
  cr_assert_eq(numbers.next, 20001);
  cr_assert(numbers.met, "the large object");
}

/* ---- References, by kind of layout ---- */

enum { ANIMALS = 11 };
struct zoo {
  struct world w;
  tide_layout longer, vector, traced, named;
  void *leaf, *pair, *refs, *large, *wide, *prefixed, *words, *outside, *weak, *ephemeron, *array;
};

/* Word 0: how many slots follow. Reports these with their place, then word 0's own object, whose
 * place only the function knows, and an address inside it. */
TRACE(trace) {
  const uintptr_t *words = object;
  tide_trace_range(tracer, (void *const *)words + 1, words[0]);
  tide_trace(tracer, *(void **)context);
  tide_trace_conservative(tracer, (uintptr_t) * (void **)context + 1);
}

LOOK(look_at_zoo) {
  const struct zoo *z = context;
  const enum tide_reference_kind strong = TIDE_REFERENCE_STRONG;
  refers(walk, z->leaf, 0, NULL);
  refers(walk, z->pair, 2, REFERENCES({z->leaf, 0, strong}, {z->leaf, 8, strong}));
  /* null, a tagged word and a foreign address are no references */
  refers(walk, z->refs, 2, REFERENCES({z->pair, 8, strong}, {z->leaf, 40, strong}));
  refers(walk, z->large, 1, REFERENCES({z->pair, 90000, strong}));
  refers(walk, z->wide, 2, REFERENCES({z->leaf, 3 * 8, strong}, {z->pair, 129 * 8, strong}));
  refers(walk, z->prefixed, 1, REFERENCES({z->leaf, 16, strong}));
  refers(walk, z->words, 1, REFERENCES({z->pair, 24, strong}));
  refers(walk, z->outside, 4,
         REFERENCES({z->pair, 8, strong}, {z->leaf, 16, strong}, {z->leaf, TIDE_NO_OFFSET, strong},
                    {z->leaf, TIDE_NO_OFFSET, strong}));
  refers(walk, z->weak, 1, REFERENCES({z->pair, ANYWHERE, TIDE_REFERENCE_WEAK}));
  refers(walk, z->ephemeron, 2,
         REFERENCES({z->pair, ANYWHERE, TIDE_REFERENCE_KEY},
                    {z->leaf, ANYWHERE, TIDE_REFERENCE_VALUE}));
  refers(walk, z->array, 2,
         REFERENCES({z->leaf, 0, strong}, {z->pair, 2 * sizeof(struct pair) + 8, strong}));
  /* The same question again gives the same answer, and a visit may end it. */
  struct seen seen = {.stop_after = 1};
  cr_assert_eq(tide_walk_references(walk, z->outside, see_reference, &seen), TIDE_OK);
  cr_assert_eq(seen.count, 1);
}

static void make_zoo(struct zoo *z) {
  struct tide_mutator *m = z->w.m;
  uint64_t bits[3] = {UINT64_C(1) << 3, 0, 2};
  z->longer = tide_layout_bitmap(z->w.heap, bits, 130, NULL);
  z->vector = tide_layout_prefixed(z->w.heap, 2, NULL);
  z->traced = tide_layout_traced(z->w.heap, trace, &z->leaf, NULL);
  cr_assert_eq(tide_root_add_range(z->w.heap, &z->leaf, ANIMALS), TIDE_OK);
  z->leaf = tide_alloc(m, TIDE_LAYOUT_LEAF, 40);
  z->pair = pair_new(&z->w, z->leaf, z->leaf, 1);
  void **refs = z->refs = tide_alloc(m, TIDE_LAYOUT_REFS, 48);
  refs[1] = z->pair;
  refs[2] = (char *)z->pair + 1;
  refs[3] = &refs;
  refs[5] = z->leaf;
  void **large = z->large = tide_alloc(m, TIDE_LAYOUT_REFS, 100000);
  large[90000 / 8] = z->pair;
  void **wide = z->wide = tide_alloc(m, z->longer, 130 * 8);
  wide[2] = wide[3] = z->leaf;
  wide[129] = z->pair;
  void **prefixed = z->prefixed = tide_alloc(m, z->vector, 24);
  prefixed[0] = prefixed[1] = z->pair;
  prefixed[2] = z->leaf;
  uintptr_t *words = z->words = tide_alloc(m, TIDE_LAYOUT_CONSERVATIVE, 48);
  words[3] = (uintptr_t)z->pair + 9;
  uintptr_t *outside = z->outside = tide_alloc(m, z->traced, 32);
  outside[1] = (uintptr_t)z->pair;
  outside[2] = (uintptr_t)z->leaf;
  outside[0] = 2;
  z->weak = tide_weak_new(m, z->pair, TIDE_WEAK_BEFORE);
  z->ephemeron = tide_ephemeron_new(m, z->pair, z->leaf);
  cr_assert(z->weak && z->ephemeron);
  struct pair *array = z->array = tide_alloc_array(m, z->w.pair, 3, sizeof *array);
  array[0].left = z->leaf;
  array[2].right = z->pair;
}

LOOK(look_at_cleared) {
  const struct zoo *z = context;
  cr_assert_eq(references_of(walk, z->weak).count, 0);
  cr_assert_eq(references_of(walk, z->ephemeron).count, 0);
}

Test(walk, weak_references_that_are_cleared) {
  static struct zoo z;
  z.w = world_new();
  cr_assert_eq(tide_root_add_range(z.w.heap, &z.leaf, ANIMALS), TIDE_OK);
  z.weak = tide_weak_new(z.w.m, pair_new(&z.w, NULL, NULL, 1), TIDE_WEAK_BEFORE);
  z.ephemeron = tide_ephemeron_new(z.w.m, pair_new(&z.w, NULL, NULL, 2), z.weak);
  inspect(&z.w, look_at_cleared, &z);
  world_end(&z.w);
}

static struct tide_layout_info layout(struct tide_walk *walk, tide_layout number) {
  struct tide_layout_info info;
  memset(&info, 0xff, sizeof info);
  cr_assert_eq(tide_walk_layout(walk, number, &info), TIDE_OK);
  return info;
}

struct kinds {
  struct tide_walk *walk;
  unsigned seen; /* bit set of kinds */
};

SEE_OBJECT(note_kind) {
  struct kinds *kinds = context;
  cr_assert_leq(object->layout, tide_walk_layouts(walk));
  kinds->seen |= 1u << layout(walk, object->layout).kind;
  return true;
}

static void has_bits(struct tide_walk *walk, tide_layout number, enum tide_layout_kind kind,
                     uint64_t words, uint64_t first_bits) {
  struct tide_layout_info info = layout(walk, number);
  cr_assert_eq(info.kind, kind);
  cr_assert_eq(info.words, words);
  cr_assert_eq(info.bits[0], first_bits);
}

LOOK(look_at_layouts) {
  const struct zoo *z = context;
  has_bits(walk, z->w.pair, TIDE_KIND_BITMAP, 2, 3);
  struct tide_layout_info info = layout(walk, z->w.pair);
  cr_assert_null(info.name);
  cr_assert_eq(info.prefix_words, 0);
  has_bits(walk, z->longer, TIDE_KIND_BITMAP, 130, UINT64_C(1) << 3);
  cr_assert_eq(layout(walk, z->longer).bits[2], 2);
  has_bits(walk, z->named, TIDE_KIND_BITMAP, 2, 3);
  cr_assert_str_eq(layout(walk, z->named).name, "cons \"cell\"");
  has_bits(walk, tide_object_layout(z->w.heap, z->array), TIDE_KIND_REPEATED,
           sizeof(struct pair) / 8, 3);
  info = layout(walk, z->vector);
  cr_assert_eq(info.kind, TIDE_KIND_PREFIXED);
  cr_assert_eq(info.prefix_words, 2);
  cr_assert_null(info.bits);
  cr_assert_eq(layout(walk, TIDE_LAYOUT_LEAF).kind, TIDE_KIND_LEAF);
  cr_assert_eq(layout(walk, TIDE_LAYOUT_REFS).kind, TIDE_KIND_REFERENCES);
  cr_assert_eq(layout(walk, TIDE_LAYOUT_CONSERVATIVE).kind, TIDE_KIND_CONSERVATIVE);
  cr_assert_eq(layout(walk, z->traced).kind, TIDE_KIND_TRACED);
  struct kinds kinds = {.walk = walk};
  cr_assert_eq(tide_walk_objects(walk, note_kind, &kinds), TIDE_OK);
  cr_assert_eq(kinds.seen, (2u << TIDE_KIND_EPHEMERON) - 1, "objects of every kind");
  tide_layout last = tide_walk_layouts(walk);
  cr_assert_geq(last, z->traced);
  layout(walk, last);
  cr_assert_eq(tide_walk_layout(walk, (tide_layout)(last + 1), &info), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_walk_layout(walk, TIDE_LAYOUT_INVALID, &info), TIDE_ERROR_ARGUMENT);
}

Test(walk, references_and_layouts_of_every_kind_of_object) {
  static struct zoo z;
  z.w = world_new();
  make_zoo(&z);
  inspect(&z.w, look_at_zoo, &z);
  z.named = tide_layout_named(z.w.heap, z.w.pair, "cons \"cell\"", NULL);
  cr_assert_neq(z.named, TIDE_LAYOUT_INVALID);
  inspect(&z.w, look_at_layouts, &z);
  world_end(&z.w);
}
