/* Finding leaks. */
#include "bdwgc/debug/leaks.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "bdwgc/debug/guard.h"
#include "tide/inspect.h"
#include "tide/stats.h"

EXPORT int GC_find_leak;
EXPORT void GC_gcollect(void);

static bool delay_free;

/* Leaks of one collection that get a line of their own. */
#define LINES_MOST 40u
static _Atomic(size_t) leaked;

/* ---- An object that nothing refers to ---- */

static void tell(const void *object) {
  char text[TD_GUARD_TEXT_BYTES];
  /* relaxed: a count. */
  if (atomic_fetch_add_explicit(&leaked, 1, memory_order_relaxed) >= LINES_MOST) return;
  td_guard_describe(object, text, sizeof text);
  td_bdwgc_tell("leaked: %s", text);
}

static void examine(void *object, void *context) {
  (void)context;
  size_t bytes = tide_object_bytes(td_bdwgc.heap, object);
  if (td_guard_look(object, bytes) == TD_GUARD_FREED) {
    const void *touched = td_guard_touched(object, bytes);
    if (touched) td_bdwgc_tell("written to after GC_debug_free: %p", touched);
  } else if (td_leaks_on()) {
    tell(object);
  }
  (void)tide_free(td_bdwgc_mutator(), object);
}

void *td_leaks_watch(void *object) {
  static const struct tide_finalizer_entry entry = {.call = examine,
                                                    .order = TIDE_FINALIZE_NO_ORDER};
  if (!object || !td_leaks_on()) return object;
  if (tide_finalizer_set(td_bdwgc_mutator(), object, &entry, NULL) == TIDE_ERROR_MEMORY)
    td_bdwgc_tell("out of memory: %p is not watched for leaks", object);
  return object;
}

void td_leaks_end_collection(void) {
  /* relaxed: a count. */
  size_t count = atomic_exchange_explicit(&leaked, 0, memory_order_relaxed);
  if (count > LINES_MOST) td_bdwgc_tell("leaked: %zu more objects", count - LINES_MOST);
  bool smashed = td_guard_found();
  if ((count || smashed) && getenv("GC_ABORT_ON_LEAK"))
    td_bdwgc_die("leaked or smashed objects were found");
}

bool td_leaks_delay_free(void) {
  return delay_free;
}

/* ---- Objects that were there before ---- */

struct list {
  void **objects;
  size_t count, capacity;
};
static bool add(void *object, size_t bytes, tide_layout layout, void *context) {
  (void)bytes, (void)layout;
  struct list *list = context;
  if (list->count < list->capacity) list->objects[list->count] = object;
  list->count++;
  return true;
}

/* Twice, because nothing can be allocated during a walk. */
static void watch_all(void) {
  struct list list = {0};
  struct tide_mutator *self = td_bdwgc_mutator();
  if (tide_collect_pause(td_bdwgc.heap) != TIDE_OK) return;
  (void)tide_heap_walk(self, add, &list);
  size_t bytes = list.count * sizeof *list.objects;
  void *memory = bytes
                     ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                     : MAP_FAILED;
  if (memory != MAP_FAILED) {
    list = (struct list){.objects = memory, .capacity = list.count};
    (void)tide_heap_walk(self, add, &list);
    for (size_t i = 0; i < list.count && i < list.capacity; i++)
      td_leaks_watch(list.objects[i]);
    munmap(memory, bytes);
  }
  (void)tide_collect_resume(td_bdwgc.heap);
}

/* ---- On and off ---- */

static void at_exit(void) {
  if (td_leaks_on()) GC_gcollect();
}

static void register_exit(void) {
  if (atexit(at_exit) != 0) td_bdwgc_tell("leaks are not looked for when the program ends");
}

static void begin(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (td_leaks_on()) return;
  (void)pthread_once(&once, register_exit);
  /* relaxed: see td_leaks_on. */
  atomic_fetch_or_explicit(&td_bdwgc.slow, TD_SLOW_ALWAYS, memory_order_relaxed);
  watch_all();
}

void td_leaks_start(void) {
  if (getenv("GC_FIND_LEAK")) GC_find_leak = 1;
  delay_free = getenv("GC_FINDLEAK_DELAY_FREE") != NULL;
  td_leaks_notice();
}

void td_leaks_notice(void) {
  if (!GC_find_leak == !td_leaks_on()) return;
  if (GC_find_leak)
    begin();
  else /* relaxed: see td_leaks_on. */
    atomic_fetch_and_explicit(&td_bdwgc.slow, (uint8_t)~TD_SLOW_ALWAYS, memory_order_relaxed);
}

EXPORT int GC_get_find_leak(void) {
  return GC_find_leak;
}
EXPORT void GC_set_find_leak(int value) {
  GC_find_leak = value;
  if (td_bdwgc.heap) td_leaks_notice();
}
