/* SPDX-License-Identifier: MIT */
/* Every function that takes a mutator, in every place where it must not be called: the answer is
 * the one that its comment promises, and debug builds say which function it was and abort.
 * Each call is made in a process of its own. */
#include "tests/unit/gc/child.h"
#include "tide/dropin.h"
#include "tide/foreign.h"

/* What a call is made with. The objects are of the mutator's heap unless it is NULL. */
struct at {
  struct tide_mutator *m;
  void *object;
  struct tide_weak *weak;
  struct tide_ephemeron *ephemeron;
  struct tide_weak_table *table;
  struct tide_fiber_stack *stack;
};

FINALIZER(finalize) {}
VISIT(visit) {
  abort();
}
static enum tide_weak_visit visit_entry(void *key, void *value, void *context) {
  (void)key, (void)value, (void)context;
  abort();
}
LOOK(inspect) {
  abort();
}

static bool refused(const struct at *at, enum tide_status status) {
  return status == TIDE_ERROR_STATE || (!at->m && status == TIDE_ERROR_ARGUMENT);
}

static bool stack_register(const struct at *at) {
  static char other[4096] __attribute__((aligned(16)));
  struct tide_error error;
  return !tide_stack_register(at->m, other, other + sizeof other, &error) &&
         refused(at, error.status);
}
static bool inspection(const struct at *at) {
  struct tide_error error;
  return refused(at, tide_heap_inspect(at->m, inspect, NULL, &error)) && refused(at, error.status);
}
static bool check_marks(const struct at *at) {
  struct tide_check check;
  return refused(at, tide_check_marks(at->m, &check));
}

static struct tide_object_facts facts;
static struct tide_finalizer_entry entry;

