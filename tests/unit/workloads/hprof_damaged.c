/* SPDX-License-Identifier: MIT */
/* HPROF dumps that are cut short, changed, or made to mislead. */
#include "tests/unit/workloads/hprof_small.h"

Test(hprof_damaged, cut_at_every_byte) {
  for (int variant = 0; variant < 4; variant++) {
    struct dump d = small_dump(variant & 1 ? 4 : 8, variant & 2);
    for (size_t length = 0; length < d.bytes.length; length++) {
      /* A copy of its own, so that the sanitizer sees a read behind the end. */
      struct bytes cut = {.data = malloc(length ? length : 1), .length = length};
      memcpy(cut.data, d.bytes.data, length);
      cr_assert(is_refused(&cut, length), "%zu of %zu bytes", length, d.bytes.length);
      free(cut.data);
    }
    free(d.bytes.data);
  }
}

Test(hprof_damaged, every_bit_flipped) {
  for (int variant = 0; variant < 4; variant++) {
    struct dump d = small_dump(variant & 1 ? 4 : 8, variant & 2);
    size_t refused = 0;
    for (size_t bit = 0; bit < d.bytes.length * 8; bit++) {
      d.bytes.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
      refused += is_refused(&d.bytes, d.bytes.length);
      d.bytes.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    cr_assert_gt(refused, d.bytes.length, "few damages are noticed");
    free(d.bytes.data);
  }
}

Test(hprof_damaged, every_byte_extreme) {
  struct dump d = small_dump(8, true);
  for (size_t at = 0; at < d.bytes.length; at++) {
    uint8_t kept = d.bytes.data[at];
    for (int value = 0; value < 2; value++) {
      d.bytes.data[at] = value ? 0xff : 0x7f;
      is_refused(&d.bytes, d.bytes.length);
    }
    d.bytes.data[at] = kept;
  }
  free(d.bytes.data);
}

static void assert_message(struct dump *d, const char *wanted, uint64_t offset) {
  struct td_thg graph;
  struct td_thg_error error = {0};
  end_heap(d);
  end_dump(d);
  cr_assert_not(td_import_bytes(d->bytes.data, d->bytes.length, "bad", &graph, NULL, &error));
  cr_assert_eq(error.kind, TD_THG_BAD_INPUT);
  cr_assert(strstr(error.text, wanted), "\"%s\" lacks \"%s\"", error.text, wanted);
  if (offset) cr_assert_eq(error.offset, offset, "%s", error.text);
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
  struct dump d = begin();
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
  struct td_thg graph;
  struct td_thg_error error = {0};
  cr_assert_not(td_import_bytes(d.bytes.data, d.bytes.length, "bad", &graph, NULL, &error));
  cr_assert(strstr(error.text, "the file ends inside a record of 4294967295 bytes"), "%s",
            error.text);
  free(d.bytes.data);
}

Test(hprof_damaged, inheritance_too_deep) {
  struct dump d = begin();
  for (uint64_t c = 1; c < 3000; c++)
    put_class(&d, &(struct class_spec){.id = c * 8, .super = (c - 1) * 8});
  assert_message(&d, "superclasses", 0);
}

Test(hprof_damaged, not_hprof_after_all) {
  static const char *const texts[] = {"JAVA PROFILE 1.0.4", "JAVA PROFILE 2", "JAVA PROFILE "};
  for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
    struct dump d = {.id = 8};
    begin_dump(&d, texts[t]);
    begin_heap(&d);
    assert_message(&d, "version 1.0.1 or 1.0.2", 0);
  }
  struct dump android = {.id = 4};
  begin_dump(&android, "JAVA PROFILE 1.0.3");
  begin_heap(&android);
  assert_message(&android, "hprof-conv", 0);
  struct dump d = {.id = 2};
  begin_dump(&d, "JAVA PROFILE 1.0.2");
  begin_heap(&d);
  assert_message(&d, "identifiers of 2 bytes", 19);
  d = (struct dump){.id = 8};
  begin_dump(&d, "JAVA PROFILE 1.0.2");
  struct td_thg graph;
  struct td_thg_error error = {0};
  cr_assert_not(td_import_bytes(d.bytes.data, d.bytes.length, "bad", &graph, NULL, &error));
  cr_assert(strstr(error.text, "no heap dump"), "%s", error.text);
  free(d.bytes.data);
}
