/* Many objects from one call. */
#include "gc/object/runs.h"
#include "gc/state/heap.h"
#include "gc/state/mutator.h"
#include "gc/threads/inside.h"
#include "heap/run.h"
#include "tide/dropin.h"

/* Links cells of the run behind `last`, at most `most`. Adds their number to *count, and returns
 * the last one. */
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
  const size_t cell = td_runs_cell(bytes);
  struct tide_bump *run = &mutator->runs[td_runs_index(layout, cell)];
  size_t got = 0;
  for (size_t count = 1;; mutator->handed_out += got) {
    last = link_cells(run, cell, last, most - count, &count);
    if (count == most) break;
    got = td_space_advance(&mutator->heap->space, run);
    if (got == 0) break;
  }
  *last = 0;
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
