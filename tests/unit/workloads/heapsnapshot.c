/* SPDX-License-Identifier: MIT */
/* V8 heap snapshots, as they should be and damaged. */
#include "tests/unit/workloads/dump.h"

#define META                                                                                       \
  "\"meta\":{\"node_fields\":[\"type\",\"name\",\"id\",\"self_size\",\"edge_count\","              \
  "\"trace_node_id\"],\"node_types\":[[\"hidden\",\"weak\"],\"string\"],"                          \
  "\"edge_fields\":[\"type\",\"name_or_index\",\"to_node\"],"                                      \
  "\"edge_types\":[[\"context\",\"element\",\"property\",\"internal\",\"hidden\",\"shortcut\","    \
  "\"weak\"],\"string_or_number\",\"node\"],\"location_fields\":[{\"a\":[]}]}"

/* Root -> A, B; A (40 bytes) -> B, and weakly C; B -> A twice and a short cut; C (no edges).
 * Identifiers put C before B. */
static const char small[] =
    "{\"snapshot\":{" META ",\"node_count\":4,\"edge_count\":7,"
    "\"trace_function_count\":0},\n"
    "\"nodes\":[9,1,1,0,2,0\n,3,2,3,40,2,0\n,3,2,9,24,3,0\n,2,5,5,17,0,0],\n"
    "\"edges\":[1,1,6\n,1,2,12\n,2,1,12\n,6,1,18\n,2,1,6\n,3,1,6\n,5,1,0],\n"
    "\"trace_tree\":[],\"samples\":[-1,2.5e3,true,null],\n"
    "\"strings\":[\"<dummy>\",\"a \\\"quoted\\\\\",\"\\u0000]}\"]}\n";

static struct bytes bytes_of(const char *text) {
  return (struct bytes){.data = (uint8_t *)(uintptr_t)text, .length = strlen(text)};
}

static struct td_thg import_text(const char *text, struct td_import_summary *summary) {
  struct bytes b = bytes_of(text);
  return import_good(&b, summary);
}

static void check_small(const struct td_thg *graph) {
  /* Root 0, A 1, C 2, B 3. */
  const uint32_t targets[] = {1, 3, 3, 1, 1};
  const uint64_t sizes[] = {16, 40, 24, 24};
  const uint64_t first[] = {0, 2, 3, 3, 5};
  cr_assert_eq(graph->object_count, 4);
  cr_assert_eq(graph->ref_count, 5);
  for (int i = 0; i < 4; i++) {
    cr_assert_eq(graph->size[i], sizes[i], "object %d", i);
    cr_assert_eq(graph->first_ref[i + 1], first[i + 1], "object %d", i);
  }
  for (int r = 0; r < 5; r++)
    cr_assert_eq(graph->refs[r], targets[r], "reference %d", r);
  cr_assert_eq(graph->root_count, 1);
  cr_assert_eq(graph->roots[0], 0);
  cr_assert_eq(graph->shapes[graph->shape_of[2]].kind, TD_THG_LEAF);
  const struct td_thg_shape *shape = &graph->shapes[graph->shape_of[3]];
  cr_assert_eq(shape->kind, TD_THG_BITMAP);
  cr_assert_eq(shape->bitmap[0], 3);
}

Test(heapsnapshot, nodes_edges_and_order) {
  struct td_import_summary summary;
  SCOPED_GRAPH graph = import_text(small, &summary);
  check_small(&graph);
  cr_assert_str_eq(summary.format, "heapsnapshot");
  cr_assert_eq(summary.weak_edges, 2);
  cr_assert_eq(summary.null_slots, 0);
  cr_assert_eq(summary.objects, 4);
  cr_assert_eq(summary.slots, 5);
  cr_assert_eq(summary.heap_bytes, 16 + 40 + 24 + 24);
}

/* The edge to an object's map stands for its header: left out, wherever the strings come, but only
 * where it is an internal edge of that name. */
Test(heapsnapshot, edges_to_maps) {
  static const char head[] = "{\"snapshot\":{\"meta\":{\"node_fields\":[\"id\",\"self_size\","
                             "\"edge_count\"],\"edge_fields\":["
                             "\"type\",\"name_or_index\",\"to_node\"],\"edge_types\":[[\"element\","
                             "\"internal\",\"property\"]]}},";
  static const char strings[] = "\"strings\":[\"\",\"mapx\",\"map\",\"ma\",\"map\"]";
  static const char rows[] = "\"nodes\":[1,8,5,2,24,1,3,8,0],\"edges\":[1,2,6,0,2,3,2,2,6,1,1,6,1,"
                             "99999999999,3,1,2,6]";
  for (int order = 0; order < 2; order++) {
    SCOPED_BYTES b = {0};
    struct td_import_summary summary;
    put_text(&b, "%s%s,%s}", head, order ? strings : rows, order ? rows : strings);
    SCOPED_GRAPH graph = import_good(&b, &summary);
    cr_assert_eq(summary.map_edges, 2);
    cr_assert_eq(graph.ref_count, 4);
    const uint32_t targets[] = {1, 2, 2, 1};
    for (int r = 0; r < 4; r++)
      cr_assert_eq(graph.refs[r], targets[r]);
    cr_assert_eq(graph.shapes[graph.shape_of[1]].kind, TD_THG_LEAF);
  }
}