enum {
  IN_REGIONS = 1, /* allowed in blocking sections */
  NULL_IS_FINE = 2,
  LOOKS = 4,     /* allowed in callbacks of the heap's own collections */
  INLINED = 8,   /* does not look at NULL, nor at who calls */
  ANYWHERE = 16, /* allowed in all callbacks */
};
/* The name as the message says it, where else the call is allowed, and whether it was refused. */
#define FUNCTIONS(X)                                                                               \
  X("tide_detach", IN_REGIONS | NULL_IS_FINE,                                                      \
    tide_detach(at->m) == (at->m ? TIDE_ERROR_STATE : TIDE_OK))                                    \
  X("tide_blocking_enter", IN_REGIONS, (tide_blocking_enter(at->m), true))                         \
  X("tide_blocking_leave", IN_REGIONS, (tide_blocking_leave(at->m), true))                         \
  X("tide_safepoint", IN_REGIONS, (tide_safepoint_slow(at->m), true))                              \
  X("allocation", INLINED, !tide_alloc(at->m, TIDE_LAYOUT_LEAF, 16))                               \
  X("allocation", 0, !tide_alloc_slow(at->m, TIDE_LAYOUT_LEAF, 4000))                              \
  X("allocation", 0, !tide_alloc_array(at->m, TIDE_LAYOUT_LEAF, 100, 40))                          \
  X("allocation", 0, !tide_alloc_aligned(at->m, TIDE_LAYOUT_LEAF, 64, 64))                         \
  X("tide_collect", 0, refused(at, tide_collect(at->m)))                                           \
  X("tide_collect_due", 0, refused(at, tide_collect_due(at->m)))                                   \
  X("tide_finalizers_run_all", 0, tide_finalizers_run_all(at->m) == 0)                             \
  X("tide_external_add", IN_REGIONS | ANYWHERE, refused(at, tide_external_add(at->m, 1)))          \
  X("tide_scope_open", 0, tide_scope_open(at->m) == SIZE_MAX)                                      \
  X("tide_handle", 0, !tide_handle(at->m, NULL))                                                   \
  X("tide_scope_close", 0, refused(at, tide_scope_close(at->m, 1)))                                \
  X("tide_scope_unwind", 0, refused(at, tide_scope_unwind(at->m, 1)))                              \
  X("tide_weak_new", 0, !tide_weak_new(at->m, at->object, TIDE_WEAK_BEFORE))                       \
  X("tide_weak_get", LOOKS, !tide_weak_get(at->m, at->weak))                                       \
  X("tide_ephemeron_new", 0, !tide_ephemeron_new(at->m, at->object, at->object))                   \
  X("tide_ephemeron_key", LOOKS, !tide_ephemeron_key(at->m, at->ephemeron))                        \
  X("tide_ephemeron_value", LOOKS, !tide_ephemeron_value(at->m, at->ephemeron))                    \
  X("tide_ephemeron_set", 0, (tide_ephemeron_set(at->m, at->ephemeron, NULL), true))               \
  X("tide_weak_table_new", 0, !tide_weak_table_new(at->m))                                         \
  X("tide_weak_table_intern", 0, !tide_weak_table_intern(at->m, at->table, at->object, NULL))      \
  X("tide_weak_table_key", LOOKS, !tide_weak_table_key(at->m, at->table, at->object))              \
  X("tide_weak_table_each", 0, tide_weak_table_each(at->m, at->table, visit_entry, NULL) == 0)     \
  X("tide_weak_table_put", 0, !tide_weak_table_put(at->m, at->table, at->object, at->object))      \
  X("tide_weak_table_get", LOOKS, !tide_weak_table_get(at->m, at->table, at->object))              \
  X("tide_weak_table_remove", 0, !tide_weak_table_remove(at->m, at->table, at->object))            \
  X("tide_weak_table_count", LOOKS, tide_weak_table_count(at->m, at->table) == 0)                  \
  X("tide_finalizer_add", 0, refused(at, tide_finalizer_add(at->m, at->object, finalize, NULL)))   \
  X("tide_finalizer_remove", 0, tide_finalizer_remove(at->m, at->object) == 0)                     \
  X("tide_finalizers_queue_all", 0, tide_finalizers_queue_all(at->m, NULL) == 0)                   \
  X("tide_finalizers_run", 0, tide_finalizers_run(at->m, 1) == 0)                                  \
  X("tide_stack_register", 0, stack_register(at))                                                  \
  X("tide_stack_switch", 0, refused(at, tide_stack_switch(at->m, at->stack)))                      \
  X("tide_stack_unregister", 0, refused(at, tide_stack_unregister(at->m, at->stack)))              \
  X("tide_heap_walk", 0, refused(at, tide_heap_walk(at->m, visit, NULL)))                          \
  X("tide_heap_inspect", 0, inspection(at))                                                        \
  X("tide_check_marks", 0, check_marks(at))                                                        \
  X("tide_check_heap", 0, refused(at, tide_check_heap(at->m, NULL)))                               \
  X("tide_reclaim", 0, tide_reclaim(at->m, 1) == 0)                                                \
  X("allocation", INLINED, !tide_alloc_list(at->m, TIDE_LAYOUT_LEAF, 16, 4))                       \
  X("tide_collect_young", 0, refused(at, tide_collect_young(at->m)))                               \
  X("tide_collect_begin", 0, refused(at, tide_collect_begin(at->m)))                               \
  X("tide_free", 0, refused(at, tide_free(at->m, at->object)))                                     \
  X("tide_resize_in_place", 0, !tide_resize_in_place(at->m, at->object, 8))                        \
  X("tide_object_look", 0, !tide_object_look(at->m, at->object, &facts))                           \
  X("tide_object_replace", 0, !tide_object_replace(at->m, at->object, 16))                         \
  X("tide_object_pin", 0, refused(at, tide_object_pin(at->m, at->object)))                         \
  X("tide_object_unpin", 0, refused(at, tide_object_unpin(at->m, at->object)))                     \
  X("tide_weak_table_new_by_content", 0, !tide_weak_table_new_by_content(at->m, NULL, NULL, NULL)) \
  X("tide_finalizer_set", 0, refused(at, tide_finalizer_set(at->m, at->object, NULL, NULL)))       \
  X("tide_finalizer_take", 0, !tide_finalizer_take(at->m, &entry))                                 \
  X("tide_weak_slot_add", 0,                                                                       \
    refused(at, tide_weak_slot_add(at->m, at->object, at->object, TIDE_WEAK_BEFORE)))              \
  X("tide_weak_slot_remove", 0,                                                                    \
    refused(at, tide_weak_slot_remove(at->m, at->object, TIDE_WEAK_BEFORE)))                       \
  X("tide_weak_slot_move", 0,                                                                      \
    refused(at, tide_weak_slot_move(at->m, at->object, at->object, TIDE_WEAK_BEFORE)))             \
  X("tide_stack_set_own", 0, refused(at, tide_stack_set_own(at->m, NULL, NULL)))                   \
  X("tide_stack_own_high", IN_REGIONS | ANYWHERE, !tide_stack_own_high(at->m))                     \
  X("tide_world_stop", 0, refused(at, tide_world_stop(at->m)))                                     \
  X("tide_stop_hold", IN_REGIONS | ANYWHERE, (tide_stop_hold(at->m), true))                        \
  X("tide_stop_release", IN_REGIONS | ANYWHERE, (tide_stop_release(at->m), true))                  \
  X("tide_count_marked", 0, tide_count_marked(at->m) == 0)
#define FUNCTION(name, flags, call) {name, flags},
#define CALL(name, flags, call) || (number++ == function && (call))

static const struct function {
  const char *name;
  unsigned flags;
} functions[] = {FUNCTIONS(FUNCTION)};
enum { FUNCTION_COUNT = sizeof functions / sizeof *functions };

static bool call(const struct function *which, const struct at *at) {
  unsigned function = (unsigned)(which - functions), number = 0;
  return false FUNCTIONS(CALL);
}

