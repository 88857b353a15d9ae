/* SPDX-License-Identifier: MIT */
#include "workloads/hprof_walk.h"

#include <stdlib.h>
#include <string.h>

#define FIELDS_MAX 65535u

enum record_tag { HEAP_DUMP = 0x0c, HEAP_DUMP_SEGMENT = 0x1c, HEAP_DUMP_END = 0x2c };
enum object_tag { CLASS = 0x20, INSTANCE = 0x21, OBJECT_ARRAY = 0x22, PRIMITIVE_ARRAY = 0x23 };

struct walker {
  struct td_import_source *source;
  const struct td_hprof_visitor *visitor;
  uint32_t tag; /* of the heap dump record at hand */
  uint32_t id_bytes;
  /* Of the class sub-record at hand. */
  uint64_t *static_refs; /* [FIELDS_MAX] */
  uint8_t *fields;       /* [FIELDS_MAX] */
};

static uint32_t u2(const uint8_t *bytes) {
  return (uint32_t)bytes[0] << 8 | bytes[1];
}

static uint32_t u4(const uint8_t *bytes) {
  uint32_t value;
  memcpy(&value, bytes, 4);
  return __builtin_bswap32(value);
}

uint32_t td_hprof_type_bytes(uint32_t type, uint32_t id_bytes) {
  switch (type) {
  case TD_HPROF_OBJECT:
    return id_bytes;
  case TD_HPROF_BOOLEAN:
  case TD_HPROF_BYTE:
    return 1;
  case TD_HPROF_CHAR:
  case TD_HPROF_SHORT:
    return 2;
  case TD_HPROF_FLOAT:
  case TD_HPROF_INT:
    return 4;
  case TD_HPROF_DOUBLE:
  case TD_HPROF_LONG:
    return 8;
  }
  return 0;
}

/* Returns how many bytes follow the identifier of a root sub-record; -1 if the tag is no root's.
 * `+ 16` stands for one more identifier. */
static int root_tail(uint32_t tag) {
  switch (tag) {
  case 0xff: /* unknown */
  case 0x05: /* sticky class */
  case 0x07: /* monitor in use */
    return 0;
  case 0x01: /* JNI global: the reference's own identifier follows */
    return 16;
  case 0x04: /* native stack: thread serial number */
  case 0x06: /* thread block: thread serial number */
    return 4;
  case 0x02: /* JNI local: thread serial number, frame number */
  case 0x03: /* Java frame: the same */
  case 0x08: /* thread object: thread and stack trace serial numbers */
    return 8;
  }
  return -1;
}

static bool walk_root(struct walker *w, uint32_t tag, uint64_t offset) {
  int tail = root_tail(tag);
  if (tail < 0) {
    return td_source_fail(w->source, offset, "unknown heap dump record 0x%02x", tag);
  }
  size_t length = w->id_bytes + (tail == 16 ? w->id_bytes : (size_t)tail);
  const uint8_t *bytes = td_source_take(w->source, length, "a root record");
  return bytes && w->visitor->root(w->visitor->context, td_hprof_id(bytes, w->id_bytes));
}

static bool bad_type(struct walker *w, uint32_t type) {
  return td_source_fail(w->source, td_source_offset(w->source) - 1, "unknown value type %u", type);
}

static bool skip_constants(struct walker *w) {
  const uint8_t *bytes = td_source_take(w->source, 2, "a class record");
  if (!bytes) return false;
  for (uint32_t left = u2(bytes); left > 0; left--) {
    bytes = td_source_take(w->source, 3, "a constant of a class record");
    if (!bytes) return false;
    uint32_t size = td_hprof_type_bytes(bytes[2], w->id_bytes);
    if (size == 0) return bad_type(w, bytes[2]);
    if (!td_source_skip(w->source, size, "a constant of a class record")) return false;
  }
  return true;
}

static bool walk_statics(struct walker *w, struct td_hprof_class *klass) {
  const uint8_t *bytes = td_source_take(w->source, 2, "a class record");
  if (!bytes) return false;
  for (uint32_t left = u2(bytes); left > 0; left--) {
    bytes = td_source_take(w->source, w->id_bytes + 1u, "a static field");
    if (!bytes) return false;
    uint32_t type = bytes[w->id_bytes];
    uint32_t size = td_hprof_type_bytes(type, w->id_bytes);
    if (size == 0) return bad_type(w, type);
    bytes = td_source_take(w->source, size, "a static field");
    if (!bytes) return false;
    if (type == TD_HPROF_OBJECT) {
      w->static_refs[klass->static_ref_count++] = td_hprof_id(bytes, w->id_bytes);
    } else {
      klass->static_primitive_bytes += size;
    }
  }
  return true;
}

