/* SPDX-License-Identifier: MIT */
#include "workloads/hprof_class.h"

#include <stdlib.h>
#include <string.h>

#include "workloads/thg_error.h"
#include "workloads/thg_memory.h"

bool td_hprof_add_class(struct td_hprof_classes *classes, const struct td_hprof_class *klass) {
  if (!td_grow((void **)&classes->layouts, &classes->capacity, classes->count,
               sizeof *classes->layouts)) {
    return false;
  }
  struct td_hprof_layout *layout = &classes->layouts[classes->count];
  *layout = (struct td_hprof_layout){
      .offset = klass->offset,
      .id = klass->id,
      .super_id = klass->super,
      .fields_at = classes->field_count,
      .field_count = klass->field_count,
      .super = TD_IDS_NONE,
  };
  for (uint32_t f = 0; f < klass->field_count; f++) {
    if (!td_grow((void **)&classes->field_types, &classes->field_capacity, classes->field_count,
                 sizeof *classes->field_types)) {
      return false;
    }
    classes->field_types[classes->field_count++] = klass->fields[f];
    layout->own_bytes += td_hprof_type_bytes(klass->fields[f], classes->id_bytes);
  }
  classes->count++;
  return true;
}

static bool number_classes(struct td_hprof_classes *classes, struct td_import_source *source) {
  uint64_t *identifiers = td_new_array(classes->count, sizeof *identifiers);
  classes->by_rank = td_new_array(classes->count, sizeof *classes->by_rank);
  enum td_ids_result result = TD_IDS_NO_MEMORY;
  uint64_t where = 0;
  if (identifiers && classes->by_rank) {
    for (uint32_t c = 0; c < classes->count; c++)
      identifiers[c] = classes->layouts[c].id;
    result = td_ids_build(&classes->ids, identifiers, classes->count, &where);
  }
  free(identifiers);
  if (result == TD_IDS_NO_MEMORY) {
    return td_thg_fail_memory(source->error, source->name, "its classes");
  }
  if (result == TD_IDS_TWICE) {
    return td_source_fail(source, classes->layouts[where].offset, "a class is dumped twice");
  }
  for (uint32_t c = 0; c < classes->count; c++) {
    classes->by_rank[td_ids_find(&classes->ids, classes->layouts[c].id)] = c;
  }
  return true;
}

/* Follows superclasses up to one whose depth is known, then fills in depths downwards. */
static bool link_chain(struct td_hprof_classes *classes, struct td_import_source *source,
                       uint32_t start) {
  uint32_t chain[TD_HPROF_DEPTH_MAX];
  uint32_t length = 0;
  uint32_t at = start;
  while (at != TD_IDS_NONE && classes->layouts[at].depth == 0) {
    if (length == TD_HPROF_DEPTH_MAX) {
      return td_source_fail(source, classes->layouts[start].offset,
                            "a class with over %u superclasses, or its own superclass",
                            TD_HPROF_DEPTH_MAX);
    }
    chain[length++] = at;
    at = classes->layouts[at].super;
  }
  while (length-- > 0) {
    struct td_hprof_layout *layout = &classes->layouts[chain[length]];
    const struct td_hprof_layout *super = at == TD_IDS_NONE ? NULL : &classes->layouts[at];
    layout->depth = super ? super->depth + 1 : 1;
    layout->total_bytes = layout->own_bytes + (super ? super->total_bytes : 0);
    if (layout->depth > TD_HPROF_DEPTH_MAX) {
      return td_source_fail(source, layout->offset, "a class with over %u superclasses",
                            TD_HPROF_DEPTH_MAX);
    }
    at = chain[length];
  }
  return true;
}

bool td_hprof_link_classes(struct td_hprof_classes *classes, struct td_import_source *source) {
  if (!number_classes(classes, source)) return false;
  for (uint32_t c = 0; c < classes->count; c++) {
    struct td_hprof_layout *layout = &classes->layouts[c];
    const struct td_hprof_layout *super = td_hprof_find_class(classes, layout->super_id);
    if (super) layout->super = (uint32_t)(super - classes->layouts);
  }
  for (uint32_t c = 0; c < classes->count; c++) {
    if (!link_chain(classes, source, c)) return false;
  }
  return true;
}

