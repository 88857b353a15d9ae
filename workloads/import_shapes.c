/* SPDX-License-Identifier: MIT */
#include "workloads/import_shapes.h"

#include <stdlib.h>
#include <string.h>

#include "workloads/thg_memory.h"

static uint64_t hash_shape(const struct td_import_shapes *shapes,
                           const struct td_thg_shape *shape) {
  if (shape->kind == TD_THG_BITMAP) {
    return td_hash(&shapes->hash_key, shape->bitmap, shape->bitmap_words);
  }
  uint64_t word = (uint64_t)shape->kind << 32 | shape->prefix_words;
  return td_hash(&shapes->hash_key, &word, 1);
}

static bool is_same(const struct td_thg_shape *a, const struct td_thg_shape *b) {
  return a->kind == b->kind && a->prefix_words == b->prefix_words &&
         a->bitmap_words == b->bitmap_words &&
         (a->bitmap_words == 0 ||
          memcmp(a->bitmap, b->bitmap, a->bitmap_words * sizeof *a->bitmap) == 0);
}

static uint64_t find_slot(const struct td_import_shapes *shapes, const struct td_thg_shape *shape) {
  uint64_t slot = hash_shape(shapes, shape) & shapes->table_mask;
  while (shapes->table[slot] != 0 && !is_same(&shapes->shapes[shapes->table[slot] - 1], shape)) {
    slot = (slot + 1) & shapes->table_mask;
  }
  return slot;
}

static bool enlarge_table(struct td_import_shapes *shapes) {
  if (!shapes->table) shapes->hash_key = td_hash_key_new();
  uint64_t size = shapes->table ? (shapes->table_mask + 1) * 2 : 256;
  uint32_t *table = td_new_array(size, sizeof *table);
  if (!table) return false;
  free(shapes->table);
  shapes->table = table;
  shapes->table_mask = size - 1;
  for (uint32_t s = 0; s < shapes->count; s++) {
    table[find_slot(shapes, &shapes->shapes[s])] = s + 1;
  }
  return true;
}

static uint32_t add_shape(struct td_import_shapes *shapes, const struct td_thg_shape *shape) {
  if (!td_grow((void **)&shapes->shapes, &shapes->capacity, shapes->count,
               sizeof *shapes->shapes)) {
    return TD_SHAPES_NO_MEMORY;
  }
  struct td_thg_shape *added = &shapes->shapes[shapes->count];
  *added = *shape;
  added->bitmap = NULL;
  if (shape->bitmap_words) {
    added->bitmap = td_new_array(shape->bitmap_words, sizeof *added->bitmap);
    if (!added->bitmap) return TD_SHAPES_NO_MEMORY;
    memcpy(added->bitmap, shape->bitmap, shape->bitmap_words * sizeof *added->bitmap);
  }
  shapes->table[find_slot(shapes, added)] = ++shapes->count;
  return shapes->count - 1;
}

uint32_t td_shapes_find(struct td_import_shapes *shapes, const struct td_thg_shape *shape) {
  if ((!shapes->table || (uint64_t)shapes->count * 2 > shapes->table_mask) &&
      !enlarge_table(shapes)) {
    return TD_SHAPES_NO_MEMORY;
  }
  uint32_t held = shapes->table[find_slot(shapes, shape)];
  return held ? held - 1 : add_shape(shapes, shape);
}

uint32_t td_shapes_leaf(struct td_import_shapes *shapes) {
  return td_shapes_find(shapes, &(struct td_thg_shape){.kind = TD_THG_LEAF});
}

uint32_t td_shapes_prefix(struct td_import_shapes *shapes, uint32_t prefix_words) {
  return td_shapes_find(
      shapes, &(struct td_thg_shape){.kind = TD_THG_PREFIX, .prefix_words = prefix_words});
}

uint32_t td_shapes_bitmap(struct td_import_shapes *shapes, uint64_t *bitmap, uint32_t words) {
  while (words > 0 && bitmap[words - 1] == 0)
    words--;
  if (words == 0) return td_shapes_leaf(shapes);
  return td_shapes_find(
      shapes,
      &(struct td_thg_shape){.kind = TD_THG_BITMAP, .bitmap_words = words, .bitmap = bitmap});
}

void td_shapes_hand_over(struct td_import_shapes *shapes, struct td_thg *graph) {
  graph->shapes = shapes->shapes;
  graph->shape_count = shapes->count;
  free(shapes->table);
  memset(shapes, 0, sizeof *shapes);
}

void td_shapes_free(struct td_import_shapes *shapes) {
  for (uint32_t s = 0; s < shapes->count; s++)
    free(shapes->shapes[s].bitmap);
  free(shapes->shapes);
  free(shapes->table);
  memset(shapes, 0, sizeof *shapes);
}
