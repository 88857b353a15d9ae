/* SPDX-License-Identifier: MIT */
/* One small Java heap that has everything the importer knows of, for several tests. */
#ifndef TD_TESTS_UNIT_WORKLOADS_HPROF_SMALL_H
#define TD_TESTS_UNIT_WORKLOADS_HPROF_SMALL_H

#include "tests/unit/workloads/hprof_dump.h"

/* Identifiers; the graph numbers objects in their order. */
enum {
  OBJECT = 0x1000,      /* class java.lang.Object                              0 */
  BASE = 0x1040,        /* class Base { Object a; int b; byte c; Object d; }   1 */
  DERIVED = 0x1080,     /* class Derived extends Base { short s; Object e; long l; }  2 */
  PLAIN = 0x8000,       /* an Object                                           3 */
  BASE_ONE = 0x8010,    /* a Base                                             4 */
  DERIVED_ONE = 0x8040, /* a Derived                                       5 */
  ARRAY = 0x9000,       /* Object[4]                                       6 */
  INTS = 0x9100,        /* int[5]                                          7 */
  BYTES = 0x9140,       /* byte[3]                                         8 */
  LONGS = 0x9180,       /* long[0]                                         9 */
  LOADER = 0x7ffff0,    /* an Object far off                              10 */
  ABSENT = 0x9148,      /* in no dump */
  SMALL_OBJECTS = 11,
};

/* Bytes behind the identifier of each kind of root record; 8: one more identifier. */
static const struct root_kind {
  unsigned tag, tail;
  bool has_second_id;
} root_kinds[] = {
    {0xff, 0, false}, {0x01, 0, true},  {0x02, 8, false}, {0x03, 8, false}, {0x04, 4, false},
    {0x05, 0, false}, {0x06, 4, false}, {0x07, 0, false}, {0x08, 8, false},
};
#define ROOT_KINDS (sizeof root_kinds / sizeof *root_kinds)

static inline void put_small_classes(struct dump *d) {
  static const uint8_t base_fields[] = {TD_HPROF_OBJECT, TD_HPROF_INT, TD_HPROF_BYTE,
                                        TD_HPROF_OBJECT, 0};
  static const uint8_t derived_fields[] = {TD_HPROF_SHORT, TD_HPROF_OBJECT, TD_HPROF_LONG, 0};
  static const uint64_t statics[] = {
      TD_HPROF_OBJECT, INTS, TD_HPROF_LONG, 1, TD_HPROF_BOOLEAN, 1, TD_HPROF_OBJECT, ABSENT, 0};
  put_class(d, &(struct class_spec){.id = DERIVED, .super = BASE, .fields = derived_fields});
  put_class(d, &(struct class_spec){.id = OBJECT});
  put_class(d, &(struct class_spec){.id = BASE,
                                    .super = OBJECT,
                                    .loader = LOADER,
                                    .fields = base_fields,
                                    .statics = statics});
}

static inline void put_small_objects(struct dump *d) {
  put_instance(d, LOADER, OBJECT, NULL);
  put_instance(d, PLAIN, OBJECT, NULL);
  put_instance(d, BASE_ONE, BASE,
               (uint64_t[]){TD_HPROF_OBJECT, DERIVED_ONE, TD_HPROF_INT, 1, TD_HPROF_BYTE, 2,
                            TD_HPROF_OBJECT, 0, 0});
  put_instance(d, DERIVED_ONE, DERIVED,
               (uint64_t[]){TD_HPROF_SHORT, 3, TD_HPROF_OBJECT, ARRAY, TD_HPROF_LONG, 4,
                            TD_HPROF_OBJECT, DERIVED_ONE, TD_HPROF_INT, 5, TD_HPROF_BYTE, 6,
                            TD_HPROF_OBJECT, BYTES, 0});
  put_object_array(d, ARRAY, (uint64_t[]){BASE_ONE, 0, ABSENT, LONGS}, 4);
  put_primitive_array(d, INTS, TD_HPROF_INT, 5);
  put_primitive_array(d, BYTES, TD_HPROF_BYTE, 3);
  put_primitive_array(d, LONGS, TD_HPROF_LONG, 0);
}

static inline struct dump small_dump(unsigned id_bytes, bool is_segments) {
  struct dump d = {.id = id_bytes, .is_segments = is_segments};
  begin_dump(&d, is_segments ? "JAVA PROFILE 1.0.2" : "JAVA PROFILE 1.0.1");
  begin_heap(&d);
  put_small_classes(&d);
  if (is_segments) {
    end_heap(&d);
    put_record(&d, 0x05, 3); /* a stack trace in between */
    put_bytes(&d.bytes, "abc", 3);
    begin_heap(&d);
  }
  put_small_objects(&d);
  for (size_t r = 0; r < ROOT_KINDS; r++)
    put_root(&d, root_kinds[r].tag, BASE_ONE,
             root_kinds[r].tail + (root_kinds[r].has_second_id ? id_bytes : 0));
  put_root(&d, 0xff, ABSENT, 0);
  put_root(&d, 0x05, BASE, 0);
  end_heap(&d);
  end_dump(&d);
  return d;
}

#endif