struct td_hprof_layout *td_hprof_find_class(const struct td_hprof_classes *classes, uint64_t id) {
  uint32_t rank = id ? td_ids_find(&classes->ids, id) : TD_IDS_NONE;
  return rank == TD_IDS_NONE ? NULL : &classes->layouts[classes->by_rank[rank]];
}

/* Where the next field goes while an instance is laid out. */
struct cursor {
  uint64_t bytes;      /* used so far, whole words */
  uint64_t hole_bytes; /* free at the end of the last word of primitives */
  uint32_t slots;
  uint64_t *bitmap; /* NULL while only measuring */
};

/* Places the class's own fields; `dumped` is where its values begin in a dumped instance. */
static void place_fields(const struct td_hprof_classes *classes,
                         const struct td_hprof_layout *owner, uint64_t dumped,
                         struct cursor *cursor, uint32_t *slots) {
  const uint8_t *types = classes->field_types + owner->fields_at;
  uint64_t primitives = 0;
  for (uint32_t f = 0; f < owner->field_count; f++) {
    if (types[f] == TD_HPROF_OBJECT) continue;
    uint64_t size = td_hprof_type_bytes(types[f], classes->id_bytes);
    if (size < 8 && size <= cursor->hole_bytes) {
      cursor->hole_bytes -= size;
    } else {
      primitives += size;
    }
  }
  if (primitives > 0) {
    uint64_t words = (primitives + TD_THG_WORD_BYTES - 1) / TD_THG_WORD_BYTES;
    cursor->bytes += words * TD_THG_WORD_BYTES;
    cursor->hole_bytes = words * TD_THG_WORD_BYTES - primitives;
  }
  for (uint32_t f = 0; f < owner->field_count; f++) {
    if (types[f] == TD_HPROF_OBJECT) {
      uint64_t word = cursor->bytes / TD_THG_WORD_BYTES;
      if (cursor->bitmap) {
        cursor->bitmap[word / 64] |= UINT64_C(1) << (word % 64);
        slots[cursor->slots] = (uint32_t)dumped;
      }
      cursor->slots++;
      cursor->bytes += TD_THG_WORD_BYTES;
    }
    dumped += td_hprof_type_bytes(types[f], classes->id_bytes);
  }
}

/* A dumped instance holds the values of its own class first, then of each superclass. */
static void place_all(const struct td_hprof_classes *classes, const struct td_hprof_layout *layout,
                      struct cursor *cursor, uint32_t *slots) {
  uint32_t chain[TD_HPROF_DEPTH_MAX];
  uint32_t at = (uint32_t)(layout - classes->layouts);
  for (uint32_t d = layout->depth; d-- > 0;) {
    chain[d] = at;
    at = classes->layouts[at].super;
  }
  for (uint32_t d = 0; d < layout->depth; d++) {
    const struct td_hprof_layout *owner = &classes->layouts[chain[d]];
    place_fields(classes, owner, layout->total_bytes - owner->total_bytes, cursor, slots);
  }
}

bool td_hprof_plan(struct td_hprof_classes *classes, struct td_hprof_layout *layout,
                   struct td_import_shapes *shapes) {
  if (layout->is_planned) return true;
  struct cursor measure = {.bytes = TD_HPROF_HEADER_BYTES};
  place_all(classes, layout, &measure, NULL);
  uint32_t words = (uint32_t)(measure.bytes / TD_THG_WORD_BYTES / 64 + 1);
  struct cursor cursor = {.bytes = TD_HPROF_HEADER_BYTES,
                          .bitmap = td_new_array(words, sizeof(uint64_t))};
  layout->slots = td_new_array(measure.slots, sizeof *layout->slots);
  layout->shape = TD_SHAPES_NO_MEMORY;
  if (cursor.bitmap && layout->slots) {
    place_all(classes, layout, &cursor, layout->slots);
    layout->shape = td_shapes_bitmap(shapes, cursor.bitmap, words);
  }
  free(cursor.bitmap);
  layout->size = measure.bytes;
  layout->slot_count = measure.slots;
  layout->is_planned = layout->shape != TD_SHAPES_NO_MEMORY;
  return layout->is_planned;
}

void td_hprof_free_classes(struct td_hprof_classes *classes) {
  for (uint32_t c = 0; c < classes->count; c++)
    free(classes->layouts[c].slots);
  free(classes->layouts);
  free(classes->field_types);
  free(classes->by_rank);
  td_ids_free(&classes->ids);
  memset(classes, 0, sizeof *classes);
}
