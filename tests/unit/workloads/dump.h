/* SPDX-License-Identifier: MIT */
/* What the tests of importers and of the graph file share: bytes to append to, temporary files. */
#ifndef TD_TESTS_UNIT_WORKLOADS_DUMP_H
#define TD_TESTS_UNIT_WORKLOADS_DUMP_H

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/random.h"
#include "tests/scoped.h"
#include "workloads/import.h"
#include "workloads/thg_read.h"
#include "workloads/thg_write.h"

struct bytes {
  uint8_t *data;
  size_t length, capacity;
};
static inline void bytes_end(struct bytes *b) {
  free(b->data);
}
#define SCOPED_BYTES SCOPED(bytes_end) struct bytes

static inline void put_bytes(struct bytes *b, const void *data, size_t length) {
  if (b->length + length > b->capacity) {
    b->capacity = (b->length + length) * 2;
    b->data = realloc(b->data, b->capacity);
    cr_assert(b->data);
  }
  if (length) memcpy(b->data + b->length, data, length);
  b->length += length;
}

static inline __attribute__((format(printf, 2, 3))) void put_text(struct bytes *b,
                                                                  const char *format, ...) {
  char text[1000];
  va_list arguments;
  va_start(arguments, format);
  size_t length = (size_t)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  cr_assert_lt(length, sizeof text);
  put_bytes(b, text, length);
}

/* Big-endian, as HPROF wants it. */
static inline void put_big(struct bytes *b, uint64_t value, unsigned width) {
  uint8_t text[8];
  for (unsigned i = 0; i < width; i++)
    text[i] = (uint8_t)(value >> (8 * (width - 1 - i)));
  put_bytes(b, text, width);
}

static inline void set_big(struct bytes *b, size_t at, uint64_t value, unsigned width) {
  for (unsigned i = 0; i < width; i++)
    b->data[at + i] = (uint8_t)(value >> (8 * (width - 1 - i)));
}

/* A folder of this test's own, removed by remove_folder. */
static inline void make_folder(char *folder, size_t capacity) {
  const char *base = getenv("TMPDIR");
  snprintf(folder, capacity, "%s/tidemark-test-XXXXXX", base ? base : "/tmp");
  cr_assert(mkdtemp(folder));
}

/* How many entries the folder has. */
static inline int count_files(const char *folder) {
  DIR *open = opendir(folder);
  int count = 0;
  cr_assert(open);
  for (const struct dirent *entry; (entry = readdir(open));)
    count += entry->d_name[0] != '.';
  closedir(open);
  return count;
}

