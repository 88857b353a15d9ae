/* SPDX-License-Identifier: MIT */
/* HPROF dumps that are as they should be. */
#include "tests/unit/workloads/hprof_small.h"

static void assert_slots(const struct td_thg *graph, uint32_t object, uint64_t size,
                         const uint32_t *targets, uint32_t count) {
  cr_assert_eq(graph->size[object], size, "object %u: %llu bytes", object,
               (unsigned long long)graph->size[object]);
  cr_assert_eq(graph->first_ref[object + 1] - graph->first_ref[object], count, "object %u", object);
  for (uint32_t s = 0; s < count; s++)
    cr_assert_eq(graph->refs[graph->first_ref[object] + s], targets[s], "object %u slot %u", object,
                 s);
}

#define SLOTS(...) (uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)

static void assert_bitmap(const struct td_thg *graph, uint32_t object, uint64_t bitmap) {
  const struct td_thg_shape *shape = &graph->shapes[graph->shape_of[object]];
  cr_assert_eq(shape->kind, TD_THG_BITMAP);
  cr_assert_eq(shape->bitmap_words, 1);
  cr_assert_eq(shape->bitmap[0], bitmap, "object %u: %llx", object,
               (unsigned long long)shape->bitmap[0]);
}

static void check_small(const struct td_thg *graph) {
  const uint32_t none = TD_THG_NULL;
  cr_assert_eq(graph->object_count, SMALL_OBJECTS);
  /* Classes: header, static primitives, then super, loader, signers, domain, statics. */
  assert_slots(graph, 0, 48, SLOTS(none, none, none, none));
  assert_slots(graph, 1, 16 + 16 + 48, SLOTS(0, 10, none, none, 7, none));
  assert_slots(graph, 2, 48, SLOTS(1, none, none, none));
  cr_assert_eq(graph->shapes[graph->shape_of[1]].kind, TD_THG_PREFIX);
  cr_assert_eq(graph->shapes[graph->shape_of[1]].prefix_words, 4);
  /* Instances: Base is header, int and byte in word 2, a, d; Derived's short fits that word, its
   * long is word 5, e is word 6. */
  assert_slots(graph, 3, 16, NULL, 0);
  assert_slots(graph, 4, 40, SLOTS(5, none));
  assert_bitmap(graph, 4, 0x18);
  assert_slots(graph, 5, 56, SLOTS(5, 8, 6));
  assert_bitmap(graph, 5, 0x58);
  assert_slots(graph, 6, 24 + 32, SLOTS(4, none, none, 9));
  cr_assert_eq(graph->shapes[graph->shape_of[6]].kind, TD_THG_PREFIX);
  cr_assert_eq(graph->shapes[graph->shape_of[6]].prefix_words, 3);
  /* Primitive arrays, rounded up to words. */
  assert_slots(graph, 7, 48, NULL, 0);
  assert_slots(graph, 8, 32, NULL, 0);
  assert_slots(graph, 9, 24, NULL, 0);
  assert_slots(graph, 10, 16, NULL, 0);
  cr_assert_eq(graph->root_count, ROOT_KINDS + 1);
  for (size_t r = 0; r < ROOT_KINDS; r++)
    cr_assert_eq(graph->roots[r], 4);
  cr_assert_eq(graph->roots[ROOT_KINDS], 1);
}

Test(hprof, every_kind_of_record) {
  for (int variant = 0; variant < 4; variant++) {
    SCOPED_DUMP d = small_dump(variant & 1 ? 4 : 8, variant & 2);
    struct td_import_summary summary;
    SCOPED_GRAPH graph = import_good(&d.bytes, &summary);
    check_small(&graph);
    cr_assert_str_eq(summary.format, "hprof");
    cr_assert_eq(summary.objects, SMALL_OBJECTS);
    cr_assert_eq(summary.input_bytes, d.bytes.length);
    cr_assert_eq(summary.slots, graph.ref_count);
    cr_assert_eq(summary.dangling, 2);
    cr_assert_eq(summary.null_slots, 11);
    cr_assert_eq(summary.roots, ROOT_KINDS + 1);
    cr_assert_eq(summary.roots_lost, 1);
    cr_assert_eq(summary.heap_bytes, 48 + 80 + 48 + 16 + 40 + 56 + 56 + 48 + 32 + 24 + 16);
  }
}