/* White space wherever JSON allows it; columns in another order, and one more. */
Test(heapsnapshot, another_layout) {
  static const char text[] =
      " {\t\"other\" : {\"nodes\":[1]} , \"snapshot\" : { \"meta\" : { \"edge_types\" : [ ] , "
      "\"edge_fields\" : [ \"type\" , \"to_node\" ] , \"node_fields\" : [ \"edge_count\" , "
      "\"self_size\" , \"new\" , \"id\" ] } } , \"nodes\" : [ 1 , 8 , 7 , 10 ,\r\n 0 , 32 , 7 , 20 "
      "] "
      ", \"edges\" : [ 4 , 4 ] }  ";
  SCOPED_GRAPH graph = import_text(text, NULL);
  cr_assert_eq(graph.object_count, 2);
  cr_assert_eq(graph.ref_count, 1);
  cr_assert_eq(graph.refs[0], 1);
  cr_assert_eq(graph.size[1], 32);
}

/* Traces of allocations nest as deeply as the stacks they are of. */
Test(heapsnapshot, a_deep_tree_to_pass_over) {
  enum { DEPTH = 1000 };
  SCOPED_BYTES b = {0};
  put_bytes(&b, small, strlen(small) - 2); /* up to the last brace */
  put_text(&b, ",\"trace_tree\":");
  for (int d = 0; d < DEPTH; d++)
    put_text(&b, "[1,");
  put_text(&b, "2");
  for (int d = 0; d < DEPTH; d++)
    put_text(&b, "]");
  put_text(&b, "}");
  SCOPED_GRAPH graph = import_good(&b, NULL);
  check_small(&graph);
}

/* A node with `edges` edges to itself and `words` words, behind the root. */
static struct td_thg import_wide(unsigned edges, unsigned words) {
  SCOPED_BYTES b = {0};
  put_text(&b, SNAPSHOT_BEGIN "\"nodes\":[1,0,0,2,%u,%u],\"edges\":[", words * 8, edges);
  for (unsigned e = 0; e < edges; e++)
    put_text(&b, "%s1,3", e ? "," : "");
  put_text(&b, "]}");
  struct td_thg graph = import_good(&b, NULL);
  return graph;
}

Test(heapsnapshot, shapes_of_wide_nodes) {
  static const struct {
    unsigned edges, words;
    enum td_thg_shape_kind kind;
    unsigned prefix, slots, size_words;
  } cases[] = {
      {32, 40, TD_THG_BITMAP, 0, 32, 40}, /* references in front */
      {33, 40, TD_THG_PREFIX, 0, 40, 40}, /* an array, seven words of it null */
      {33, 132, TD_THG_PREFIX, 0, 132, 132},
      {33, 133, TD_THG_PREFIX, 100, 33, 133}, /* mostly something else */
      {33, 5, TD_THG_PREFIX, 0, 33, 33},      /* said to be too small */
      {3, 0, TD_THG_BITMAP, 0, 3, 3},
      {0, 0, TD_THG_LEAF, 0, 0, 1},
  };
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    SCOPED_GRAPH graph = import_wide(cases[c].edges, cases[c].words);
    const struct td_thg_shape *shape = &graph.shapes[graph.shape_of[1]];
    cr_assert_eq(shape->kind, cases[c].kind, "case %zu", c);
    cr_assert_eq(shape->prefix_words, cases[c].prefix, "case %zu", c);
    cr_assert_eq(graph.first_ref[2] - graph.first_ref[1], cases[c].slots, "case %zu", c);
    cr_assert_eq(graph.size[1], cases[c].size_words * 8, "case %zu", c);
    for (unsigned s = 0; s < cases[c].slots; s++)
      cr_assert_eq(graph.refs[s], s < cases[c].edges ? 1 : TD_THG_NULL);
  }
}

/* Numbers across the edges of the read buffer. */
Test(heapsnapshot, numbers_on_the_edges_of_the_buffer) {
  enum { NODES = 400000 };
  SCOPED_BYTES b = {0};
  put_text(&b, SNAPSHOT_BEGIN "\"nodes\":[");
  for (uint32_t n = 0; n < NODES; n++)
    put_text(&b, "%s%u,%u,1\n", n ? "," : "", n, n % 1000 * 8);
  put_text(&b, "],\"edges\":[");
  for (uint32_t n = 0; n < NODES; n++)
    put_text(&b, "%s2,%llu\n", n ? "," : "", n * 7919ull % NODES * 3);
  put_text(&b, "]}");
  cr_assert_gt(b.length, 8 << 20);
  SCOPED_GRAPH graph = import_both_ways(&b);
  for (uint32_t n = 0; n < NODES; n++)
    cr_assert_eq(graph.refs[n], n * 7919ull % NODES, "reference %u", n);
}