static inline void remove_folder(const char *folder) {
  DIR *open = opendir(folder);
  char path[1024];
  cr_assert(open);
  for (const struct dirent *entry; (entry = readdir(open));) {
    if (entry->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    unlink(path);
  }
  closedir(open);
  rmdir(folder);
}

/* A folder of a test's own and the name of a file there. */
struct place {
  char folder[200], path[300];
};
static inline void place_end(struct place *place) {
  remove_folder(place->folder);
}
#define SCOPED_PLACE SCOPED(place_end) struct place
static inline struct place make_place(const char *name) {
  struct place place;
  make_folder(place.folder, sizeof place.folder);
  snprintf(place.path, sizeof place.path, "%s/%s", place.folder, name);
  return place;
}

static inline void write_file(const char *path, const void *data, size_t length) {
  FILE *file = fopen(path, "wb");
  cr_assert(file);
  cr_assert_eq(fwrite(data, 1, length, file), length);
  cr_assert_eq(fclose(file), 0);
}

static inline struct bytes read_whole(const char *path) {
  struct bytes bytes = {0};
  uint8_t piece[4096];
  FILE *file = fopen(path, "rb");
  cr_assert(file, "%s", path);
  for (size_t got; (got = fread(piece, 1, sizeof piece, file)) > 0;)
    put_bytes(&bytes, piece, got);
  fclose(file);
  return bytes;
}

/* The smallest heap snapshot, up to its nodes; and a whole one. */
#define SNAPSHOT_BEGIN                                                                             \
  "{\"snapshot\":{\"meta\":{\"node_fields\":[\"id\",\"self_size\",\"edge_count\"],"                \
  "\"edge_fields\":[\"type\",\"to_node\"]}},"
#define SNAPSHOT SNAPSHOT_BEGIN "\"nodes\":[1,8,1],\"edges\":[0,0]}"

static inline void assert_same_graph(const struct td_thg *a, const struct td_thg *b) {
  cr_assert_eq(a->object_count, b->object_count);
  cr_assert_eq(a->ref_count, b->ref_count);
  cr_assert_eq(a->root_count, b->root_count);
  cr_assert_eq(a->shape_count, b->shape_count);
  for (uint32_t s = 0; s < a->shape_count; s++) {
    cr_assert_eq(a->shapes[s].kind, b->shapes[s].kind);
    cr_assert_eq(a->shapes[s].prefix_words, b->shapes[s].prefix_words);
    cr_assert_eq(a->shapes[s].bitmap_words, b->shapes[s].bitmap_words);
    for (uint32_t w = 0; w < a->shapes[s].bitmap_words; w++)
      cr_assert_eq(a->shapes[s].bitmap[w], b->shapes[s].bitmap[w]);
  }
  for (uint32_t i = 0; i < a->object_count; i++) {
    cr_assert_eq(a->shape_of[i], b->shape_of[i], "shape of object %u", i);
    cr_assert_eq(a->size[i], b->size[i], "size of object %u", i);
    cr_assert_eq(a->first_ref[i + 1], b->first_ref[i + 1], "slots of object %u", i);
  }
  for (uint64_t r = 0; r < a->ref_count; r++)
    cr_assert_eq(a->refs[r], b->refs[r]);
  for (uint32_t r = 0; r < a->root_count; r++)
    cr_assert_eq(a->roots[r], b->roots[r]);
}

/* ---- Dumps that are good ---- */

static inline struct td_thg import_good(const struct bytes *b, struct td_import_summary *summary) {
  struct td_thg graph;
  struct td_thg_error error = {0};
  cr_assert(td_import_bytes(b->data, b->length, "good", &graph, summary, &error), "%s", error.text);
  cr_assert(td_thg_check(&graph, &error), "%s", error.text);
  return graph;
}

/* From memory, and from a file through the buffer: the same graph. */
static inline struct td_thg import_both_ways(const struct bytes *b) {
  SCOPED_PLACE place = make_place("dump");
  SCOPED_GRAPH from_memory = import_good(b, NULL);
  struct td_thg from_file;
  struct td_thg_error error = {0};
  write_file(place.path, b->data, b->length);
  cr_assert(td_import_graph(place.path, NULL, &from_file, NULL, &error), "%s", error.text);
  assert_same_graph(&from_memory, &from_file);
  return from_file;
}

/* ---- Dumps and files that are damaged ---- */

/* Either they are refused as bad input, with a message that begins with the name and an offset
 * inside, or what comes out is a valid graph. Returns whether they were. */
typedef bool refuses_fn(const struct bytes *b);

static inline bool is_refused(const struct bytes *b) {
  struct td_thg graph;
  struct td_thg_error error = {0};
  if (td_import_bytes(b->data, b->length, "damaged", &graph, NULL, &error)) {
    cr_assert(td_thg_check(&graph, &error), "%s", error.text);
    td_thg_free(&graph);
    return false;
  }
  cr_assert_eq(error.kind, TD_THG_BAD_INPUT, "%s", error.text);
  cr_assert_eq(strncmp(error.text, "damaged: ", 9), 0, "%s", error.text);
  cr_assert_leq(error.offset, b->length, "%s", error.text);
  cr_assert_null(graph.size);
  return true;
}

/* With a message that holds `wanted`; if `offset` is not 0 it is there. */
static inline void assert_refused(const struct bytes *b, const char *wanted, uint64_t offset) {
  struct td_thg graph;
  struct td_thg_error error = {0};
  cr_assert_not(td_import_bytes(b->data, b->length, "damaged", &graph, NULL, &error), "%s", wanted);
  cr_assert_eq(error.kind, TD_THG_BAD_INPUT, "%s", error.text);
  cr_assert(strstr(error.text, wanted), "\"%s\" lacks \"%s\"", error.text, wanted);
  cr_assert_eq(strncmp(error.text, "damaged: ", 9), 0, "%s", error.text);
  if (offset) cr_assert_eq(error.offset, offset, "%s", error.text);
  cr_assert_null(graph.size);
}

/* Whatever of the first `whole` bytes is missing. Each time a copy, so that the sanitizer sees a
 * read behind the end. */
static inline void cut_at_every_byte(const struct bytes *b, size_t whole, refuses_fn *refuses) {
  for (size_t length = 0; length < whole; length++) {
    SCOPED_BYTES cut = {.data = malloc(length ? length : 1), .length = length};
    memcpy(cut.data, b->data, length);
    cr_assert(refuses(&cut), "%zu of %zu bytes", length, whole);
  }
}

/* Returns how many of the changes are refused. */
static inline size_t flip_every_bit(struct bytes *b, refuses_fn *refuses) {
  size_t refused = 0;
  for (size_t bit = 0; bit < b->length * 8; bit++) {
    b->data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    refused += refuses(b);
    b->data[bit / 8] ^= (uint8_t)(1u << bit % 8);
  }
  return refused;
}

/* Every byte becomes each of `values` in turn. */
static inline void replace_every_byte(struct bytes *b, const char *values, size_t count) {
  for (size_t at = 0; at < b->length; at++) {
    uint8_t kept = b->data[at];
    for (size_t i = 0; i < count; i++) {
      b->data[at] = (uint8_t)values[i];
      is_refused(b);
    }
    b->data[at] = kept;
  }
}

#endif
