/* SPDX-License-Identifier: MIT */
/* Checks of pointers, looking at objects, and stores that may be told of: none need be. */
#include "bdwgc/debug/objects.h"
#include "bdwgc/say.h"
#include "bdwgc/threads/events.h"
#include "bdwgc/threads/interior.h"
#include "bdwgc/threads/start.h"
#include "tide/inspect.h"

EXPORT void *GC_is_visible(void *address);

/* ---- Stores ---- */

EXPORT void GC_debug_end_stubborn_change(const void *object) {
  if (!td_bdwgc_heap || !tide_object_find(td_bdwgc_heap, object))
    td_bdwgc_die("GC_debug_end_stubborn_change: %p is in no object", object);
}
EXPORT void GC_ptr_store_and_dirty(void *slot, const void *value) {
  *(const void **)slot = value;
}
EXPORT void GC_debug_ptr_store_and_dirty(void *slot, const void *value) {
  *(void **)GC_is_visible(slot) = GC_is_valid_displacement((void *)value);
  GC_debug_end_stubborn_change(slot);
}

/* ---- Checks of pointers ---- */

static void say_pair(void *a, void *b) {
  td_bdwgc_die("GC_same_obj: %p and %p are not in the same object", a, b);
}
static void say_invisible(void *address) {
  td_bdwgc_die("GC_is_visible: %p would not be seen", address);
}
EXPORT void (*GC_same_obj_print_proc)(void *, void *) = say_pair;
EXPORT void (*GC_is_visible_print_proc)(void *) = say_invisible;

EXPORT void *GC_same_obj(void *a, void *b) {
  size_t bytes;
  const char *cell = tide_cell_find(td_bdwgc_heap, a, &bytes);
  if (TIDE_LIKELY(cell && (uintptr_t)b - (uintptr_t)cell < bytes)) return a;
  void *object = tide_object_find(td_bdwgc_heap, a);
  if (object != tide_object_find(td_bdwgc_heap, b)) GC_same_obj_print_proc(a, b);
  return a;
}
EXPORT void *GC_is_visible(void *address) {
  if ((uintptr_t)address % sizeof(void *)) GC_is_visible_print_proc(address);
  return address; /* it may be on a stack, or in what is a root in the next collection only */
}
EXPORT void *GC_pre_incr(void **pointer, ptrdiff_t bytes) {
  void *before = *pointer, *after = (char *)before + bytes;
  if (td_bdwgc_heap && tide_object_find(td_bdwgc_heap, before)) GC_same_obj(after, before);
  return *pointer = GC_is_valid_displacement(after);
}
EXPORT void *GC_post_incr(void **pointer, ptrdiff_t bytes) {
  void *before = *pointer;
  GC_pre_incr(pointer, bytes);
  return before;
}

/* ---- Looking at objects ---- */

/* Under the stop, whether it was found alive; at other times every object is that is left. */
EXPORT int GC_is_marked(const void *object) {
  if (td_events_stopped) return tide_object_is_live(td_bdwgc_heap, object);
  return object && tide_object_find(td_bdwgc_heap, object) == object;
}

/* While the world runs, as on the other library, though the list takes 16 bytes for each. */
EXPORT void GC_enumerate_reachable_objects_inner(GC_reachable_object_proc procedure, void *data) {
  if (!td_objects_each(procedure, data))
    td_bdwgc_warn("GC_enumerate_reachable_objects_inner: no memory for a list of all objects, or "
                  "called in a callback",
                  0);
}