static struct at fill(struct world *w) {
  static char stack[2][4096] __attribute__((aligned(16)));
  static int stacks;
  struct at at = {.m = w->m};
  tide_alloc(w->m, TIDE_LAYOUT_LEAF, 16); /* leaves a run that inlined code could use */
  at.object = held(w, pair_new(w, NULL, NULL, 1));
  at.weak = held(w, tide_weak_new(w->m, at.object, TIDE_WEAK_BEFORE));
  at.ephemeron = held(w, tide_ephemeron_new(w->m, at.object, at.object));
  at.table = held(w, tide_weak_table_new(w->m));
  cr_assert(tide_weak_table_put(w->m, at.table, at.object, at.object));
  at.stack = tide_stack_register(w->m, stack[stacks], stack[stacks] + sizeof *stack, NULL);
  stacks++;
  return at;
}

enum place {
  WITH_NULL,
  DETACHED,
  BY_ANOTHER_THREAD,
  IN_REGION,
  IN_EVENT,
  IN_TRACE,
  IN_INSPECTION,
  IN_EVENT_OF_ANOTHER_HEAP, /* from here on */
  IN_ROOT_CALLBACK,
  IN_VISIT,
};
struct made {
  const struct function *function;
  struct at at;
  bool good;
};
static void *make(void *argument) {
  struct made *made = argument;
  made->good = call(made->function, &made->at);
  return NULL;
}
EVENT(make_in_event) {
  if (event == TIDE_EVENT_STOPPED) make(context);
}
ROOTS_OF(make_in_root_callback) {
  make(context);
}
TRACE(make_in_trace) {
  make(context);
}
LOOK(make_in_inspection) {
  make(context);
}
VISIT(make_in_visit) {
  make(context);
  return false;
}

static bool make_at(enum place place, const struct function *function) {
  struct world w = world_new(), other = {.m = NULL};
  if (place >= IN_EVENT_OF_ANOTHER_HEAP) other = world_new();
  struct made made = {.function = function, .at = fill(other.m ? &other : &w)};
  if (place == WITH_NULL) made.at.m = NULL;
  if (place == DETACHED) cr_assert_eq(tide_detach(w.m), TIDE_OK);
  if (place == IN_REGION) tide_blocking_enter(w.m);
  if (place < IN_EVENT && place != BY_ANOTHER_THREAD) make(&made);
  if (place == BY_ANOTHER_THREAD) pthread_join(thread_new(make, &made), NULL);
  if (place == IN_EVENT || place == IN_EVENT_OF_ANOTHER_HEAP)
    tide_heap_on_event(w.heap, make_in_event, &made);
  if (place == IN_ROOT_CALLBACK)
    cr_assert_eq(tide_root_add_callback(w.heap, make_in_root_callback, &made), TIDE_OK);
  if (place == IN_TRACE)
    held(&w, tide_alloc(w.m, tide_layout_traced(w.heap, make_in_trace, &made, NULL), 64));
  if (place == IN_INSPECTION)
    return tide_heap_inspect(w.m, make_in_inspection, &made, NULL) == TIDE_OK && made.good;
  cr_assert(place < IN_EVENT || tide_handle(w.m, pair_new(&w, NULL, NULL, 1)));
  if (place == IN_VISIT) return tide_heap_walk(w.m, make_in_visit, &made) == TIDE_OK && made.good;
  return (place < IN_EVENT || tide_collect(w.m) == TIDE_OK) && made.good;
}

struct refusal {
  enum place place;
  const struct function *function;
};
static bool refuse(const void *argument) {
  const struct refusal *refusal = argument;
  return make_at(refusal->place, refusal->function);
}

static void expect_refusal(enum place place, const struct function *function) {
  int status = child_of(refuse, &(struct refusal){place, function});
  if (TOLD) {
    cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "%d: %s is told", place,
              function->name);
    cr_expect_not_null(strstr(told, function->name), "%d: %s: %s", place, function->name, told);
  } else {
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%d: %s: %#x %s", place,
              function->name, (unsigned)status, told);
  }
}

Test(refusals, of_every_function_in_every_place) {
  static const unsigned allowed[] = {
      [WITH_NULL] = NULL_IS_FINE | INLINED,    [DETACHED] = 0,
      [BY_ANOTHER_THREAD] = INLINED,           [IN_REGION] = IN_REGIONS,
      [IN_EVENT] = LOOKS | ANYWHERE,           [IN_TRACE] = LOOKS | ANYWHERE,
      [IN_INSPECTION] = LOOKS | ANYWHERE,      [IN_EVENT_OF_ANOTHER_HEAP] = INLINED | ANYWHERE,
      [IN_ROOT_CALLBACK] = INLINED | ANYWHERE, [IN_VISIT] = INLINED | ANYWHERE,
  };
  for (unsigned place = WITH_NULL; place <= IN_VISIT; place++)
    for (size_t i = 0; i < FUNCTION_COUNT; i++)
      if (!(functions[i].flags & allowed[place])) expect_refusal(place, &functions[i]);
}
