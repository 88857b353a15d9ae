/* SPDX-License-Identifier: MIT */
/* Two threads, each attached to two heaps, each collecting one of them. While the embedder's
 * functions run in the one's collection, the other thread may collect the other heap, so a mutator
 * of that heap may not be used there: it is refused, whatever it is asked for, and nobody hangs.
 *
 * Usage: stress_callbacks_cross ROUNDS */
#include "tests/stress/driver.h"
#include "tide/inspect.h"

struct side {
  struct tide_heap *mine, *others;
  struct tide_mutator *m, *o;
  struct tide_weak *weak; /* of the other heap */
  uint64_t calls, allocated;
};
static uint64_t rounds;
static struct tide_heap *heaps[2];
static pthread_barrier_t begin;

static void use_other(struct side *side) {
  side->calls++;
  CHECK(!tide_weak_get(side->o, side->weak));
  CHECK(!tide_alloc(side->o, TIDE_LAYOUT_LEAF, 16));
  CHECK(!tide_alloc(side->o, TIDE_LAYOUT_LEAF, 8000));
  tide_safepoint(side->o);
  tide_blocking_enter(side->o);
  tide_blocking_leave(side->o);
  CHECK(tide_collect(side->o) == TIDE_ERROR_STATE);
  CHECK(tide_collect_pause(side->others) == TIDE_ERROR_STATE);
  CHECK(!tide_heap_create(NULL, NULL));
}

static void in_event(struct tide_heap *heap, enum tide_event event, uint64_t now, void *side) {
  if (event != TIDE_EVENT_HEAP_GREW) use_other(side); /* that one comes from an allocation */
}
static void in_root_callback(struct tide_tracer *tracer, void *side) {
  use_other(side);
}
static void in_trace(void *object, size_t bytes, struct tide_tracer *tracer, void *side) {
  struct side *s = side;
  CHECK(tide_collect_pause(s->others) == TIDE_ERROR_STATE);
  if (tide_current(s->mine) == s->m) use_other(s);
}
static bool in_visit(void *object, size_t bytes, tide_layout layout, void *side) {
  use_other(side);
  return false;
}

static void *run(void *number) {
  size_t i = (uintptr_t)number - 1;
  struct side side = {.mine = heaps[i], .others = heaps[1 - i]};
  side.m = ATTACH(side.mine, .stack = TIDE_STACK_PRECISE);
  side.o = ATTACH(side.others, .stack = TIDE_STACK_PRECISE);
  void *target = tide_alloc(side.o, TIDE_LAYOUT_LEAF, 32);
  CHECK(side.weak = tide_weak_new(side.o, target, TIDE_WEAK_BEFORE));
  void **kept = tide_handle(side.o, side.weak);
  tide_layout traced = tide_layout_traced(side.mine, in_trace, &side, NULL);
  CHECK(tide_handle(side.m, tide_alloc(side.m, traced, 64)));
  tide_heap_on_event(side.mine, in_event, &side);
  CHECK(tide_root_add_callback(side.mine, in_root_callback, &side) == TIDE_OK);
  pthread_barrier_wait(&begin);
  for (uint64_t r = 0; r < rounds; r++) {
    CHECK(tide_collect(side.m) == TIDE_OK);
    CHECK(tide_heap_walk(side.m, in_visit, &side) == TIDE_OK);
    /* Between its own collections the thread may use both. */
    for (int k = 0; k < 200; k++, side.allocated++)
      CHECK(tide_alloc(side.o, TIDE_LAYOUT_LEAF, 48));
    CHECK(*kept == side.weak);
    (void)tide_weak_get(side.o, side.weak);
  }
  CHECK(side.calls > 4 * rounds);
  tide_blocking_enter(side.o);
  tide_blocking_enter(side.m);
  pthread_barrier_wait(&begin); /* the callbacks of this side end with it */
  tide_blocking_leave(side.m);
  tide_blocking_leave(side.o);
  tide_heap_on_event(side.mine, NULL, NULL);
  CHECK(tide_root_remove_callback(side.mine, in_root_callback, &side) == TIDE_OK);
  CHECK(tide_detach(side.o) == TIDE_OK && tide_detach(side.m) == TIDE_OK);
  return NULL;
}

int main(int count, char **arguments) {
  rounds = argument(count, arguments, 1, 1000);
  for (int i = 0; i < 2; i++)
    heaps[i] = HEAP(.heap_max_bytes = (size_t)64 << 20, .markers = 2);
  pthread_barrier_init(&begin, NULL, 2);
  const struct crew crew = crew_new(run, 2);
  crew_end(NULL, &crew);
  for (int i = 0; i < 2; i++)
    CHECK(tide_heap_destroy(heaps[i]) == TIDE_OK);
  return 0;
}