static bool walk_fields(struct walker *w, struct td_hprof_class *klass) {
  const uint8_t *bytes = td_source_take(w->source, 2, "a class record");
  if (!bytes) return false;
  for (uint32_t left = u2(bytes); left > 0; left--) {
    bytes = td_source_take(w->source, w->id_bytes + 1u, "a field of a class record");
    if (!bytes) return false;
    uint8_t type = bytes[w->id_bytes];
    if (td_hprof_type_bytes(type, w->id_bytes) == 0) return bad_type(w, type);
    w->fields[klass->field_count++] = type;
  }
  return true;
}

static bool walk_class(struct walker *w, uint64_t offset) {
  uint32_t id = w->id_bytes;
  /* Identifier, stack trace, super, loader, signers, domain, two unused, instance size. */
  const uint8_t *bytes = td_source_take(w->source, 7 * id + 8, "a class record");
  if (!bytes) return false;
  struct td_hprof_class klass = {
      .offset = offset,
      .id = td_hprof_id(bytes, id),
      .super = td_hprof_id(bytes + id + 4, id),
      .holders = {td_hprof_id(bytes + 2 * id + 4, id), td_hprof_id(bytes + 3 * id + 4, id),
                  td_hprof_id(bytes + 4 * id + 4, id)},
      .static_refs = w->static_refs,
      .fields = w->fields,
  };
  return skip_constants(w) && walk_statics(w, &klass) && walk_fields(w, &klass) &&
         w->visitor->klass(w->visitor->context, &klass);
}

/* ---- Where a heap dump goes on ------------------------------------------------------------ */

/* Android's runtime ends a segment where its buffer is full, in the midst of a sub-record. */
static bool enter_next_segment(struct walker *w) {
  struct td_import_source *source = w->source;
  const uint64_t end = source->limit;
  source->limit = source->length;
  if (td_source_fill(source, 9) < 9 || *source->next != HEAP_DUMP_SEGMENT) {
    if (!source->failed) source->limit = end;
    return false;
  }
  uint64_t length = u4(source->next + 5);
  source->next += 9;
  source->between += 9;
  if (length > source->length - td_source_offset(source)) return false;
  source->limit = td_source_offset(source) + length;
  return true;
}

/* The length of a single record has 32 bits. Of a larger heap the rest is written. */
#define WRAPPED (UINT64_C(1) << 32)
static bool unwrap(struct td_import_source *source) {
  if (source->length - source->limit < WRAPPED) return false;
  source->limit += WRAPPED;
  return true;
}

static bool go_on(void *context) {
  struct walker *w = context;
  return w->tag == HEAP_DUMP_SEGMENT ? enter_next_segment(w) : unwrap(w->source);
}

/* At the end of a single record: does another sub-record follow instead of a record? */
static bool is_wrapped(struct walker *w) {
  struct td_import_source *source = w->source;
  const uint64_t end = source->limit;
  if (w->tag != HEAP_DUMP || source->length - end < WRAPPED) return false;
  source->limit = source->length;
  bool sub_record =
      td_source_fill(source, 1) > 0 && (*source->next >> 4 == 2) && *source->next != HEAP_DUMP_END;
  source->limit = end;
  return sub_record && unwrap(source);
}

/* ---- Objects ------------------------------------------------------------------------------ */

/* Lets the visitor see the object, then passes over what it left of the values. */
static bool visit_object(struct walker *w, const struct td_hprof_object *object,
                         uint64_t value_bytes,
                         bool (*visit)(void *, const struct td_hprof_object *)) {
  struct td_import_source *source = w->source;
  uint64_t start = td_source_offset(source), between = source->between;
  if (value_bytes > source->length - start) {
    return td_source_skip(source, value_bytes, "an object");
  }
  if (!visit(w->visitor->context, object)) return false;
  uint64_t taken = td_source_offset(source) - start - (source->between - between);
  return td_source_skip(w->source, value_bytes - taken, "an object");
}

static bool walk_instance(struct walker *w, uint64_t offset) {
  uint32_t id = w->id_bytes;
  const uint8_t *bytes = td_source_take(w->source, 2 * id + 8, "an instance record");
  if (!bytes) return false;
  struct td_hprof_object object = {
      .offset = offset,
      .id = td_hprof_id(bytes, id),
      .klass = td_hprof_id(bytes + id + 4, id),
      .count = u4(bytes + 2 * id + 4),
  };
  return visit_object(w, &object, object.count, w->visitor->instance);
}

static bool walk_object_array(struct walker *w, uint64_t offset) {
  uint32_t id = w->id_bytes;
  const uint8_t *bytes = td_source_take(w->source, 2 * id + 8, "an object array record");
  if (!bytes) return false;
  struct td_hprof_object object = {
      .offset = offset,
      .id = td_hprof_id(bytes, id),
      .count = u4(bytes + id + 4),
      .klass = td_hprof_id(bytes + id + 8, id),
  };
  return visit_object(w, &object, (uint64_t)object.count * id, w->visitor->object_array);
}

