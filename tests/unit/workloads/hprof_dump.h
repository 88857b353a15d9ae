/* SPDX-License-Identifier: MIT */
/* Writes HPROF dumps, record by record, for tests. */
#ifndef TD_TESTS_UNIT_WORKLOADS_HPROF_DUMP_H
#define TD_TESTS_UNIT_WORKLOADS_HPROF_DUMP_H

#include "tests/unit/workloads/dump.h"
#include "workloads/hprof_walk.h"

struct dump {
  struct bytes bytes;
  unsigned id;      /* bytes of an identifier */
  bool is_segments; /* HEAP_DUMP_SEGMENT and an end, or one HEAP_DUMP */
  size_t length_at; /* of the heap record that is open */
};
static inline void dump_end(struct dump *d) {
  bytes_end(&d->bytes);
}
#define SCOPED_DUMP SCOPED(dump_end) struct dump

static inline void put_id(struct dump *d, uint64_t id) {
  put_big(&d->bytes, id, d->id);
}

static inline void put_record(struct dump *d, unsigned tag, uint32_t length) {
  put_big(&d->bytes, tag, 1);
  put_big(&d->bytes, 0, 4);
  put_big(&d->bytes, length, 4);
}

static inline void begin_heap(struct dump *d) {
  put_record(d, d->is_segments ? 0x1c : 0x0c, 0);
  d->length_at = d->bytes.length - 4;
}

static inline void end_heap(struct dump *d) {
  set_big(&d->bytes, d->length_at, d->bytes.length - d->length_at - 4, 4);
}

static inline void begin_dump(struct dump *d, const char *version) {
  put_bytes(&d->bytes, version, strlen(version) + 1);
  put_big(&d->bytes, d->id, 4);
  put_big(&d->bytes, 0, 8);
  put_record(d, 0x01, d->id + 5); /* a string nobody needs */
  put_id(d, 77);
  put_bytes(&d->bytes, "hello", 5);
}

static inline void end_dump(struct dump *d) {
  if (d->is_segments) put_record(d, 0x2c, 0);
}

/* fields: types, ended by 0. statics: type and value, ended by 0. */
struct class_spec {
  uint64_t id, super, loader;
  const uint8_t *fields;
  const uint64_t *statics;
};

static inline void put_class(struct dump *d, const struct class_spec *c) {
  struct bytes *b = &d->bytes;
  put_big(b, 0x20, 1);
  put_id(d, c->id);
  put_big(b, 0, 4);
  put_id(d, c->super);
  put_id(d, c->loader);
  for (int i = 0; i < 4; i++)
    put_id(d, 0);
  put_big(b, 99, 4); /* instance size: not used */
  put_big(b, 1, 2);  /* one constant */
  put_big(b, 3, 2);
  put_big(b, TD_HPROF_INT, 1);
  put_big(b, 5, 4);
  unsigned count = 0;
  while (c->statics && c->statics[2 * count])
    count++;
  put_big(b, count, 2);
  for (unsigned s = 0; s < count; s++) {
    put_id(d, 1);
    put_big(b, c->statics[2 * s], 1);
    put_big(b, c->statics[2 * s + 1], td_hprof_type_bytes((uint32_t)c->statics[2 * s], d->id));
  }
  count = 0;
  while (c->fields && c->fields[count])
    count++;
  put_big(b, count, 2);
  for (unsigned f = 0; f < count; f++) {
    put_id(d, 1);
    put_big(b, c->fields[f], 1);
  }
}

/* values: type and value, ended by 0, as the dump has them: own class first. */
static inline void put_instance(struct dump *d, uint64_t id, uint64_t klass,
                                const uint64_t *values) {
  struct bytes *b = &d->bytes;
  put_big(b, 0x21, 1);
  put_id(d, id);
  put_big(b, 0, 4);
  put_id(d, klass);
  size_t at = b->length;
  put_big(b, 0, 4);
  for (; values && *values; values += 2)
    put_big(b, values[1], td_hprof_type_bytes((uint32_t)values[0], d->id));
  set_big(b, at, b->length - at - 4, 4);
}

static inline void put_object_array(struct dump *d, uint64_t id, const uint64_t *elements,
                                    uint32_t count) {
  put_big(&d->bytes, 0x22, 1);
  put_id(d, id);
  put_big(&d->bytes, 0, 4);
  put_big(&d->bytes, count, 4);
  put_id(d, 0);
  for (uint32_t e = 0; e < count; e++)
    put_id(d, elements[e]);
}

static inline void put_primitive_array(struct dump *d, uint64_t id, unsigned type, uint32_t count) {
  put_big(&d->bytes, 0x23, 1);
  put_id(d, id);
  put_big(&d->bytes, 0, 4);
  put_big(&d->bytes, count, 4);
  put_big(&d->bytes, type, 1);
  for (uint32_t e = 0; e < count * td_hprof_type_bytes(type, 8); e++)
    put_big(&d->bytes, e, 1);
}

/* A root record; `tail` bytes follow the identifier. */
static inline void put_root(struct dump *d, unsigned tag, uint64_t id, unsigned tail) {
  put_big(&d->bytes, tag, 1);
  put_id(d, id);
  for (unsigned i = 0; i < tail; i++)
    put_big(&d->bytes, 0, 1);
}

#endif
