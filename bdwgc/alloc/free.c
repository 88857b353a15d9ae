/* SPDX-License-Identifier: MIT */
/* Looking objects up, freeing and resizing them. */
#include <string.h>

#include "bdwgc/alloc/alloc.h"
#include "bdwgc/finalize/disclaim.h"
#include "bdwgc/kinds/kinds.h"
#include "bdwgc/say.h"
#include "bdwgc/threads/threads.h"
#include "bdwgc/threads/start.h"
#include "tide/advanced.h"

EXPORT void *GC_base(void *address) {
  return tide_object_find(td_bdwgc_heap, address);
}
EXPORT int GC_is_heap_ptr(const void *address) {
  return tide_cell_bytes(td_bdwgc_heap, address) != 0;
}
EXPORT size_t GC_size(const void *object) {
  return tide_cell_bytes(td_bdwgc_heap, object);
}

/* An object is freed once. What is no object is told, as it would have been. */
static void give_back(struct tide_mutator *self, void *object) {
  bool is_none = TD_ASKS_FIRST && tide_object_find(td_bdwgc_heap, object) != object;
  if (TIDE_LIKELY(!is_none && tide_free(self, object) != TIDE_ERROR_ARGUMENT)) return;
  td_bdwgc_warn("GC_free: %lx is not the start of an object", (GC_word)object);
}

EXPORT void GC_free(void *object) {
  if (!object) return;
  struct tide_mutator *self = td_bdwgc_start();
  TD_LEAVES_REGION;
  give_back(self, object);
}

/* An object of the same kind, with what the old one held. */
static void *move(struct tide_mutator *self, void *object, const struct tide_object_facts *old,
                  size_t bytes) {
  void *volatile kept = object;
  char *moved = td_bdwgc_alloc(bytes, old->layout);
  if (!moved) return NULL;
  memcpy(moved, kept, old->bytes < bytes ? old->bytes : bytes);
  if (old->pinned) td_bdwgc_hold(moved);
  if (td_disclaim_on) td_disclaim_watch(moved, td_kind_of(old));
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
  if (__builtin_add_overflow(bytes, td_interior_extra_bytes, &wanted))
    return td_bdwgc_out_of_memory(bytes);
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
  struct tide_mutator *self = td_bdwgc_start();
  if (td_bdwgc_goes_straight(self, bytes) && !td_disclaim_on) {
    char *moved = tide_object_replace(self, object, bytes + td_interior_extra_bytes);
    if (moved) {
      if (td_interior_extra_bytes) moved[bytes] = 0; /* the program has not asked for that */
      return moved;
    }
  }
  TD_LEAVES_REGION;
  return resize(self, object, bytes);
}
