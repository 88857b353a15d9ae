/* SPDX-License-Identifier: MIT */
/* The classes of an HPROF dump, and where an instance's references lie.
 *
 * The dump names the fields of a class with their types but not where they are in memory, so
 * instances are laid out afresh, as HotSpot does it without compressed pointers: two header words,
 * then the fields from java.lang.Object down to the instance's class.  Within a class the primitive
 * fields come first, packed (what a superclass left of its last word is used up), then the
 * references as declared.  docs/importing.md says so to users. */
#ifndef TD_WORKLOADS_HPROF_CLASS_H
#define TD_WORKLOADS_HPROF_CLASS_H

#include "workloads/hprof_walk.h"
#include "workloads/import_ids.h"
#include "workloads/import_shapes.h"

#define TD_HPROF_HEADER_BYTES 16u       /* mark word and class pointer */
#define TD_HPROF_ARRAY_HEADER_BYTES 24u /* the same, and the length padded to a word */

/* Deeper inheritance is taken for damage: HotSpot's own library stays below 20. */
#define TD_HPROF_DEPTH_MAX 1000u

struct td_hprof_layout {
  uint64_t offset; /* of the class record, for messages */
  uint64_t id;
  uint64_t super_id;
  uint64_t fields_at; /* of the class's own field types in field_types */
  uint32_t field_count;
  uint32_t super; /* position in layouts, or TD_IDS_NONE */
  uint32_t depth; /* classes from the root to this one; 0 while unknown */
  uint32_t shape;
  uint64_t own_bytes;   /* of the class's own fields in a dumped instance */
  uint64_t total_bytes; /* superclasses included */
  /* Set by td_hprof_plan. */
  bool is_planned;
  uint64_t size;       /* of an instance, header included */
  uint32_t slot_count; /* references in an instance */
  uint32_t *slots;     /* offset of each in the dumped values, in slot order */
};

struct td_hprof_classes {
  struct td_hprof_layout *layouts;
  uint8_t *field_types;
  struct td_import_ids ids;
  uint32_t *by_rank; /* position in layouts of the class with the n-th smallest identifier */
  uint64_t capacity;
  uint64_t field_capacity;
  uint64_t field_count;
  uint32_t count;
  uint32_t id_bytes;
};

/* Remembers a class as it is met.  Returns false where there is no memory. */
bool td_hprof_add_class(struct td_hprof_classes *classes, const struct td_hprof_class *klass);

/* Finds superclasses and sizes, once all classes are known.  Errors go to the source. */
bool td_hprof_link_classes(struct td_hprof_classes *classes, struct td_import_source *source);

/* Returns the class with that identifier, or NULL. */
struct td_hprof_layout *td_hprof_find_class(const struct td_hprof_classes *classes, uint64_t id);

/* Lays out instances of the class, once, and adds to the shapes.  Returns false where there is no
 * memory.
 * Costs what one dumped instance weighs, so call it only for classes that have one. */
bool td_hprof_plan(struct td_hprof_classes *classes, struct td_hprof_layout *layout,
                   struct td_import_shapes *shapes);

void td_hprof_free_classes(struct td_hprof_classes *classes);

#endif
