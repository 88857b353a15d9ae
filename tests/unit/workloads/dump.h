/* SPDX-License-Identifier: MIT */
/* What the tests of importers and of the graph file share: bytes to append to, temporary files. */
#ifndef TD_TESTS_UNIT_WORKLOADS_DUMP_H
#define TD_TESTS_UNIT_WORKLOADS_DUMP_H

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "workloads/import.h"
#include "workloads/thg_read.h"
#include "workloads/thg_write.h"

struct bytes {
  uint8_t *data;
  size_t length, capacity;
};

static inline void put_bytes(struct bytes *b, const void *data, size_t length) {
  if (b->length + length > b->capacity) {
    b->capacity = (b->length + length) * 2;
    b->data = realloc(b->data, b->capacity);
    cr_assert(b->data);
  }
  if (length) memcpy(b->data + b->length, data, length);
  b->length += length;
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

static inline void write_file(const char *path, const void *data, size_t length) {
  FILE *file = fopen(path, "wb");
  cr_assert(file);
  cr_assert_eq(fwrite(data, 1, length, file), length);
  cr_assert_eq(fclose(file), 0);
}

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

/* Import damaged bytes: either they are refused as bad input, with a message that begins with the
 * name and an offset inside, or what comes out is a valid graph. Returns whether they were. */
static inline bool is_refused(const struct bytes *b, size_t length) {
  struct td_thg graph;
  struct td_thg_error error = {0};
  if (td_import_bytes(b->data, length, "damaged", &graph, NULL, &error)) {
    cr_assert(td_thg_check(&graph, &error), "%s", error.text);
    td_thg_free(&graph);
    return false;
  }
  cr_assert_eq(error.kind, TD_THG_BAD_INPUT, "%s", error.text);
  cr_assert_eq(strncmp(error.text, "damaged: ", 9), 0, "%s", error.text);
  cr_assert_leq(error.offset, length, "%s", error.text);
  cr_assert_null(graph.size);
  return true;
}

#endif
