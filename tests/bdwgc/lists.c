/* SPDX-License-Identifier: MIT */
/* Lists of objects from one call, typed objects that get smaller, and a program that switches
 * collections off by the variable. */
#define GC_ATTR_DEPRECATED
#include "tests/bdwgc/semantics.h"

#define BYTES 48u
#define KIND_ATOMIC 0
#define KIND_NORMAL 1
#define KIND_HELD 2 /* until it is freed */

static size_t length_of(void **list) {
  size_t length = 0;
  for (; list; list = *list) {
    CHECK(length++ < 4096);
    CHECK(GC_base(list) == list && GC_size(list) >= BYTES);
  }
  return length;
}

static APART GC_word make_held(void) {
  void *held;
  GC_generic_malloc_many(BYTES, KIND_HELD, &held);
  CHECK(length_of(held) > 0);
  return ~(GC_word)held;
}

/* The words that link atomic objects are not looked at, so nothing may be collected meanwhile. */
PART(lists) {
  soil(100000, BYTES);
  collect();
  GC_disable();
  for (int i = 0; i < 100; i++) {
    void *list;
    GC_generic_malloc_many(BYTES, KIND_ATOMIC, &list);
    CHECK(length_of(list) > 0);
    GC_generic_malloc_many(BYTES, KIND_NORMAL, &list);
    CHECK(length_of(list) > 0);
    CHECK(length_of(GC_malloc_many(BYTES)) > 0);
  }
  GC_enable();
  GC_word hidden = make_held();
  collect();
  CHECK(length_of((void **)~hidden) > 0);
}

/* With a reference in its last word only. */
PART(typed_resized) {
  const GC_word last = 0x80;
  GC_word descriptor = GC_make_descriptor(&last, 8);
  GC_word *typed = GC_malloc_explicitly_typed(64, descriptor);
  typed[0] = 7;
  for (size_t bytes = 40; bytes > 0; bytes -= 8) {
    typed = GC_realloc(typed, bytes);
    CHECK(typed && typed[0] == 7);
  }
}

/* By the variable GC_DONT_GC, or by the one below. */
PART(disabled) {
  CHECK(GC_is_disabled());
  GC_word before = GC_get_gc_no();
  soil(100000, BYTES);
  GC_gcollect();
  CHECK(GC_get_gc_no() == before);
  GC_enable();
  CHECK(!GC_is_disabled());
  GC_gcollect();
  CHECK(GC_get_gc_no() > before);
}

/* The collector looks at the variable whenever it would collect. */
PART(disabled_later) {
  GC_gcollect();
  GC_word before = GC_get_gc_no();
  CHECK(before > 0 && !GC_is_disabled());
  GC_dont_gc = 1;
  soil(100000, BYTES);
  GC_gcollect();
  CHECK(GC_is_disabled() && GC_get_gc_no() == before);
  GC_disable();
  GC_enable();
  soil(100000, BYTES);
  CHECK(GC_get_gc_no() == before);
  GC_dont_gc = 0;
  soil(100000, BYTES);
  CHECK(!GC_is_disabled() && GC_get_gc_no() > before);
}

/* Before the start. */
PART(disabled_by_variable, .early = true) {
  GC_dont_gc = 1;
  GC_INIT();
  disabled();
}
