/* SPDX-License-Identifier: MIT */
/* Typed objects hold nothing by their other words. Parts of bdwgc_semantics. */
#include "tests/bdwgc/semantics.h"

#include <gc/gc_typed.h>

enum { OBJECTS = 1000 };
static void *volatile typed[OBJECTS];
static int died;

static void count_dead(void *object, void *data) {
  (void)object, (void)data;
  died++;
}

/* Each object's second word holds nothing. */
static APART void fill_typed(size_t (*words_of)(size_t), GC_descr (*descriptor_of)(size_t)) {
  for (size_t i = 0; i < OBJECTS; i++) {
    size_t words = words_of(i);
    void **object = GC_malloc_explicitly_typed(words * sizeof *object, descriptor_of(words));
    object[1] = GC_malloc_atomic(24);
    object[0] = object[words - 1] = GC_strdup("held");
    GC_register_finalizer_no_order(object[1], count_dead, NULL, NULL, NULL);
    typed[i] = object;
  }
}
static void expect_dead(size_t (*words_of)(size_t)) {
  collect();
  CHECK(died > OBJECTS - 20);
  soil(OBJECTS, 5);
  for (size_t i = 0; i < OBJECTS; i++) {
    void **object = typed[i];
    CHECK(!strcmp(object[0], "held") && !strcmp(object[words_of(i) - 1], "held"));
  }
}

static GC_descr first_word(size_t unused) {
  (void)unused;
  GC_word bits = 1;
  return GC_make_descriptor(&bits, 2);
}
static size_t each_size(size_t i) {
  return i + 3;
}
static APART void fill_sizes(void) {
  fill_typed(each_size, first_word);
}
static size_t first_of(size_t i) {
  (void)i;
  return 1;
}
PART(typed_sizes) {
  in_thread(fill_sizes);
  expect_dead(first_of);
}

static GC_descr first_and_last(size_t words) {
  GC_word bits[64] = {1};
  bits[(words - 1) / 64] |= (GC_word)1 << (words - 1) % 64;
  return GC_make_descriptor(bits, words);
}
static size_t long_one(size_t i) {
  return i % 2 ? 100 : 3000;
}
static APART void fill_long(void) {
  fill_typed(long_one, first_and_last);
}
PART(typed_long) {
  in_thread(fill_long);
  expect_dead(long_one);
}

static int warned;
static void note_warning(char *format, GC_word argument) {
  (void)format, (void)argument;
  warned++;
}
static APART void fill_many(void) {
  fill_typed(each_size, first_and_last);
}
/* Ours has fewer descriptors, and says so. */
PART(typed_many) {
  GC_set_warn_proc(note_warning);
  in_thread(fill_many);
  collect();
  CHECK(warned || died > OBJECTS - 20);
}

/* Where all words are pointers, sizes make no difference. */
PART(typed_whole) {
  GC_word bits[6] = {-1ul, -1ul, -1ul, -1ul, -1ul, -1ul};
  GC_set_warn_proc(note_warning);
  for (size_t words = 1; words <= 384; words++) {
    void **object = GC_malloc_explicitly_typed(words * 8, GC_make_descriptor(bits, words));
    object[words - 1] = GC_strdup("held");
    typed[words] = object;
  }
  collect();
  soil(OBJECTS, 5);
  for (size_t words = 1; words <= 384; words++)
    CHECK(!strcmp(((char **)typed[words])[words - 1], "held"));
  CHECK(!warned);
}
