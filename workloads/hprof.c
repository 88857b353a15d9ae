/* SPDX-License-Identifier: MIT */
#include "workloads/hprof.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/hprof_class.h"
#include "workloads/thg_error.h"
#include "workloads/thg_memory.h"

/* Memory for each object and root: what is noted of them, in arrays that are copied when they
 * grow, and their places in the graph. */
#define OBJECT_BYTES 100u
#define ROOT_BYTES 28u

enum noted_kind { NOTED_CLASS, NOTED_INSTANCE, NOTED_OBJECT_ARRAY, NOTED_PRIMITIVE_ARRAY };

/* What the first pass notes of an object, besides its identifier. */
struct noted {
  uint64_t klass; /* instance: class identifier; class: words before its references */
  uint32_t count; /* of values: bytes, elements, or references of a class */
  uint8_t kind;
  uint8_t element_bytes; /* of a primitive array */
};

struct importer {
  struct td_import_source *source;
  struct td_thg *graph;
  struct td_import_summary *summary;
  struct td_hprof_classes classes;
  struct td_import_shapes shapes;
  struct td_import_ids ids;
  uint64_t *identifiers; /* in the order of the dump, as is noted[] */
  struct noted *noted;
  uint64_t *roots; /* identifiers */
  uint64_t identifier_capacity, noted_capacity, root_capacity;
  uint64_t object_count, root_count;
  uint32_t id_bytes;
  uint32_t id_bytes_again; /* as the second pass read it */
};

static bool no_memory(struct importer *in, const char *what) {
  return td_thg_fail_memory(in->source->error, in->source->name, what);
}

/* ---- First pass: note --------------------------------------------------------------------- */

/* Returns whether the dump may have as many objects, references and roots as are known so far. */
static bool may_grow(struct importer *in) {
  uint64_t ref_count = in->graph->ref_count;
  char what[100];
  snprintf(what, sizeof what, "%llu objects, %llu references, %llu roots",
           (unsigned long long)in->object_count, (unsigned long long)ref_count,
           (unsigned long long)in->root_count);
  return td_source_allows(in->source,
                          in->object_count * OBJECT_BYTES + in->root_count * ROOT_BYTES +
                              ref_count * sizeof *in->graph->refs,
                          what);
}

static bool note(struct importer *in, uint64_t offset, uint64_t id, struct noted noted) {
  if (id == 0) return td_source_fail(in->source, offset, "an object whose identifier is null");
  if (in->object_count == TD_THG_NULL - 1) {
    return td_source_fail(in->source, offset, "more than 2^32 - 2 objects");
  }
  if (in->object_count == in->identifier_capacity && !may_grow(in)) return false;
  if (!td_grow((void **)&in->identifiers, &in->identifier_capacity, in->object_count,
               sizeof *in->identifiers) ||
      !td_grow((void **)&in->noted, &in->noted_capacity, in->object_count, sizeof *in->noted)) {
    return no_memory(in, "its objects");
  }
  in->identifiers[in->object_count] = id;
  in->noted[in->object_count++] = noted;
  return true;
}

static bool note_root(void *context, uint64_t id) {
  struct importer *in = context;
  if (id == 0) return true;
  if (in->root_count == UINT32_MAX) {
    return td_source_fail(in->source, td_source_offset(in->source), "more than 2^32 - 1 roots");
  }
  if (in->root_count == in->root_capacity && !may_grow(in)) return false;
  if (!td_grow((void **)&in->roots, &in->root_capacity, in->root_count, sizeof *in->roots)) {
    return no_memory(in, "its roots");
  }
  in->roots[in->root_count++] = id;
  return true;
}

static bool note_class(void *context, const struct td_hprof_class *klass) {
  struct importer *in = context;
  in->classes.id_bytes = in->id_bytes;
  if (!td_hprof_add_class(&in->classes, klass)) return no_memory(in, "its classes");
  uint64_t words =
      (TD_HPROF_HEADER_BYTES + (uint64_t)klass->static_primitive_bytes + TD_THG_WORD_BYTES - 1) /
      TD_THG_WORD_BYTES;
  struct noted noted = {.klass = words, .count = klass->static_ref_count + 4, .kind = NOTED_CLASS};
  return note(in, klass->offset, klass->id, noted);
}

static bool note_instance(void *context, const struct td_hprof_object *object) {
  struct noted noted = {.klass = object->klass, .count = object->count, .kind = NOTED_INSTANCE};
  return note(context, object->offset, object->id, noted);
}

static bool note_object_array(void *context, const struct td_hprof_object *object) {
  struct noted noted = {.count = object->count, .kind = NOTED_OBJECT_ARRAY};
  return note(context, object->offset, object->id, noted);
}

static bool note_primitive_array(void *context, const struct td_hprof_object *object) {
  struct noted noted = {
      .count = object->count,
      .kind = NOTED_PRIMITIVE_ARRAY,
      .element_bytes = (uint8_t)td_hprof_type_bytes(object->type, 8),
  };
  return note(context, object->offset, object->id, noted);
}

/* ---- Between the passes: number the objects, give each its shape and size ----------------- */

