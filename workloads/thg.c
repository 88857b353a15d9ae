/* SPDX-License-Identifier: MIT */
#include "workloads/thg.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/thg_memory.h"

static uint64_t count_bits(const struct td_thg_shape *shape) {
  uint64_t slots = 0;
  for (uint32_t w = 0; w < shape->bitmap_words; w++) {
    slots += (uint64_t)__builtin_popcountll(shape->bitmap[w]);
  }
  return slots;
}

uint64_t td_thg_slots(const struct td_thg_shape *shape, uint64_t size_bytes) {
  uint64_t words = size_bytes / TD_THG_WORD_BYTES;
  if (shape->kind == TD_THG_BITMAP) return count_bits(shape);
  if (shape->kind == TD_THG_PREFIX && words > shape->prefix_words) {
    return words - shape->prefix_words;
  }
  return 0;
}

uint64_t td_thg_size_min(const struct td_thg_shape *shape) {
  if (shape->kind == TD_THG_PREFIX) {
    uint64_t bytes = (uint64_t)shape->prefix_words * TD_THG_WORD_BYTES;
    return bytes ? bytes : 1;
  }
  if (shape->kind == TD_THG_BITMAP) {
    uint64_t last = shape->bitmap[shape->bitmap_words - 1];
    uint64_t words = (uint64_t)shape->bitmap_words * 64 - (uint64_t)__builtin_clzll(last);
    return words * TD_THG_WORD_BYTES;
  }
  return 1;
}

static bool shape_is_valid(const struct td_thg_shape *shape) {
  switch (shape->kind) {
  case TD_THG_LEAF:
  case TD_THG_PREFIX:
    return shape->bitmap_words == 0;
  case TD_THG_BITMAP:
    return shape->prefix_words == 0 && shape->bitmap_words > 0 && shape->bitmap &&
           shape->bitmap[shape->bitmap_words - 1] != 0;
  }
  return false;
}

/* bitmap_slots[s] is the number of bits of shape s, counted once: a small file can have many
 * objects of a shape with a very long bitmap. */
static bool check_objects(const struct td_thg *graph, const uint64_t *bitmap_slots,
                          struct td_thg_error *error) {
  for (uint32_t i = 0; i < graph->object_count; i++) {
    uint32_t shape_index = graph->shape_of[i];
    if (shape_index >= graph->shape_count) {
      return td_thg_fail(error, TD_THG_BAD_INPUT, 0, "object %" PRIu32 ": no shape %" PRIu32, i,
                         shape_index);
    }
    const struct td_thg_shape *shape = &graph->shapes[shape_index];
    uint64_t size = graph->size[i];
    if (size < td_thg_size_min(shape) || size > TD_THG_SIZE_MAX) {
      return td_thg_fail(error, TD_THG_BAD_INPUT, 0,
                         "object %" PRIu32 ": size %" PRIu64 " does not fit shape %" PRIu32, i,
                         size, shape_index);
    }
    uint64_t slots =
        shape->kind == TD_THG_BITMAP ? bitmap_slots[shape_index] : td_thg_slots(shape, size);
    if (graph->first_ref[i + 1] - graph->first_ref[i] != slots) {
      return td_thg_fail(error, TD_THG_BAD_INPUT, 0,
                         "object %" PRIu32 ": number of references does not fit its shape", i);
    }
  }
  return true;
}

bool td_thg_check(const struct td_thg *graph, struct td_thg_error *error) {
  for (uint32_t s = 0; s < graph->shape_count; s++) {
    if (!shape_is_valid(&graph->shapes[s])) {
      return td_thg_fail(error, TD_THG_BAD_INPUT, 0, "shape %" PRIu32 " is not valid", s);
    }
  }
  if (graph->object_count == TD_THG_NULL) {
    return td_thg_fail(error, TD_THG_BAD_INPUT, 0, "too many objects");
  }
  uint64_t *bitmap_slots = td_new_array(graph->shape_count, sizeof *bitmap_slots);
  if (!bitmap_slots) return td_thg_fail_memory(error, "graph", "checking it");
  for (uint32_t s = 0; s < graph->shape_count; s++)
    bitmap_slots[s] = td_thg_slots(&graph->shapes[s], 0);
  bool are_valid = check_objects(graph, bitmap_slots, error);
  free(bitmap_slots);
  if (!are_valid) return false;
  uint64_t slots = graph->object_count ? graph->first_ref[graph->object_count] : 0;
  if (slots != graph->ref_count || (graph->object_count && graph->first_ref[0] != 0)) {
    return td_thg_fail(error, TD_THG_BAD_INPUT, 0, "references are not counted rightly");
  }
  for (uint64_t r = 0; r < graph->ref_count; r++) {
    if (graph->refs[r] >= graph->object_count && graph->refs[r] != TD_THG_NULL) {
      return td_thg_fail(error, TD_THG_BAD_INPUT, 0, "reference %" PRIu64 " has no target", r);
    }
  }
  for (uint32_t r = 0; r < graph->root_count; r++) {
    if (graph->roots[r] >= graph->object_count) {
      return td_thg_fail(error, TD_THG_BAD_INPUT, 0, "root %" PRIu32 " has no target", r);
    }
  }
  return true;
}

void td_thg_free(struct td_thg *graph) {
  if (!graph) return;
  for (uint32_t s = 0; graph->shapes && s < graph->shape_count; s++)
    free(graph->shapes[s].bitmap);
  free(graph->shapes);
  free(graph->shape_of);
  free(graph->size);
  free(graph->first_ref);
  free(graph->refs);
  free(graph->roots);
  free(graph->about);
  memset(graph, 0, sizeof *graph);
}
