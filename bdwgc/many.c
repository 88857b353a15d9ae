/* Many objects at once. */
#include "bdwgc/many.h"

#include "bdwgc/state.h"

/* Cells handed out by one call: about a page of them. */
#define MANY_BYTES 4096u
#define MANY_MOST 64u

/* Objects that are looked into hold each other as soon as they are linked. */
static void *alloc_linked(size_t bytes, size_t wanted) {
  void *first = td_bdwgc_alloc(bytes, TIDE_LAYOUT_CONSERVATIVE);
  void **last = first;
  if (!first) return NULL;
  while (--wanted > 0) {
    void **cell = td_bdwgc_alloc(bytes, TIDE_LAYOUT_CONSERVATIVE);
    if (!cell) break;
    *last = cell;
    last = cell;
  }
  *last = NULL; /* what the program's hook gives need not be zeroed */
  return first;
}

/* Atomic ones do not, and are not zeroed. Until all are there, this frame alone holds them. */
static void *alloc_atomic(size_t bytes, size_t wanted) {
  void *volatile cells[MANY_MOST];
  size_t count = 0;
  while (count < wanted && (cells[count] = td_bdwgc_alloc(bytes, TD_LAYOUT_ATOMIC)) != NULL)
    count++;
  for (size_t i = 0; i < count; i++)
    *(void **)cells[i] = i + 1 < count ? cells[i + 1] : NULL;
  return count ? cells[0] : NULL;
}

void *td_bdwgc_alloc_many(size_t bytes, bool atomic) {
  size_t wanted = bytes ? MANY_BYTES / bytes : MANY_MOST;
  if (wanted < 1) wanted = 1;
  if (wanted > MANY_MOST) wanted = MANY_MOST;
  return atomic ? alloc_atomic(bytes, wanted) : alloc_linked(bytes, wanted);
}

EXPORT void *GC_malloc_many(size_t bytes) {
  return td_bdwgc_alloc_many(bytes, false);
}
