/* Many objects at once. */
#include "bdwgc/alloc/alloc.h"

/* Cells handed out by one call: about a page of them. */
#define MANY_BYTES 4096u
#define MANY_MOST 128u

static size_t count_of(size_t bytes) {
  size_t count = bytes ? MANY_BYTES / bytes : MANY_MOST;
  return count < MANY_MOST ? count : MANY_MOST; /* 0: as 1 */
}

/* Of large objects, and the long way round, lists have one. */
void *td_bdwgc_alloc_many(size_t bytes, bool atomic) {
  tide_layout layout = atomic ? TD_LAYOUT_ATOMIC : TIDE_LAYOUT_CONSERVATIVE;
  struct tide_mutator *self = td_bdwgc_self;
  if (td_bdwgc_goes_straight(self, bytes)) {
    void *list = tide_alloc_list(self, layout, bytes + td_interior_extra_bytes, count_of(bytes));
    if (TIDE_LIKELY(list)) return list;
  }
  void **one = td_bdwgc_alloc_slow(bytes, layout);
  if (one) *one = NULL; /* it need not be zeroed */
  return one;
}

EXPORT void *GC_malloc_many(size_t bytes) {
  return td_bdwgc_alloc_many(bytes, false);
}
