/* SPDX-License-Identifier: MIT */
/* Allocation. */
#include "bdwgc/alloc/alloc.h"

#include <errno.h>
#include <string.h>

#include "bdwgc/alloc/collect.h"
#include "bdwgc/debug/guard.h"
#include "bdwgc/debug/leaks.h"
#include "bdwgc/say.h"
#include "bdwgc/settings.h"
#include "bdwgc/threads/threads.h"
#include "bdwgc/threads/start.h"
#include "tide/advanced.h"

void *td_bdwgc_out_of_memory(size_t bytes) {
  td_bdwgc_warn("out of memory: no room for an object of %lu bytes", bytes);
  return GC_oom_fn(bytes);
}

/* `alignment`: 0 for that of every object. */
static void *alloc_as(size_t bytes, tide_layout layout, size_t alignment) {
  size_t wanted;
  struct tide_mutator *self = td_bdwgc_start();
  if (__builtin_add_overflow(bytes, td_interior_extra_bytes, &wanted))
    return td_bdwgc_out_of_memory(bytes);
  TD_LEAVES_REGION;
  td_bdwgc_after_collection();
  td_stack_notice();
  void *object = alignment ? tide_alloc_aligned(self, layout, wanted, alignment)
                           : tide_alloc(self, layout, wanted);
  if (object) {
    if (layout == TD_LAYOUT_ATOMIC) td_guard_forget(object);
    return td_leaks_watch(object);
  }
  enum tide_status status = tide_alloc_status(self);
  if (status == TIDE_ERROR_STATE)
    td_bdwgc_die("allocation where there can be none: in a mark procedure, a start callback, "
                 "push_other_roots or a collection event, or after GC_stop_world_external");
  return td_bdwgc_out_of_memory(bytes);
}

void *td_bdwgc_alloc_slow(size_t bytes, tide_layout layout) {
  return alloc_as(bytes, layout, 0);
}

void *td_bdwgc_hold(void *object) {
  if (!object) return NULL;
  TD_LEAVES_REGION;
  return tide_object_pin(td_bdwgc_start(), object) == TIDE_OK ? object : NULL;
}

EXPORT void *GC_malloc(size_t bytes) {
  return td_bdwgc_alloc(bytes, TIDE_LAYOUT_CONSERVATIVE);
}
EXPORT void *GC_malloc_atomic(size_t bytes) {
  return td_bdwgc_alloc(bytes, TD_LAYOUT_ATOMIC);
}
SAME_AS(GC_malloc, GC_malloc_stubborn);
SAME_AS(GC_malloc, GC_malloc_ignore_off_page);
SAME_AS(GC_malloc_atomic, GC_malloc_atomic_ignore_off_page);
EXPORT void *GC_malloc_uncollectable(size_t bytes) {
  TD_LEAVES_REGION;
  return td_bdwgc_hold(td_bdwgc_alloc(bytes, TIDE_LAYOUT_CONSERVATIVE));
}
EXPORT void *GC_malloc_atomic_uncollectable(size_t bytes) {
  TD_LEAVES_REGION;
  return td_bdwgc_hold(td_bdwgc_alloc(bytes, TD_LAYOUT_ATOMIC));
}

EXPORT void *GC_memalign(size_t alignment, size_t bytes) {
  if (alignment <= 16) return GC_malloc(bytes);
  return alloc_as(bytes, TIDE_LAYOUT_CONSERVATIVE, alignment);
}
EXPORT int GC_posix_memalign(void **object, size_t alignment, size_t bytes) {
  if (alignment < sizeof(void *) || (alignment & (alignment - 1))) return EINVAL;
  *object = GC_memalign(alignment, bytes);
  return *object ? 0 : ENOMEM;
}

char *td_bdwgc_fill_text(char *copy, const char *text, size_t length) {
  if (!copy) {
    errno = ENOMEM;
    return NULL;
  }
  memcpy(copy, text, length);
  copy[length] = '\0'; /* a hook may have given memory that is not zeroed */
  return copy;
}
EXPORT char *GC_strndup(const char *text, size_t most) {
  if (!text) return NULL;
  size_t length = strnlen(text, most);
  return td_bdwgc_fill_text(td_bdwgc_alloc(length + 1, TD_LAYOUT_ATOMIC), text, length);
}
EXPORT char *GC_strdup(const char *text) {
  return GC_strndup(text, SIZE_MAX);
}

/* ---- Many objects at once ---- */

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
