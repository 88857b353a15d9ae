/* SPDX-License-Identifier: MIT */
/* Toggle references: strong or weak, as the program says in each collection. And telling the
 * program which objects wait for their finalizers. */
#include <stdlib.h>
#include <sys/mman.h>

#include "bdwgc/finalize/disclaim.h"
#include "bdwgc/threads/events.h"
#include "bdwgc/threads/lock.h"
#include "bdwgc/threads/start.h"

enum { TOGGLE_DROP, TOGGLE_STRONG, TOGGLE_WEAK };

static uintptr_t *toggles; /* under the lock; a collection changes them without */
static size_t toggle_count, toggle_capacity;
static GC_toggleref_func toggle_function;
static GC_await_finalize_proc await_function;

/* What the collection that runs has queued. The collecting thread's. */
static void **queued;
static size_t queued_count, queued_capacity;

static void drop(size_t *i) {
  toggles[(*i)--] = toggles[--toggle_count];
}

/* Strong ones become roots. The program's function may wait for what other threads hold, so they
 * are not stopped yet; and none adds one, because that waits for the collection's end. */
static void ask(struct tide_root_list *list, void *context) {
  (void)context;
  for (size_t i = 0; i < toggle_count; i++) {
    int answer = toggle_function ? toggle_function((void *)toggles[i]) : TOGGLE_STRONG;
    if (answer == TOGGLE_DROP)
      drop(&i);
    else if (answer == TOGGLE_STRONG)
      tide_root_report(list, &toggles[i], sizeof toggles[i]);
  }
}

/* In pages from the system: under the stop nothing is allocated. */
static bool make_queue_longer(void) {
  size_t capacity = queued_capacity ? queued_capacity * 2 : 512, bytes = capacity * sizeof *queued;
  void *longer =
      queued ? mremap(queued, queued_capacity * sizeof *queued, bytes, MREMAP_MAYMOVE)
             : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (longer == MAP_FAILED) return false;
  queued = longer;
  queued_capacity = capacity;
  return true;
}

/* The program hears of it at once if it cannot be remembered. */
static void note_queued(void *object, tide_finalizer_fn finalizer, void *context) {
  (void)context;
  if (finalizer == td_disclaim_ask) return;
  if (queued_count < queued_capacity || make_queue_longer())
    queued[queued_count++] = object;
  else
    await_function(object);
}

/* No finalizer has run meanwhile: see take in finalize.c. */
static void tell_queued(void) {
  for (size_t i = 0; i < queued_count; i++)
    if (await_function) await_function(queued[i]);
  queued_count = 0;
}

/* Weak ones whose object is dead are dropped. */
static void on_weak_end(struct tide_heap *heap) {
  for (size_t i = 0; i < toggle_count; i++)
    if (!tide_object_is_live(heap, (void *)toggles[i])) drop(&i);
  if (await_function) tide_finalizers_queued(heap, note_queued, NULL);
}

static bool make_room(void) {
  if (toggle_count < toggle_capacity) return true;
  size_t capacity = toggle_capacity ? toggle_capacity * 2 : 16;
  uintptr_t *larger = realloc(toggles, capacity * sizeof *larger);
  if (!larger) return false;
  toggles = larger;
  toggle_capacity = capacity;
  return true;
}

EXPORT int GC_toggleref_add(void *object, int strong) {
  static bool asked;
  const struct tide_root_source source = {.before_stop = ask};
  (void)strong; /* toggle_function says it in the next collection */
  if (!toggle_function) return GC_SUCCESS;
  td_bdwgc_start();
  tide_collect_pause(td_bdwgc_heap);
  td_bdwgc_lock(TD_LOCK_TOGGLES);
  bool added = make_room();
  if (added) toggles[toggle_count++] = (uintptr_t)object;
  if (!asked) asked = tide_root_add_source(td_bdwgc_heap, &source) == TIDE_OK;
  td_events_on_reclaim(on_weak_end, tell_queued);
  td_bdwgc_unlock(TD_LOCK_TOGGLES);
  tide_collect_resume(td_bdwgc_heap);
  return added ? GC_SUCCESS : GC_NO_MEMORY;
}
VALUE(GC_toggleref_func, toggleref_func, toggle_function)

EXPORT void GC_set_await_finalize_proc(GC_await_finalize_proc function) {
  await_function = function;
  td_events_on_reclaim(on_weak_end, tell_queued);
}
EXPORT GC_await_finalize_proc GC_get_await_finalize_proc(void) {
  return await_function;
}
