/* Allocation, resizing, freeing. */
#include <errno.h>
#include <string.h>

#include "bdwgc/alloc/collect.h"
#include "bdwgc/debug/guard.h"
#include "bdwgc/alloc/held.h"
#include "bdwgc/debug/leaks.h"
#include "bdwgc/say.h"
#include "bdwgc/settings.h"
#include "bdwgc/threads/stack.h"
#include "bdwgc/state.h"
#include "bdwgc/threads/threads.h"

static void *out_of_memory(size_t bytes) {
  td_bdwgc_warn("out of memory: no room for an object of %lu bytes", bytes);
  return GC_oom_fn(bytes);
}

/* `alignment`: 0 for that of every object. */
static void *alloc_as(size_t bytes, tide_layout layout, size_t alignment) {
  size_t wanted;
  td_bdwgc_start();
  struct tide_mutator *self = td_bdwgc_mutator();
  if (__builtin_add_overflow(bytes, td_bdwgc.extra_bytes, &wanted)) return out_of_memory(bytes);
  td_bdwgc_after_collection();
  bool entered = td_bdwgc_come_back();
  td_stack_notice();
  void *object = alignment ? tide_alloc_aligned(self, layout, wanted, alignment)
                           : tide_alloc(self, layout, wanted);
  if (entered) td_bdwgc_go_away();
  if (object) {
    if (layout == TD_LAYOUT_ATOMIC) td_guard_forget(object);
    return td_leaks_watch(object);
  }
  enum tide_status status = tide_alloc_status(self);
  if (status == TIDE_ERROR_STATE)
    td_bdwgc_die("allocation where there can be none: in a mark procedure, a start callback, "
                 "push_other_roots or a collection event, or after GC_stop_world_external");
  return out_of_memory(bytes);
}

void *td_bdwgc_alloc_slow(size_t bytes, tide_layout layout) {
  return alloc_as(bytes, layout, 0);
}

EXPORT void *GC_malloc(size_t bytes) {
  return td_bdwgc_alloc(bytes, TIDE_LAYOUT_CONSERVATIVE);
}
EXPORT void *GC_malloc_atomic(size_t bytes) {
  return td_bdwgc_alloc(bytes, TD_LAYOUT_ATOMIC);
}
EXPORT void *GC_malloc_stubborn(size_t bytes) {
  return td_bdwgc_alloc(bytes, TIDE_LAYOUT_CONSERVATIVE);
}
EXPORT void *GC_malloc_ignore_off_page(size_t bytes) {
  return td_bdwgc_alloc(bytes, TIDE_LAYOUT_CONSERVATIVE);
}
EXPORT void *GC_malloc_atomic_ignore_off_page(size_t bytes) {
  return td_bdwgc_alloc(bytes, TD_LAYOUT_ATOMIC);
}
EXPORT void *GC_malloc_uncollectable(size_t bytes) {
  return td_bdwgc_hold(td_bdwgc_alloc(bytes, TIDE_LAYOUT_CONSERVATIVE));
}
EXPORT void *GC_malloc_atomic_uncollectable(size_t bytes) {
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

EXPORT char *GC_strndup(const char *text, size_t most) {
  if (!text) return NULL;
  size_t length = strnlen(text, most);
  char *copy = td_bdwgc_alloc(length + 1, TD_LAYOUT_ATOMIC);
  if (!copy) {
    errno = ENOMEM;
    return NULL;
  }
  memcpy(copy, text, length);
  copy[length] = '\0'; /* a hook may have given memory that is not zeroed */
  return copy;
}
EXPORT char *GC_strdup(const char *text) {
  return GC_strndup(text, SIZE_MAX);
}

/* ---- What is at an address ---- */

EXPORT void *GC_base(void *address) {
  return tide_object_find(td_bdwgc.heap, address);
}
EXPORT int GC_is_heap_ptr(const void *address) {
  return tide_cell_bytes(td_bdwgc.heap, address) != 0;
}
EXPORT size_t GC_size(const void *object) {
  return tide_cell_bytes(td_bdwgc.heap, object);
}

/* ---- Freeing and resizing ---- */

/* An object is freed once. What is no object is told, as it would have been. */
static void give_back(struct tide_mutator *self, void *object) {
  if (TIDE_LIKELY(tide_free(self, object) != TIDE_ERROR_ARGUMENT)) return;
  td_bdwgc_warn("GC_free: %lx is not the start of an object", (GC_word)object);
}

EXPORT void GC_free(void *object) {
  if (!object) return;
  struct tide_mutator *self = td_bdwgc_mutator();
  bool entered = td_bdwgc_come_back();
  give_back(self, object);
  if (entered) td_bdwgc_go_away();
}

/* An object of the same kind, with what the old one held. */
static void *move(struct tide_mutator *self, void *object, const struct tide_object_facts *old,
                  size_t bytes) {
  void *volatile kept = object;
  char *moved = td_bdwgc_alloc(bytes, old->layout);
  if (!moved) return NULL;
  memcpy(moved, kept, old->bytes < bytes ? old->bytes : bytes);
  if (old->pinned) td_bdwgc_hold(moved);
  give_back(self, kept);
  return moved;
}

static bool fits(struct tide_mutator *self, void *object, struct tide_object_facts *facts,
                 size_t wanted) {
  if (wanted <= facts->bytes) return wanted >= facts->bytes / 2;
  return facts->may_grow && tide_resize_in_place(self, object, wanted) &&
         tide_object_look(self, object, facts);
}

static void *resize(struct tide_mutator *self, void *object, size_t bytes) {
  struct tide_object_facts facts;
  size_t wanted;
  if (!tide_object_look(self, object, &facts))
    td_bdwgc_die("GC_realloc: %p is not the start of an object", object);
  if (__builtin_add_overflow(bytes, td_bdwgc.extra_bytes, &wanted)) return out_of_memory(bytes);
  if (!fits(self, object, &facts, wanted)) return move(self, object, &facts, bytes);
  /* What is behind shall hold no old references, and be zero if the object grows again. */
  if (bytes < facts.bytes && facts.layout != TD_LAYOUT_ATOMIC)
    memset((char *)object + bytes, 0, facts.bytes - bytes);
  return object;
}

EXPORT void *GC_realloc(void *object, size_t bytes) {
  if (!object) return GC_malloc(bytes);
  if (bytes == 0) {
    GC_free(object);
    return NULL;
  }
  td_bdwgc_start();
  struct tide_mutator *self = td_bdwgc_self;
  if (td_bdwgc_goes_straight(self, bytes)) {
    void *moved = tide_object_move(self, object, bytes + td_bdwgc.extra_bytes);
    if (moved) return moved;
  }
  bool entered = td_bdwgc_come_back();
  void *resized = resize(self, object, bytes);
  if (entered) td_bdwgc_go_away();
  return resized;
}
