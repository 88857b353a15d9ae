/* SPDX-License-Identifier: MIT */
#include "gc/cycle/snapshot.h"

#include "gc/arrays/pages.h"
#include "gc/roots/gather.h"
#include "gc/threads/mutator/resting.h"
#include "gc/threads/mutator/stacks.h"
#include "gc/threads/thread.h"

#define CAPACITY_MIN ((size_t)4096)

void td_snapshot_deinit(struct td_snapshot *snapshot) {
  for (unsigned kind = 0; kind < TD_COPIED_KINDS; kind++)
    td_pages_give(snapshot->copied[kind].at, snapshot->copied[kind].capacity * sizeof(uintptr_t));
  *snapshot = (struct td_snapshot){0};
}

static bool reserve(struct td_copied_words *words, size_t more) {
  uintptr_t *at = td_pages_room(words->at, NULL, &words->capacity, words->count + more,
                                CAPACITY_MIN, sizeof *at);
  if (at) words->at = at;
  return at != NULL;
}

struct taking {
  struct td_snapshot *snapshot;
  uintptr_t base, bytes; /* the heap's range, as far as it is in use */
};

static void copy(const struct taking *taking, const struct td_span *span) {
  const bool exact = span->kind == TD_SPAN_SLOTS || span->kind == TD_SPAN_INDIRECT;
  const enum td_copied kind = exact                         ? TD_COPIED_SLOTS
                              : span->kind == TD_SPAN_STACK ? TD_COPIED_STACK
                                                            : TD_COPIED_WORDS;
  struct td_copied_words *words = &taking->snapshot->copied[kind];
  if (!reserve(words, span->count)) {
    taking->snapshot->lost = true;
    return;
  }
  const uintptr_t *from = span->start;
  uintptr_t *to = words->at + words->count;
  for (size_t i = 0; i < span->count; i++) {
    uintptr_t word = span->kind == TD_SPAN_INDIRECT ? *(const uintptr_t *)from[i] : from[i];
    *to = word;
    to += word - taking->base < taking->bytes;
  }
  words->count = (size_t)(to - words->at);
}

static void take(const struct td_span *spans, size_t count, void *context) {
  for (size_t i = 0; i < count; i++)
    copy(context, &spans[i]);
}

/* Words of stacks that are searched later are listed all the same, for what the marks are compared
 * with in the end. Without memory for all of them, what is listed last is marked from, too. */
static void list_resting(struct td_snapshot *snapshot, struct tide_heap *heap) {
  const struct td_root_list *list = &heap->roots->list;
  for (struct tide_mutator *m = heap->world->mutators; m; m = m->next)
    td_stacks_list_resting(m, &heap->roots->list);
  if (snapshot->stack_count > list->word_count) snapshot->stack_count = list->word_count;
}

/* What was copied from the mutators' stacks stays where it is until the next gathering. */
bool td_snapshot_take(struct td_snapshot *snapshot, struct tide_heap *heap) {
  struct taking taking = {snapshot, heap->space.base,
                          (uintptr_t)heap->space.frontier << TD_BLOCK_LOG2};
  for (unsigned kind = 0; kind < TD_COPIED_KINDS; kind++)
    snapshot->copied[kind].count = 0;
  snapshot->lost = false;
  const struct td_root_list *list = td_roots_gather(heap, TD_WORDS_RUNNING, take, &taking);
  for (size_t i = 0; i < list->count; i++)
    if (list->spans[i].start != list->words) copy(&taking, &list->spans[i]);
  snapshot->stack_count = list->word_count;
  if (heap->verify) list_resting(snapshot, heap);
  snapshot->stack_words = list->words;
  if (!snapshot->lost) td_resting_begin(heap);
  return !snapshot->lost;
}

size_t td_snapshot_mark(struct td_snapshot *snapshot, struct tide_heap *heap, uint64_t *marked) {
  *marked += td_resting_search(heap, &snapshot->resting);
  const struct td_copied_words *copied = snapshot->copied;
  const struct td_span spans[] = {
      {copied[TD_COPIED_SLOTS].at, copied[TD_COPIED_SLOTS].count, TD_SPAN_SLOTS},
      {copied[TD_COPIED_WORDS].at, copied[TD_COPIED_WORDS].count, TD_SPAN_CONSERVATIVE},
      {copied[TD_COPIED_STACK].at, copied[TD_COPIED_STACK].count, TD_SPAN_STACK},
      {snapshot->stack_words, snapshot->stack_count, TD_SPAN_STACK},
      {snapshot->resting.words, snapshot->resting.word_count, TD_SPAN_STACK}};
  struct td_roots roots = {.spans = spans, .span_count = sizeof spans / sizeof *spans};
  td_mark_phase(heap->markers, &roots);
  size_t words = 0;
  for (size_t i = 0; i < roots.span_count; i++)
    words += spans[i].count;
  td_root_list_deinit(&snapshot->resting); /* of ten thousand fibers, it may be much */
  return words * sizeof(uintptr_t);
}
