/* The walk over all objects. */
#include "gc/stop/pause.h"
#include "heap/walk.h"

struct walk {
  tide_visit_fn visit;
  void *context;
};

static bool visit_one(uintptr_t object, size_t bytes, tide_layout layout, void *argument) {
  const struct walk *walk = argument;
  return walk->visit((void *)object, bytes, layout, walk->context);
}

static void walk_stopped(struct tide_mutator *mutator, void *walk) {
  td_space_walk(&mutator->heap->space, visit_one, walk);
}

enum tide_status tide_heap_walk(struct tide_mutator *mutator, tide_visit_fn visit, void *context) {
  if (!visit) return TIDE_ERROR_ARGUMENT;
  struct walk walk = {visit, context};
  return td_with_world_stopped(mutator, "tide_heap_walk", walk_stopped, &walk);
}
