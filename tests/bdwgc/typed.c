/* SPDX-License-Identifier: MIT */
/* Typed objects hold nothing by their other words. Parts of bdwgc_semantics. */
#include "tests/bdwgc/semantics.h"

enum { OBJECTS = 1000 };
static void *volatile typed[OBJECTS];
static int died;

/* Each object's second word holds nothing. */
static APART void fill_typed(size_t (*words_of)(size_t), GC_descr (*descriptor_of)(size_t)) {
  for (size_t i = 0; i < OBJECTS; i++) {
    size_t words = words_of(i);
    void **object = GC_malloc_explicitly_typed(words * sizeof *object, descriptor_of(words));
    object[1] = GC_malloc_atomic(24);
    object[0] = object[words - 1] = GC_strdup("held");
    GC_register_finalizer_no_order(object[1], count_up, &died, NULL, NULL);
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

/* A program's own procedure finds what no other does: the complement of a pointer. It is called for
 * each object, and for each element of an array. */
static struct GC_ms_entry *mark_hidden(GC_word *at, struct GC_ms_entry *top,
                                       struct GC_ms_entry *limit, GC_word words) {
  for (GC_word i = 0; i < words; i++)
    top = GC_MARK_AND_PUSH((void *)~at[i], top, limit, (void **)&at[i]);
  return top;
}
static GC_word hide(const char *text) {
  return ~(GC_word)GC_strdup(text);
}
enum { ELEMENTS = 50 };
static APART void fill_hidden(void) {
  unsigned number = GC_new_proc(mark_hidden);
  (void)first_word(0); /* Debian's library knows of no descriptors before it has made one */
  for (size_t i = 0; i < 100; i++) {
    GC_word *object = GC_malloc_explicitly_typed(4 * sizeof *object, GC_MAKE_PROC(number, 3));
    object[0] = object[2] = hide("held");
    typed[i] = object;
    GC_word(*array)[2] =
        GC_calloc_explicitly_typed(ELEMENTS, sizeof *array, GC_MAKE_PROC(number, 2));
    for (size_t k = 0; k < ELEMENTS; k++)
      array[k][k % 2] = hide("too");
    typed[100 + i] = array;
  }
}
PART(typed_hidden) {
  in_thread(fill_hidden);
  collect();
  soil(100 * (ELEMENTS + 1), 5);
  for (size_t i = 0; i < 100; i++) {
    const GC_word *object = typed[i];
    CHECK(!strcmp((char *)~object[0], "held") && !strcmp((char *)~object[2], "held"));
    GC_word(*array)[2] = typed[100 + i];
    for (size_t k = 0; k < ELEMENTS; k++)
      CHECK(!strcmp((char *)~array[k][k % 2], "too"));
  }
}
