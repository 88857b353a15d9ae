/* SPDX-License-Identifier: MIT */
/* Allocation behind the inlined fast path. */
#include "gc/alloc/request.h"
#include "gc/layout/layouts.h"
#include "gc/threads/inside.h"
#include "tide/dropin.h"

/* May the mutator go on in its run as inlined code would? All checks were made when the block was
 * taken; where allocation is forbidden inlined code sees no run. */
static bool goes_on(const struct tide_mutator *mutator, tide_layout layout, size_t bytes) {
  /* relaxed: as in tide_safepoint; a collection that waits is for the longer way. */
  return bytes - 1 < TIDE_BUMP_INLINE_BYTES && layout < TIDE_LAYOUT_MAX &&
         !__atomic_load_n(&mutator->fast.stop, __ATOMIC_RELAXED) &&
         mutator->fast.bump == mutator->cache.runs && !mutator->heap->stress;
}

/* What most calls come to is that the run goes on where it ended, or further on in its block. */
void *tide_alloc_slow(struct tide_mutator *mutator, tide_layout layout, size_t bytes) {
  if (!mutator) {
    (void)td_may_allocate(mutator); /* says what is wrong */
    return NULL;
  }
  td_allocation_begin(mutator);
  void *object = NULL;
  if (goes_on(mutator, layout, bytes))
    object = td_cache_take(&mutator->heap->space, &mutator->cache, layout, bytes, NULL);
  if (!TIDE_LIKELY(object))
    object = td_allocate(mutator, (struct td_request){.layout = layout, .bytes = bytes});
  td_allocation_end(mutator);
  return object;
}

static void *refuse(struct tide_mutator *mutator, enum tide_status status) {
  mutator->alloc_status = status;
  return NULL;
}

void *tide_alloc_array(struct tide_mutator *mutator, tide_layout layout, size_t count,
                       size_t bytes_each) {
  size_t bytes;
  if (count == 0) count = 1;
  if (__builtin_mul_overflow(count, bytes_each, &bytes))
    return td_may_allocate(mutator) ? refuse(mutator, TIDE_ERROR_ARGUMENT) : NULL;
  if (count > 1 && layout > TIDE_LAYOUT_CONSERVATIVE && layout < TIDE_LAYOUT_MAX) {
    if (!td_may_allocate(mutator)) return NULL;
    enum tide_status status = td_layout_of_array(mutator->heap, &layout, bytes_each);
    if (status != TIDE_OK) return refuse(mutator, status);
  }
  if (!mutator) return tide_alloc_slow(mutator, layout, bytes);
  return tide_alloc(mutator, layout, bytes);
}

void *tide_alloc_aligned(struct tide_mutator *mutator, tide_layout layout, size_t bytes,
                         size_t alignment) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!td_may_allocate(mutator)) return NULL;
  if (alignment == 0 || (alignment & (alignment - 1)) || alignment > TD_BLOCK_BYTES)
    return refuse(mutator, TIDE_ERROR_ARGUMENT);
  struct td_request request = {.layout = layout, .bytes = bytes ? bytes : 1};
  if (alignment > TD_GRANULE_BYTES) {
    /* Cells of a block start at multiples of their size; large objects at a block's start. */
    unsigned size_class =
        bytes <= TD_SMALL_BYTES_MAX ? td_class_aligned(request.bytes, alignment) : 0;
    request.in_blocks = size_class == 0;
    if (size_class) request.bytes = td_class_bytes(size_class);
    request.alignment = alignment;
  }
  return td_allocate(mutator, request);
}

/* ---- Many objects from one call ---- */

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

enum tide_status tide_alloc_status(const struct tide_mutator *mutator) {
  if (!mutator) return TIDE_ERROR_ARGUMENT;
  return mutator->thread == td_self() ? mutator->alloc_status : TIDE_ERROR_STATE;
}