Test(hprof, a_dump_without_objects_is_an_empty_graph) {
  SCOPED_DUMP d = {.id = 8};
  begin_dump(&d, "JAVA PROFILE 1.0.1");
  begin_heap(&d);
  end_heap(&d);
  SCOPED_GRAPH graph = import_good(&d.bytes, NULL);
  cr_assert_eq(graph.object_count, 0);
}

/* Over 64 words: the bitmap needs more than one. */
Test(hprof, a_class_with_many_fields) {
  enum { FIELDS = 300 };
  uint8_t fields[FIELDS + 1] = {0};
  uint64_t values[2 * FIELDS + 1] = {0};
  for (int f = 0; f < FIELDS; f++) {
    fields[f] = f % 3 ? TD_HPROF_OBJECT : TD_HPROF_LONG;
    values[2 * f] = fields[f];
    values[2 * f + 1] = f % 3 ? 0x2000 : (uint64_t)f;
  }
  SCOPED_DUMP d = {.id = 8};
  begin_dump(&d, "JAVA PROFILE 1.0.1");
  begin_heap(&d);
  put_class(&d, &(struct class_spec){.id = 0x1000, .fields = fields});
  put_instance(&d, 0x2000, 0x1000, values);
  end_heap(&d);
  SCOPED_GRAPH graph = import_good(&d.bytes, NULL);
  cr_assert_eq(graph.size[1], 16 + FIELDS * 8);
  cr_assert_eq(graph.first_ref[2] - graph.first_ref[1], FIELDS / 3 * 2);
  const struct td_thg_shape *shape = &graph.shapes[graph.shape_of[1]];
  for (uint32_t w = 0; w < 2 + FIELDS; w++) /* header and longs first, references behind */
    cr_assert_eq(shape->bitmap[w / 64] >> (w % 64) & 1, w >= 2 + FIELDS / 3, "word %u", w);
  for (uint64_t r = graph.first_ref[1]; r < graph.first_ref[2]; r++)
    cr_assert_eq(graph.refs[r], 1);
}

/* Many objects. */
Test(hprof, objects_on_the_edges_of_the_buffer) {
  enum { OBJECTS = 150000, ELEMENTS = 300000 };
  static const uint8_t fields[] = {TD_HPROF_OBJECT, TD_HPROF_SHORT, TD_HPROF_OBJECT, 0};
  FREED uint64_t *elements = calloc(ELEMENTS, sizeof *elements);
  SCOPED_DUMP d = {.id = 8, .is_segments = true};
  begin_dump(&d, "JAVA PROFILE 1.0.2");
  begin_heap(&d);
  put_class(&d, &(struct class_spec){.id = 0x800, .fields = fields});
  for (uint64_t i = 0; i < OBJECTS; i++) {
    uint64_t other = i * 7919 % OBJECTS;
    put_instance(&d, 0x100000 + i * 24, 0x800,
                 (uint64_t[]){TD_HPROF_OBJECT, 0x100000 + other * 24, TD_HPROF_SHORT, i,
                              TD_HPROF_OBJECT, i ? 0x100000 + (i - 1) * 24 : 0, 0});
  }
  for (uint64_t e = 0; e < ELEMENTS; e++)
    elements[e] = 0x100000 + e % OBJECTS * 24;
  put_object_array(&d, 0x70000000, elements, ELEMENTS);
  put_primitive_array(&d, 0x90000000, TD_HPROF_LONG, 600000);
  put_root(&d, 0x05, 0x70000000, 0);
  end_heap(&d);
  end_dump(&d);

  SCOPED_GRAPH graph = import_both_ways(&d.bytes);
  cr_assert_eq(graph.object_count, OBJECTS + 3);
  for (uint32_t i = 0; i < OBJECTS; i++) {
    uint64_t at = graph.first_ref[i + 1];
    cr_assert_eq(graph.refs[at], 1 + (uint64_t)i * 7919 % OBJECTS);
    cr_assert_eq(graph.refs[at + 1], i ? i : TD_THG_NULL);
  }
}