static bool walk_primitive_array(struct walker *w, uint64_t offset) {
  uint32_t id = w->id_bytes;
  const uint8_t *bytes = td_source_take(w->source, id + 9, "a primitive array record");
  if (!bytes) return false;
  struct td_hprof_object object = {
      .offset = offset,
      .id = td_hprof_id(bytes, id),
      .count = u4(bytes + id + 4),
      .type = bytes[id + 8],
  };
  uint32_t size = td_hprof_type_bytes(object.type, id);
  if (size == 0 || object.type == TD_HPROF_OBJECT) return bad_type(w, object.type);
  return visit_object(w, &object, (uint64_t)object.count * size, w->visitor->primitive_array);
}

static bool walk_heap(struct walker *w, uint64_t end) {
  w->source->limit = end;
  while (td_source_offset(w->source) < w->source->limit || is_wrapped(w)) {
    uint64_t offset = td_source_offset(w->source);
    const uint8_t *tag = td_source_take(w->source, 1, "a heap dump record");
    if (!tag) return false;
    bool went;
    switch (*tag) {
    case CLASS:
      went = walk_class(w, offset);
      break;
    case INSTANCE:
      went = walk_instance(w, offset);
      break;
    case OBJECT_ARRAY:
      went = walk_object_array(w, offset);
      break;
    case PRIMITIVE_ARRAY:
      went = walk_primitive_array(w, offset);
      break;
    default:
      went = walk_root(w, *tag, offset);
    }
    if (!went) return false;
  }
  w->source->limit = w->source->length;
  return true;
}

static bool walk_header(struct walker *w) {
  static const char versions[2][20] = {"JAVA PROFILE 1.0.1", "JAVA PROFILE 1.0.2"};
  const uint8_t *bytes = td_source_take(w->source, 31, "the HPROF header");
  if (!bytes) return false;
  if (memcmp(bytes, "JAVA PROFILE 1.0.3", 19) == 0) {
    return td_source_fail(w->source, 0,
                          "an Android dump of version 1.0.3: turn it into one of 1.0.2 with "
                          "hprof-conv, which is part of Android's platform tools");
  }
  if (memcmp(bytes, versions[0], 19) != 0 && memcmp(bytes, versions[1], 19) != 0) {
    return td_source_fail(w->source, 0, "not an HPROF dump of version 1.0.1 or 1.0.2");
  }
  w->id_bytes = u4(bytes + 19);
  if (w->id_bytes != 4 && w->id_bytes != 8) {
    return td_source_fail(w->source, 19, "identifiers of %u bytes; only 4 and 8 are known",
                          w->id_bytes);
  }
  return true;
}

static bool walk_record(struct walker *w, uint32_t tag, uint64_t length) {
  uint64_t start = td_source_offset(w->source);
  if (length > w->source->length - start) {
    return td_source_fail(w->source, start - 9, "the file ends inside a record of %llu bytes",
                          (unsigned long long)length);
  }
  w->tag = tag;
  if (tag == HEAP_DUMP || tag == HEAP_DUMP_SEGMENT) return walk_heap(w, start + length);
  return td_source_skip(w->source, length, "a record");
}

/* Segments must be closed by an end record: without it a file cut between two segments would
 * pass for a smaller heap. */
static bool walk_records(struct walker *w) {
  bool seen_heap = false;
  bool is_open = false;
  while (td_source_fill(w->source, 1) > 0) {
    const uint8_t *bytes = td_source_take(w->source, 9, "a record header");
    if (!bytes) return false;
    uint32_t tag = bytes[0];
    seen_heap |= tag == HEAP_DUMP || tag == HEAP_DUMP_SEGMENT;
    is_open = (is_open || tag == HEAP_DUMP_SEGMENT) && tag != HEAP_DUMP_END;
    if (!walk_record(w, tag, u4(bytes + 5))) return false;
  }
  uint64_t end = td_source_offset(w->source);
  if (w->source->failed) return false;
  if (is_open) return td_source_fail(w->source, end, "the file ends inside the heap dump");
  if (!seen_heap) return td_source_fail(w->source, end, "no heap dump in the file");
  return true;
}

bool td_hprof_walk(struct td_import_source *source, const struct td_hprof_visitor *visitor,
                   uint32_t *id_bytes) {
  struct walker w = {.source = source, .visitor = visitor};
  w.static_refs = malloc(FIELDS_MAX * sizeof *w.static_refs);
  w.fields = malloc(FIELDS_MAX * sizeof *w.fields);
  bool done = false;
  if (!w.static_refs || !w.fields) {
    td_thg_fail_memory(source->error, source->name, "a class record");
  } else if (walk_header(&w)) {
    *id_bytes = w.id_bytes;
    source->go_on = go_on;
    source->context = &w;
    done = walk_records(&w);
    source->go_on = NULL;
  }
  free(w.static_refs);
  free(w.fields);
  return done;
}
