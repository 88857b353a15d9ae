/* SPDX-License-Identifier: MIT */
/* HPROF dumps that are cut short, changed, or made to mislead. */
#include "tests/unit/workloads/hprof_small.h"

Test(hprof_damaged, cut_and_changed) {
  for (int variant = 0; variant < 4; variant++) {
    SCOPED_DUMP d = small_dump(variant & 1 ? 4 : 8, variant & 2);
    cut_at_every_byte(&d.bytes, d.bytes.length, is_refused);
    cr_assert_gt(flip_every_bit(&d.bytes, is_refused), d.bytes.length, "few damages are noticed");
    replace_every_byte(&d.bytes, "\x7f\xff", 2);
  }
}

static void assert_message(struct dump *d, const char *wanted, uint64_t offset) {
  end_heap(d);
  end_dump(d);
  assert_refused(&d->bytes, wanted, offset);
  free(d->bytes.data);
}

static struct dump begin(void) {
  struct dump d = {.id = 8, .is_segments = true};
  begin_dump(&d, "JAVA PROFILE 1.0.2");
  begin_heap(&d);
  return d;
}

Test(hprof_damaged, says_what_and_where) {
  struct dump d = begin();
  uint64_t offset = d.bytes.length;
  put_big(&d.bytes, 0x66, 1);
  assert_message(&d, "unknown heap dump record 0x66", offset);

  d = begin();
  put_instance(&d, 8, 16, NULL);
  offset = d.bytes.length;
  put_instance(&d, 24, 16, (uint64_t[]){TD_HPROF_INT, 1, 0});
  put_class(&d, &(struct class_spec){.id = 16});
  assert_message(&d, "an instance of 4 bytes whose class has fields of 0", offset);

  d = begin();
  offset = d.bytes.length;
  put_instance(&d, 24, 16, NULL);
  assert_message(&d, "class 0x10 is not in the dump", offset);

  d = begin();
  put_primitive_array(&d, 24, TD_HPROF_INT, 1);
  put_primitive_array(&d, 24, TD_HPROF_INT, 1);
  assert_message(&d, "0x18 is dumped twice", 0);

  d = begin();
  put_class(&d, &(struct class_spec){.id = 16});
  offset = d.bytes.length;
  put_class(&d, &(struct class_spec){.id = 16});
  assert_message(&d, "a class is dumped twice", offset);

  d = begin();
  put_class(&d, &(struct class_spec){.id = 16, .super = 32});
  put_class(&d, &(struct class_spec){.id = 32, .super = 16});
  assert_message(&d, "its own superclass", 0);

  d = begin();
  offset = d.bytes.length;
  put_primitive_array(&d, 0, TD_HPROF_INT, 1);
  assert_message(&d, "whose identifier is null", offset);
}

Test(hprof_damaged, lengths_that_mislead) {
  /* An array of 2^32 - 1 elements where there are none. */
  SCOPED_DUMP d = begin();
  put_object_array(&d, 8, NULL, 0);
  set_big(&d.bytes, d.bytes.length - 12, UINT32_MAX, 4);
  assert_message(&d, "runs past the end of its section", 0);

  d = begin();
  put_primitive_array(&d, 8, TD_HPROF_LONG, 0);
  set_big(&d.bytes, d.bytes.length - 5, UINT32_MAX, 4);
  assert_message(&d, "runs past the end of its section", 0);

  /* A segment longer than the file. */
  d = begin();
  size_t at = d.length_at;
  end_heap(&d);
  set_big(&d.bytes, at, UINT32_MAX, 4);
  assert_refused(&d.bytes, "the file ends inside a record of 4294967295 bytes", 0);
}

Test(hprof_damaged, inheritance_too_deep) {
  struct dump d = begin();
  for (uint64_t c = 1; c < 3000; c++)
    put_class(&d, &(struct class_spec){.id = c * 8, .super = (c - 1) * 8});
  assert_message(&d, "superclasses", 0);
}

Test(hprof_damaged, not_hprof_after_all) {
  static const struct {
    const char *version;
    unsigned id;
    const char *wanted;
    uint64_t offset;
  } cases[] = {
      {"JAVA PROFILE 1.0.4", 8, "version 1.0.1 or 1.0.2", 0},
      {"JAVA PROFILE 2", 8, "version 1.0.1 or 1.0.2", 0},
      {"JAVA PROFILE ", 8, "version 1.0.1 or 1.0.2", 0},
      {"JAVA PROFILE 1.0.3", 4, "hprof-conv", 0}, /* Android's */
      {"JAVA PROFILE 1.0.2", 2, "identifiers of 2 bytes", 19},
  };
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    struct dump d = {.id = cases[c].id};
    begin_dump(&d, cases[c].version);
    begin_heap(&d);
    assert_message(&d, cases[c].wanted, cases[c].offset);
  }
  SCOPED_DUMP d = {.id = 8};
  begin_dump(&d, "JAVA PROFILE 1.0.2");
  assert_refused(&d.bytes, "no heap dump", 0);
}