/* ---- Damaged ------------------------------------------------------------------------------ */

Test(heapsnapshot, cut_and_changed) {
  static const char others[] = "\0\x01\xff \"\\,:[]{}0aE.-";
  SCOPED_BYTES b = {0};
  put_bytes(&b, small, strlen(small));
  cut_at_every_byte(&b, b.length - 1, is_refused); /* without the newline */
  flip_every_bit(&b, is_refused);
  replace_every_byte(&b, others, sizeof others);
}

static void assert_message(const char *text, const char *wanted) {
  struct bytes b = bytes_of(text);
  assert_refused(&b, wanted, 0);
}

Test(heapsnapshot, says_what_is_wrong) {
  assert_message("{}", "not a heap snapshot");
  assert_message("{\"nodes\":[]}", "\"nodes\" before \"snapshot\"");
  assert_message("{\"snapshot\":{}}", "no ");
  assert_message("{\"snapshot\":[]}", "expected an object");
  assert_message("{\"snapshot\":{\"meta\":{\"node_fields\":[\"id\"],\"edge_fields\":[]}}}",
                 "in \"snapshot\".\"meta\"");
  assert_message(
      "{\"snapshot\":{\"meta\":{\"node_fields\":[\"a\",\"b\",\"c\",\"id\"],\"node_fields\":["
      "\"self_size\",\"edge_count\"],\"edge_fields\":[\"type\",\"to_node\"]}}}",
      "no node field \"id\"");
  assert_message(SNAPSHOT_BEGIN "\"edges\":[]}", "\"edges\" before \"nodes\"");
  assert_message(SNAPSHOT_BEGIN "\"nodes\":[1,8,0],\"nodes\":[]}", "\"nodes\" twice");
  assert_message(SNAPSHOT_BEGIN "\"nodes\":[1,8,0],\"edges\":[],\"edges\":[]}", "\"edges\" twice");
  assert_message(SNAPSHOT_BEGIN "\"nodes\":[],\"edges\":[]}", "not even the root");
  assert_message(SNAPSHOT_BEGIN "\"nodes\":[1,8,0,2],\"edges\":[]}", "inside a row");
  assert_message(SNAPSHOT_BEGIN "\"nodes\":[1,8,0],\"edges\":[0,0]}", "edge 0: more edges");
  assert_message(SNAPSHOT_BEGIN "\"nodes\":[1,8,2],\"edges\":[0,0]}", "fewer \"edges\"");
  assert_message(SNAPSHOT_BEGIN "\"nodes\":[1,8,1],\"edges\":[0,1]}",
                 "edge 0: its target is no node");
  assert_message(SNAPSHOT_BEGIN "\"nodes\":[1,8,1],\"edges\":[0,3]}",
                 "edge 0: its target is no node");
  assert_message(SNAPSHOT_BEGIN "\"nodes\":[1,8,1,1,8,0],\"edges\":[0,3]}", "its id 1 is taken");
  assert_message(SNAPSHOT_BEGIN "\"nodes\":[1,-8,0],\"edges\":[]}", "a whole number");
  assert_message(SNAPSHOT_BEGIN "\"nodes\":[1,8.5,0],\"edges\":[]}", "a whole number");
  assert_message(SNAPSHOT_BEGIN "\"nodes\":[1,1e3,0],\"edges\":[]}", "a whole number");
  assert_message(SNAPSHOT_BEGIN "\"nodes\":[1,9999999999999999999,0],\"edges\":[]}",
                 "a whole number");
  assert_message(SNAPSHOT_BEGIN "\"nodes\":[1,999999999999999999,0],\"edges\":[]}",
                 "over 2^40 bytes");
  assert_message(SNAPSHOT_BEGIN "\"nodes\":[1,8,999999999999],\"edges\":[]}", "over 2^32 edges");
  assert_message(SNAPSHOT_BEGIN "\"nodes\":[1,8,0],\"edges\":[],\"strings\":[1]}", "a string");
  assert_message(SNAPSHOT_BEGIN "\"nodes\":[1,8,0],\"edges\":[]} x", "more after the end");
  assert_message("{\"type\":\"ROOT\"}\n{\"type\":\"HASH\"}", "not a heap snapshot");
  assert_message(SNAPSHOT_BEGIN "\"nodes\":[1,8,0,],\"edges\":[]}", "a whole number");
  assert_message(SNAPSHOT_BEGIN "\"nodes\":[1 8,0],\"edges\":[]}", "a comma");
  assert_message(SNAPSHOT_BEGIN "\"nodes\":[1,8,0],\"edges\":[],\"x\":[}}", "a stray bracket");
  assert_message("{\"snapshot\":{\"node_count\":2,\"meta\":{\"node_fields\":[\"id\",\"self_size\","
                 "\"edge_count\"],\"edge_fields\":[\"type\",\"to_node\"]}},\"nodes\":[1,8,0],"
                 "\"edges\":[]}",
                 "\"node_count\"");
}