static uint64_t round_up(uint64_t bytes) {
  return (bytes + TD_THG_WORD_BYTES - 1) / TD_THG_WORD_BYTES * TD_THG_WORD_BYTES;
}

/* An instance that does not fit its class is a leaf here.  The second pass knows where it is, and
 * complains. */
static bool shape_instance(struct importer *in, const struct noted *noted, uint32_t index,
                           uint64_t *slots) {
  struct td_thg *graph = in->graph;
  struct td_hprof_layout *layout = td_hprof_find_class(&in->classes, noted->klass);
  if (!layout || layout->total_bytes != noted->count) {
    graph->shape_of[index] = td_shapes_leaf(&in->shapes);
    graph->size[index] = TD_HPROF_HEADER_BYTES;
    return graph->shape_of[index] != TD_SHAPES_NO_MEMORY;
  }
  if (!layout->is_planned && !td_hprof_plan(&in->classes, layout, &in->shapes)) return false;
  graph->shape_of[index] = layout->shape;
  graph->size[index] = layout->size;
  *slots = layout->slot_count;
  return true;
}

static bool shape_object(struct importer *in, const struct noted *noted, uint32_t index,
                         uint64_t *slots) {
  struct td_thg *graph = in->graph;
  uint64_t words = TD_HPROF_ARRAY_HEADER_BYTES / TD_THG_WORD_BYTES;
  *slots = 0;
  switch ((enum noted_kind)noted->kind) {
  case NOTED_INSTANCE:
    return shape_instance(in, noted, index, slots);
  case NOTED_PRIMITIVE_ARRAY:
    graph->shape_of[index] = td_shapes_leaf(&in->shapes);
    graph->size[index] =
        round_up(TD_HPROF_ARRAY_HEADER_BYTES + (uint64_t)noted->count * noted->element_bytes);
    break;
  case NOTED_CLASS:
    words = noted->klass;
    __attribute__((fallthrough));
  case NOTED_OBJECT_ARRAY:
    graph->shape_of[index] = td_shapes_prefix(&in->shapes, (uint32_t)words);
    graph->size[index] = (words + noted->count) * TD_THG_WORD_BYTES;
    *slots = noted->count;
    break;
  }
  return graph->shape_of[index] != TD_SHAPES_NO_MEMORY;
}

static bool number_objects(struct importer *in) {
  uint64_t where = 0;
  switch (td_ids_build(&in->ids, in->identifiers, in->object_count, &where)) {
  case TD_IDS_OK:
    return true;
  case TD_IDS_NO_MEMORY:
    return no_memory(in, "its identifiers");
  case TD_IDS_TWICE:
    break;
  }
  return td_thg_fail(in->source->error, TD_THG_BAD_INPUT, 0, "%s: object 0x%llx is dumped twice",
                     in->source->name, (unsigned long long)in->identifiers[where]);
}

/* Slot counts go to first_ref[index + 1] and are then summed up in place. */
static bool shape_objects(struct importer *in) {
  struct td_thg *graph = in->graph;
  graph->object_count = (uint32_t)in->object_count;
  graph->shape_of = td_new_array(in->object_count, sizeof *graph->shape_of);
  graph->size = td_new_array(in->object_count, sizeof *graph->size);
  graph->first_ref = td_new_array(in->object_count + 1, sizeof *graph->first_ref);
  if (!graph->shape_of || !graph->size || !graph->first_ref) return no_memory(in, "its objects");
  for (uint64_t i = 0; i < in->object_count; i++) {
    uint32_t index = td_ids_find(&in->ids, in->identifiers[i]);
    if (!shape_object(in, &in->noted[i], index, &graph->first_ref[index + 1])) {
      return no_memory(in, "its shapes");
    }
  }
  for (uint32_t i = 0; i < graph->object_count; i++) {
    graph->first_ref[i + 1] += graph->first_ref[i];
  }
  graph->ref_count = graph->first_ref[graph->object_count];
  if (!may_grow(in)) return false;
  graph->refs = td_new_array(graph->ref_count, sizeof *graph->refs);
  return graph->refs ? true : no_memory(in, "its references");
}

static bool keep_roots(struct importer *in) {
  struct td_thg *graph = in->graph;
  graph->roots = td_new_array(in->root_count, sizeof *graph->roots);
  if (!graph->roots) return no_memory(in, "its roots");
  for (uint64_t r = 0; r < in->root_count; r++) {
    uint32_t index = td_ids_find(&in->ids, in->roots[r]);
    if (index == TD_IDS_NONE) {
      in->summary->roots_lost++;
    } else {
      graph->roots[graph->root_count++] = index;
    }
  }
  return true;
}

static bool number_and_shape(struct importer *in) {
  if (!td_hprof_link_classes(&in->classes, in->source) || !number_objects(in) ||
      !shape_objects(in) || !keep_roots(in)) {
    return false;
  }
  free(in->identifiers);
  free(in->noted);
  free(in->roots);
  in->identifiers = in->roots = NULL;
  in->noted = NULL;
  return true;
}

