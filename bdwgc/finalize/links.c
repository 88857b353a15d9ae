/* SPDX-License-Identifier: MIT */
/* Disappearing links: words that a collection clears when an object dies. Short ones are cleared
 * before finalizers, long ones when the object is reclaimed. */
#include "bdwgc/detour.h"
#include "bdwgc/say.h"
#include "bdwgc/settings.h"
#include "bdwgc/threads/start.h"
#include "bdwgc/threads/threads.h"

static void check(const char *function, void **link) {
  if (!link || (uintptr_t)link % sizeof(void *))
    td_bdwgc_die("%s: %p is no place for a pointer", function, (void *)link);
}

static int add(const char *function, void **link, const void *object, enum tide_weak_kind kind) {
  check(function, link);
  td_bdwgc_start();
  if (td_leaks_on()) return GC_UNIMPLEMENTED;
  TD_LEAVES_REGION;
  struct tide_mutator *self = td_bdwgc_start();
  bool known = false;
  for (;;) {
    switch (tide_weak_slot_add(self, link, object, kind)) {
    case TIDE_OK:
      return known ? GC_DUPLICATE : GC_SUCCESS;
    case TIDE_ERROR_STATE: /* registered: from now on it follows the new object */
      if (known || tide_weak_slot_remove(self, link, kind) != TIDE_OK)
        td_bdwgc_die("%s: not possible here", function);
      known = true;
      break;
    case TIDE_ERROR_MEMORY:
      if (!GC_oom_fn(2 * sizeof link)) return GC_NO_MEMORY;
      break;
    default:
      td_bdwgc_die("%s: %p is not the start of an object", function, object);
    }
  }
}

static int drop(void **link, enum tide_weak_kind kind) {
  if (!link || (uintptr_t)link % sizeof(void *)) return 0;
  td_bdwgc_start();
  TD_LEAVES_REGION;
  return tide_weak_slot_remove(td_bdwgc_start(), link, kind) == TIDE_OK;
}

static int move(const char *function, void **from, void **to, enum tide_weak_kind kind) {
  check(function, to);
  td_bdwgc_start();
  if (!from || (uintptr_t)from % sizeof(void *)) return GC_NOT_FOUND;
  TD_LEAVES_REGION;
  struct tide_mutator *self = td_bdwgc_start();
  if (from == to) { /* known or not? */
    enum tide_status status = tide_weak_slot_move(self, from, to, kind);
    return status == TIDE_ERROR_STATE ? GC_SUCCESS : GC_NOT_FOUND;
  }
  switch (tide_weak_slot_move(self, from, to, kind)) {
  case TIDE_OK:
    return GC_SUCCESS;
  case TIDE_ERROR_STATE:
    return GC_DUPLICATE;
  case TIDE_ERROR_MEMORY:
    return GC_NO_MEMORY;
  default:
    return GC_NOT_FOUND;
  }
}

#define LINKS(name, add_name, kind)                                                                \
  EXPORT int GC_##add_name(void **link, const void *object) {                                      \
    return add("GC_" #add_name, link, object, kind);                                               \
  }                                                                                                \
  EXPORT int GC_unregister_##name(void **link) {                                                   \
    return drop(link, kind);                                                                       \
  }                                                                                                \
  EXPORT int GC_move_##name(void **link, void **to) {                                              \
    return move("GC_move_" #name, link, to, kind);                                                 \
  }
LINKS(disappearing_link, general_register_disappearing_link, TIDE_WEAK_BEFORE)
LINKS(long_link, register_long_link, TIDE_WEAK_AFTER)

EXPORT int GC_register_disappearing_link(void **link) {
  td_bdwgc_start();
  return add("GC_register_disappearing_link", link, tide_object_find(td_bdwgc_heap, link),
             TIDE_WEAK_BEFORE);
}
