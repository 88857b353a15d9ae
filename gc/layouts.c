/* Making layouts from descriptions. */
#include <string.h>

#include "gc/base/error.h"
#include "gc/base/state.h"

static tide_layout intern(struct tide_heap *heap, const struct td_layout *wanted,
                          struct tide_error *error) {
  pthread_mutex_lock(&heap->space.lock);
  tide_layout layout = td_layouts_intern(&heap->space.layouts, wanted);
  bool full = heap->space.layouts.count == TIDE_LAYOUT_MAX;
  pthread_mutex_unlock(&heap->space.lock);
  if (layout != TIDE_LAYOUT_INVALID)
    td_succeed(error);
  else if (full)
    td_fail(error, TIDE_ERROR_LIMIT, "layout: a heap has no more than %u layouts", TIDE_LAYOUT_MAX);
  else
    td_fail(error, TIDE_ERROR_MEMORY, "layout: out of memory");
  return layout;
}

tide_layout tide_layout_bitmap(struct tide_heap *heap, const uint64_t *bits, size_t words,
                               struct tide_error *error) {
  if (!heap || !bits || words == 0) {
    td_fail(error, TIDE_ERROR_ARGUMENT, "tide_layout_bitmap: %s",
            !heap   ? "heap is NULL"
            : !bits ? "bits is NULL"
                    : "no words");
    return TIDE_LAYOUT_INVALID;
  }
  if (words > TIDE_LAYOUT_WORDS_MAX) {
    td_fail(error, TIDE_ERROR_LIMIT, "tide_layout_bitmap: %zu words, at most %u are possible",
            words, TIDE_LAYOUT_WORDS_MAX);
    return TIDE_LAYOUT_INVALID;
  }
  /* Equal descriptions are to give equal numbers: drop what lies behind the last reference. */
  uint64_t copy[TIDE_LAYOUT_WORDS_MAX / 64] = {0};
  size_t count = (words + 63) / 64;
  memcpy(copy, bits, count * sizeof *copy);
  if (words % 64) copy[count - 1] &= ~(uint64_t)0 >> (64 - words % 64);
  while (count > 0 && copy[count - 1] == 0)
    count--;
  if (count == 0) return TIDE_LAYOUT_LEAF;
  size_t last = count * 64 - (size_t)__builtin_clzll(copy[count - 1]);
  struct td_layout wanted = {.kind = TD_KIND_BITMAP, .map = copy[0]};
  if (count > 1)
    wanted = (struct td_layout){.kind = TD_KIND_BITMAP_LONG, .words = (uint32_t)last, .bits = copy};
  return intern(heap, &wanted, error);
}

tide_layout tide_layout_offsets(struct tide_heap *heap, size_t bytes, const size_t *offsets,
                                size_t count, struct tide_error *error) {
  uint64_t bits[TIDE_LAYOUT_WORDS_MAX / 64] = {0};
  if (!heap || bytes == 0 || (count && !offsets)) {
    td_fail(error, TIDE_ERROR_ARGUMENT, "tide_layout_offsets: %s",
            !heap        ? "heap is NULL"
            : bytes == 0 ? "bytes is 0"
                         : "offsets is NULL");
    return TIDE_LAYOUT_INVALID;
  }
  for (size_t i = 0; i < count; i++) {
    size_t at = offsets[i], word = at / 8;
    const char *wrong = at % 8                         ? "is no multiple of 8"
                        : at > bytes || bytes - at < 8 ? "lies outside the structure"
                                                       : NULL;
    if (!wrong && word >= TIDE_LAYOUT_WORDS_MAX) {
      td_fail(error, TIDE_ERROR_LIMIT, "tide_layout_offsets: offset %zu (number %zu) is over %u",
              at, i, TIDE_LAYOUT_WORDS_MAX * 8 - 8);
      return TIDE_LAYOUT_INVALID;
    }
    if (!wrong && bits[word / 64] >> (word % 64) & 1) wrong = "is given twice";
    if (wrong) {
      td_fail(error, TIDE_ERROR_ARGUMENT, "tide_layout_offsets: offset %zu (number %zu) %s", at, i,
              wrong);
      return TIDE_LAYOUT_INVALID;
    }
    bits[word / 64] |= (uint64_t)1 << (word % 64);
  }
  if (count == 0) return TIDE_LAYOUT_LEAF;
  size_t words = bytes / 8 < TIDE_LAYOUT_WORDS_MAX ? bytes / 8 : TIDE_LAYOUT_WORDS_MAX;
  return tide_layout_bitmap(heap, bits, words, error);
}

tide_layout tide_layout_prefixed(struct tide_heap *heap, size_t prefix_words,
                                 struct tide_error *error) {
  if (!heap || prefix_words > PTRDIFF_MAX / 8) {
    td_fail(error, heap ? TIDE_ERROR_LIMIT : TIDE_ERROR_ARGUMENT, "tide_layout_prefixed: %s",
            heap ? "the prefix is too long" : "heap is NULL");
    return TIDE_LAYOUT_INVALID;
  }
  if (prefix_words == 0) return TIDE_LAYOUT_REFS;
  struct td_layout wanted = {.kind = TD_KIND_PREFIXED, .map = prefix_words};
  return intern(heap, &wanted, error);
}

tide_layout tide_layout_traced(struct tide_heap *heap, tide_trace_fn trace, void *context,
                               struct tide_error *error) {
  if (!heap || !trace) {
    td_fail(error, TIDE_ERROR_ARGUMENT, "tide_layout_traced: %s is NULL", heap ? "trace" : "heap");
    return TIDE_LAYOUT_INVALID;
  }
  struct td_layout wanted = {.kind = TD_KIND_TRACED, .trace = trace, .context = context};
  return intern(heap, &wanted, error);
}
