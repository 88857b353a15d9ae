/* SPDX-License-Identifier: MIT */
/* Lists of roots. */
#include "gc/arrays/root_list.h"

#include "gc/arrays/pages.h"

#define SPANS_MIN 128u
#define WORDS_MIN 1024u
_Static_assert(TD_ROOT_LIST_WORDS <= WORDS_MIN, "what is copied at once fits an empty list");

static bool grow(void **at, size_t *capacity, size_t least, size_t bytes_each) {
  size_t wanted = *capacity ? *capacity * 2 : least;
  void *larger = td_pages_grow(*at, *capacity * bytes_each, wanted * bytes_each);
  if (!larger) return false;
  *at = larger;
  *capacity = wanted;
  return true;
}

static bool grow_spans(struct td_root_list *list) {
  return grow((void **)&list->spans, &list->capacity, SPANS_MIN, sizeof *list->spans);
}

static bool grow_words(struct td_root_list *list) {
  return grow((void **)&list->words, &list->word_capacity, WORDS_MIN, sizeof *list->words);
}

bool td_root_list_init(struct td_root_list *list) {
  return (list->capacity || grow_spans(list)) && (list->word_capacity || grow_words(list));
}

void td_root_list_deinit(struct td_root_list *list) {
  td_pages_give(list->spans, list->capacity * sizeof *list->spans);
  td_pages_give(list->words, list->word_capacity * sizeof *list->words);
  *list = (struct td_root_list){0};
}

void td_root_list_clear(struct td_root_list *list) {
  list->count = list->word_count = 0;
  list->lost = false;
}

/* Words stay: the code that fills the list adds a span for them in the end. */
static bool hand_over(struct td_root_list *list) {
  if (!list->take) return false;
  list->take(list->spans, list->count, list->context);
  list->count = 0;
  list->lost = true;
  return true;
}

bool td_root_list_add(struct td_root_list *list, enum td_span_kind kind, const void *start,
                      size_t count) {
  if (count == 0) return true;
  if (list->count == list->capacity && !grow_spans(list) && !hand_over(list)) return false;
  list->spans[list->count++] = (struct td_span){start, count, kind};
  return true;
}

uintptr_t *td_root_list_room(struct td_root_list *list) {
  if (list->word_capacity - list->word_count < TD_ROOT_LIST_WORDS && !grow_words(list)) {
    if (!list->take) return NULL;
    td_root_list_add(list, TD_SPAN_STACK, list->words, list->word_count);
    (void)hand_over(list);
    list->word_count = 0;
  }
  return list->words + list->word_count;
}
