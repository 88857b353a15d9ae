/* SPDX-License-Identifier: MIT */
/* Spans of roots, and words that are copied from memory that will not stay. Both may grow while the
 * world stands still. Where there is no memory for a longer list, what is there is taken, and the
 * list begins anew. */
#ifndef TD_GC_ARRAYS_ROOT_LIST_H
#define TD_GC_ARRAYS_ROOT_LIST_H

#include "marker/marker.h"

/* Words that are copied at once. */
#define TD_ROOT_LIST_WORDS 512u

/* What a list may begin with, so that a collection needs no more memory. Zero or not. */
#define TD_ROOT_SPANS_FIRST 128u
#define TD_ROOT_WORDS_FIRST 1024u
struct td_root_room {
  struct td_span spans[TD_ROOT_SPANS_FIRST];
  uintptr_t words[TD_ROOT_WORDS_FIRST];
};

typedef void (*td_root_list_take)(const struct td_span *spans, size_t count, void *context);

struct td_root_list {
  struct td_span *spans;
  size_t count, capacity;
  uintptr_t *words;
  size_t word_count, word_capacity;
  bool lost; /* something was taken, and is on the list no more */
  /* Constant while it grows. NULL: without memory, it refuses. */
  td_root_list_take take;
  void *context;
  struct td_root_room *first; /* constant; or NULL */
};

void td_root_list_begin(struct td_root_list *list, struct td_root_room *first);
/* Of a list that was all zero. Returns false if there is no memory for what a list that is taken
 * has room for at least. */
bool td_root_list_init(struct td_root_list *list);
void td_root_list_deinit(struct td_root_list *list);
void td_root_list_clear(struct td_root_list *list);

/* `count` words from `start` on, which stay as they are until marking is over. A count of 0 adds
 * nothing. Returns false if the list refuses. */
bool td_root_list_add(struct td_root_list *list, enum td_span_kind kind, const void *start,
                      size_t count);
/* Returns room for TD_ROOT_LIST_WORDS words, NULL if the list refuses. The caller counts what it
 * copies there in word_count. */
uintptr_t *td_root_list_room(struct td_root_list *list);

/* The aligned words in `bytes` bytes from `start` on. */
static inline struct td_span td_span_of_bytes(enum td_span_kind kind, const void *start,
                                              size_t bytes) {
  uintptr_t low = ((uintptr_t)start + 7) & ~(uintptr_t)7, high = (uintptr_t)start + bytes;
  return (struct td_span){(const void *)low, high > low ? (high - low) / 8 : 0, kind};
}

#endif
