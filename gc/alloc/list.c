/* SPDX-License-Identifier: MIT */
/* Many objects from one call. */
#include "gc/state/heap.h"
#include "gc/state/mutator.h"
#include "gc/threads/inside.h"
#include "tide/dropin.h"

/* Links the cells at hand in the run behind `last`, as inlined code takes them, but not more than
 * `most`. Adds their number to *count, and returns the last one. */
static uintptr_t *link_cells(struct tide_bump *run, size_t cell, uintptr_t *last, size_t most,
                             size_t *count) {
  uintptr_t at = run->next;
  size_t linked = 0;
  while (linked < most && at + cell - 1 < run->limit) {
    *last = at;
    last = (uintptr_t *)at;
    at += cell;
    linked++;
  }
  run->next = at;
  *count += linked;
  return last;
}

/* Collects nothing and takes no block, so that it may end early: with the mutator's block. */
static void link_more(struct tide_mutator *mutator, tide_layout layout, size_t bytes, size_t most,
                      uintptr_t *last) {
  const unsigned size_class = td_class_of(bytes);
  struct tide_bump *run = &mutator->cache.runs[td_cache_index(layout, size_class)];
  for (size_t count = 1;; count++) {
    last = link_cells(run, td_class_bytes(size_class), last, most - count, &count);
    uintptr_t *cell =
        count < most ? td_cache_take(&mutator->heap->space, &mutator->cache, layout, bytes, NULL)
                     : NULL;
    *last = (uintptr_t)cell;
    if (!cell) break;
    last = cell;
  }
}

void *tide_alloc_list(struct tide_mutator *mutator, tide_layout layout, size_t bytes, size_t most) {
  if (!mutator) return tide_alloc_slow(mutator, layout, bytes); /* says what is wrong */
  if (bytes == 0) bytes = 1;
  void *first = tide_alloc(mutator, layout, bytes);
  if (!first) return NULL;
  *(uintptr_t *)first = 0;
  if (most <= 1 || bytes > TIDE_BUMP_INLINE_BYTES || mutator->heap->stress) return first;
  td_allocation_begin(mutator);
  link_more(mutator, layout, bytes, most, first);
  td_allocation_end(mutator);
  return first;
}
