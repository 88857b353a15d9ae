/* SPDX-License-Identifier: MIT */
#include "gc/arrays/root_list.h"

#include "gc/arrays/pages.h"

_Static_assert(TD_ROOT_LIST_WORDS <= TD_ROOT_WORDS_FIRST,
               "what is copied at once fits an empty list");

static struct td_span *first_spans(const struct td_root_list *list) {
  return list->first ? list->first->spans : NULL;
}

static uintptr_t *first_words(const struct td_root_list *list) {
  return list->first ? list->first->words : NULL;
}

static bool has_span(struct td_root_list *list) {
  struct td_span *spans = td_pages_room(list->spans, first_spans(list), &list->capacity,
                                        list->count + 1, TD_ROOT_SPANS_FIRST, sizeof *spans);
  if (spans) list->spans = spans;
  return spans != NULL;
}

static bool has_words(struct td_root_list *list) {
  uintptr_t *words =
      td_pages_room(list->words, first_words(list), &list->word_capacity,
                    list->word_count + TD_ROOT_LIST_WORDS, TD_ROOT_WORDS_FIRST, sizeof *words);
  if (words) list->words = words;
  return words != NULL;
}

void td_root_list_begin(struct td_root_list *list, struct td_root_room *first) {
  *list = (struct td_root_list){.spans = first->spans,
                                .words = first->words,
                                .capacity = TD_ROOT_SPANS_FIRST,
                                .word_capacity = TD_ROOT_WORDS_FIRST,
                                .first = first};
}

bool td_root_list_init(struct td_root_list *list) {
  return (list->capacity || has_span(list)) && (list->word_capacity || has_words(list));
}

void td_root_list_deinit(struct td_root_list *list) {
  if (list->spans != first_spans(list))
    td_pages_give(list->spans, list->capacity * sizeof *list->spans);
  if (list->words != first_words(list))
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
  if (!has_span(list) && !hand_over(list)) return false;
  list->spans[list->count++] = (struct td_span){start, count, kind};
  return true;
}

uintptr_t *td_root_list_room(struct td_root_list *list) {
  if (!has_words(list)) {
    if (!list->take) return NULL;
    td_root_list_add(list, TD_SPAN_STACK, list->words, list->word_count);
    (void)hand_over(list);
    list->word_count = 0;
  }
  return list->words + list->word_count;
}
