/* What runtimes of one language ask for: toggle references, looking at marks and objects. */
#include <pthread.h>
#include <stdlib.h>

#include "bdwgc/finalize/disclaim.h"
#include "bdwgc/finalize/java.h"
#include "bdwgc/lock.h"
#include "bdwgc/state.h"
#include "tide/stats.h"

/* ---- Toggle references: strong or weak, as the program says in each collection ---- */

enum { TOGGLE_DROP, TOGGLE_STRONG, TOGGLE_WEAK };
struct toggle {
  uintptr_t object;
  bool strong;
};
static struct toggle *toggles; /* under the lock; a collection changes them under the stop */
static size_t toggle_count, toggle_capacity;
static GC_toggleref_func toggle_function;
static GC_await_finalize_proc await_function;

/* Strong ones become roots. */
static void ask(struct tide_root_list *list, void *context) {
  (void)context;
  for (size_t i = 0; i < toggle_count; i++) {
    int answer = toggle_function ? toggle_function((void *)toggles[i].object) : TOGGLE_STRONG;
    toggles[i].strong = answer == TOGGLE_STRONG;
    if (answer == TOGGLE_DROP) {
      toggles[i--] = toggles[--toggle_count];
      continue;
    }
    if (toggles[i].strong) tide_root_report(list, &toggles[i].object, sizeof(void *));
  }
}

void td_java_forget_dead(struct tide_heap *heap) {
  for (size_t i = 0; i < toggle_count; i++)
    if (!tide_object_is_live(heap, (void *)toggles[i].object))
      toggles[i--] = toggles[--toggle_count];
}

static bool make_room(void) {
  if (toggle_count < toggle_capacity) return true;
  size_t capacity = toggle_capacity ? toggle_capacity * 2 : 16;
  struct toggle *larger = realloc(toggles, capacity * sizeof *larger);
  if (!larger) return false;
  toggles = larger;
  toggle_capacity = capacity;
  return true;
}

EXPORT int GC_toggleref_add(void *object, int strong) {
  static bool asked;
  const struct tide_root_source source = {.stopped = ask};
  int result = GC_SUCCESS;
  if (!toggle_function) return GC_SUCCESS;
  td_bdwgc_start();
  tide_collect_pause(td_bdwgc.heap);
  td_bdwgc_lock(TD_LOCK_TOGGLES);
  if (make_room())
    toggles[toggle_count++] = (struct toggle){(uintptr_t)object, strong != 0};
  else
    result = GC_NO_MEMORY;
  if (!asked) asked = tide_root_add_source(td_bdwgc.heap, &source) == TIDE_OK;
  td_bdwgc_unlock(TD_LOCK_TOGGLES);
  tide_collect_resume(td_bdwgc.heap);
  return result;
}
EXPORT void GC_set_toggleref_func(GC_toggleref_func function) {
  toggle_function = function;
}
EXPORT GC_toggleref_func GC_get_toggleref_func(void) {
  return toggle_function;
}
static void tell_queued(void *object, tide_finalizer_fn finalizer, void *context) {
  (void)context;
  if (finalizer != td_disclaim_ask) await_function(object);
}
void td_java_tell_queued(struct tide_heap *heap) {
  if (await_function) tide_finalizers_queued(heap, tell_queued, NULL);
}
EXPORT void GC_set_await_finalize_proc(GC_await_finalize_proc function) {
  await_function = function;
}
EXPORT GC_await_finalize_proc GC_get_await_finalize_proc(void) {
  return await_function;
}

/* ---- Looking at objects ---- */

/* Under the stop, whether it was found alive; at other times every object is. */
EXPORT int GC_is_marked(const void *object) {
  return tide_object_is_live(td_bdwgc.heap, object);
}
EXPORT void GC_clear_mark_bit(const void *object) {
  (void)object; /* marks are not the program's to clear */
}

struct visit {
  GC_reachable_object_proc procedure;
  void *data;
};
static bool visit_one(void *object, size_t bytes, tide_layout layout, void *context) {
  (void)layout;
  const struct visit *visit = context;
  visit->procedure(object, bytes, visit->data);
  return true;
}
EXPORT void GC_enumerate_reachable_objects_inner(GC_reachable_object_proc procedure, void *data) {
  struct visit visit = {procedure, data};
  td_bdwgc_start();
  tide_heap_walk(td_bdwgc_mutator(), visit_one, &visit);
}