/* ---- Second pass: fill in references ------------------------------------------------------ */

/* Returns the object's slots.  Their number is compared again: if the file has changed since the
 * first pass, we would write past the end. */
static uint32_t *find_slots(struct importer *in, uint64_t id, uint64_t offset, uint64_t count) {
  uint32_t index = td_ids_find(&in->ids, id);
  const uint64_t *first = in->graph->first_ref;
  if (index == TD_IDS_NONE || first[index + 1] - first[index] != count ||
      in->id_bytes_again != in->id_bytes) {
    td_source_fail(in->source, offset, "the file changed while it was read");
    return NULL;
  }
  return in->graph->refs + first[index];
}

static uint32_t resolve(struct importer *in, uint64_t id) {
  if (id == 0) {
    in->summary->null_slots++;
    return TD_THG_NULL;
  }
  uint32_t index = td_ids_find(&in->ids, id);
  if (index == TD_IDS_NONE) {
    in->summary->dangling++;
    return TD_THG_NULL;
  }
  return index;
}

static bool pass_root(void *context, uint64_t id) {
  (void)context;
  (void)id;
  return true;
}

static bool fill_class(void *context, const struct td_hprof_class *klass) {
  struct importer *in = context;
  uint32_t *slots = find_slots(in, klass->id, klass->offset, (uint64_t)klass->static_ref_count + 4);
  if (!slots) return false;
  *slots++ = resolve(in, klass->super);
  for (int h = 0; h < 3; h++)
    *slots++ = resolve(in, klass->holders[h]);
  for (uint32_t s = 0; s < klass->static_ref_count; s++) {
    *slots++ = resolve(in, klass->static_refs[s]);
  }
  return true;
}

static bool fill_instance(void *context, const struct td_hprof_object *object) {
  struct importer *in = context;
  const struct td_hprof_layout *layout = td_hprof_find_class(&in->classes, object->klass);
  if (!layout) {
    return td_source_fail(in->source, object->offset,
                          "an instance whose class 0x%llx is not in the dump",
                          (unsigned long long)object->klass);
  }
  if (layout->total_bytes != object->count) {
    return td_source_fail(in->source, object->offset,
                          "an instance of %u bytes whose class has fields of %llu", object->count,
                          (unsigned long long)layout->total_bytes);
  }
  uint32_t *slots = find_slots(in, object->id, object->offset, layout->slot_count);
  if (!slots) return false;
  if (layout->slot_count == 0) return true;
  const uint8_t *values = td_source_take(in->source, object->count, "an instance");
  if (!values) return false;
  for (uint32_t s = 0; s < layout->slot_count; s++) {
    slots[s] = resolve(in, td_hprof_id(values + layout->slots[s], in->id_bytes));
  }
  return true;
}

static bool fill_object_array(void *context, const struct td_hprof_object *object) {
  struct importer *in = context;
  uint32_t *slots = find_slots(in, object->id, object->offset, object->count);
  if (!slots) return false;
  const uint32_t piece_max = 8192;
  for (uint32_t left = object->count; left > 0;) {
    uint32_t piece = left < piece_max ? left : piece_max;
    const uint8_t *values =
        td_source_take(in->source, (size_t)piece * in->id_bytes, "an object array");
    if (!values) return false;
    for (uint32_t e = 0; e < piece; e++) {
      *slots++ = resolve(in, td_hprof_id(values + (size_t)e * in->id_bytes, in->id_bytes));
    }
    left -= piece;
  }
  return true;
}

static bool pass_array(void *context, const struct td_hprof_object *object) {
  (void)context;
  (void)object;
  return true;
}

/* ---- All of it ---------------------------------------------------------------------------- */

static bool import_dump(struct importer *in) {
  const struct td_hprof_visitor notes = {
      .context = in,
      .root = note_root,
      .klass = note_class,
      .instance = note_instance,
      .object_array = note_object_array,
      .primitive_array = note_primitive_array,
  };
  const struct td_hprof_visitor fills = {
      .context = in,
      .root = pass_root,
      .klass = fill_class,
      .instance = fill_instance,
      .object_array = fill_object_array,
      .primitive_array = pass_array,
  };
  td_source_rewind(in->source, "reading objects", false);
  if (!td_hprof_walk(in->source, &notes, &in->id_bytes) || !number_and_shape(in)) return false;
  td_source_rewind(in->source, "reading references", true);
  return td_hprof_walk(in->source, &fills, &in->id_bytes_again);
}

bool td_hprof_is(const uint8_t *bytes, size_t length) {
  return length >= 13 && memcmp(bytes, "JAVA PROFILE ", 13) == 0;
}

bool td_hprof_import(struct td_import_source *source, struct td_thg *graph,
                     struct td_import_summary *summary) {
  struct importer in = {.source = source, .graph = graph, .summary = summary};
  bool done = import_dump(&in);
  td_shapes_hand_over(&in.shapes, graph);
  td_hprof_free_classes(&in.classes);
  td_ids_free(&in.ids);
  free(in.identifiers);
  free(in.noted);
  free(in.roots);
  return done;
}
