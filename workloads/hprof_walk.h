/* SPDX-License-Identifier: MIT */
/* Walking the records of an HPROF dump, one call per heap object and root.
 *
 * The format is the "HPROF Agent" binary format (JAVA PROFILE 1.0.1 and 1.0.2) that HotSpot's
 * heap dumper and jmap write: big-endian records of tag, time and length; the heap itself is in
 * HEAP_DUMP and HEAP_DUMP_SEGMENT records, as a sequence of sub-records without lengths.
 * Threads: one walker. */
#ifndef TD_WORKLOADS_HPROF_WALK_H
#define TD_WORKLOADS_HPROF_WALK_H

#include "workloads/import_source.h"

enum td_hprof_type {
  TD_HPROF_OBJECT = 2,
  TD_HPROF_BOOLEAN = 4,
  TD_HPROF_CHAR = 5,
  TD_HPROF_FLOAT = 6,
  TD_HPROF_DOUBLE = 7,
  TD_HPROF_BYTE = 8,
  TD_HPROF_SHORT = 9,
  TD_HPROF_INT = 10,
  TD_HPROF_LONG = 11,
};

struct td_hprof_class {
  uint64_t offset; /* of the sub-record, for messages */
  uint64_t id;
  uint64_t super;      /* 0 for java.lang.Object */
  uint64_t holders[3]; /* class loader, signers, protection domain; 0 for null */
  const uint64_t *static_refs;
  uint32_t static_ref_count;
  uint32_t static_primitive_bytes;
  const uint8_t *fields; /* types of the class's own instance fields, as declared */
  uint32_t field_count;
};

struct td_hprof_object {
  uint64_t offset;
  uint64_t id;
  uint64_t klass; /* of an instance or an object array; 0 for a primitive array */
  uint32_t count; /* bytes of field values, or elements */
  uint8_t type;   /* of the elements of a primitive array, else 0 */
};

/* Each returns whether to go on; a false one has set the error.  instance and array may take the
 * object's values from the source, or leave them; the pointers in *klass last for the call. */
struct td_hprof_visitor {
  void *context;
  bool (*root)(void *context, uint64_t id);
  bool (*klass)(void *context, const struct td_hprof_class *klass);
  bool (*instance)(void *context, const struct td_hprof_object *object);
  bool (*object_array)(void *context, const struct td_hprof_object *object);
  bool (*primitive_array)(void *context, const struct td_hprof_object *object);
};

/* Returns the bytes of a value of that type where identifiers have id_bytes; 0 for an unknown type.
 */
uint32_t td_hprof_type_bytes(uint32_t type, uint32_t id_bytes);

/* Returns an identifier of 4 or 8 bytes, big-endian. */
static inline uint64_t td_hprof_id(const uint8_t *bytes, uint32_t id_bytes) {
  if (id_bytes == 4) {
    uint32_t value;
    __builtin_memcpy(&value, bytes, 4);
    return __builtin_bswap32(value);
  }
  uint64_t value;
  __builtin_memcpy(&value, bytes, 8);
  return __builtin_bswap64(value);
}

/* Walks the whole dump from its first byte.  *id_bytes is set before the first call of the
 * visitor. */
bool td_hprof_walk(struct td_import_source *source, const struct td_hprof_visitor *visitor,
                   uint32_t *id_bytes);

#endif
