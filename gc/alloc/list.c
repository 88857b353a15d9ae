/* Many objects from one call. */
#include "gc/state/heap.h"
#include "gc/state/mutator.h"
#include "gc/threads/inside.h"
#include "tide/dropin.h"

/* Collects nothing and takes no block, so that it may end early: with the mutator's block. */
static void link_more(struct tide_mutator *mutator, tide_layout layout, size_t bytes, size_t most,
                      uintptr_t *last) {
  for (size_t count = 1; count < most; count++) {
    uintptr_t *cell = td_cache_take(&mutator->heap->space, &mutator->cache, layout, bytes, NULL);
    if (!cell) break;
    *last = (uintptr_t)cell;
    last = cell;
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
