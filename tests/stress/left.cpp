// SPDX-License-Identifier: MIT
/* Functions of the embedder that Tidemark calls must return. Each of them is left here, by longjmp
 * and by an exception, and the thread goes on in each way that a program may: the next call that
 * looks at the mutator says what happened and ends the process. Functions that do return, also by
 * way of another stack, are not complained of. */
#include <csetjmp>
#include <csignal>
#include <cstring>

#include <ucontext.h>

#include "tests/stress/driver.h"

static struct tide_heap *heap;
static struct tide_mutator *m;
static jmp_buf target;
static bool throws, armed;
static enum tide_event awaited;

static void leave() {
  if (!armed) return;
  armed = false;
  if (throws) throw 1;
  longjmp(target, 1);
}

/* ---- Functions that are left ---- */

static void finalizer(void *, void *) {
  leave();
}
static bool hook(void *, size_t) {
  leave();
  return false;
}
static void event(struct tide_heap *, enum tide_event event, uint64_t, void *) {
  if (event == awaited) leave();
}
static void trace(void *, size_t, struct tide_tracer *, void *) {
  leave();
}
static void root(struct tide_tracer *, void *) {
  leave();
}
static bool visit(void *, size_t, tide_layout, void *) {
  leave();
  return true;
}
static void inspect(struct tide_walk *, void *) {
  leave();
}

/* ---- How they are called ---- */

static void run_finalizer() {
  CHECK(tide_finalizers_run(m, 1) == 1);
}
static void fill() {
  void **list = tide_handle(m, NULL);
  for (;;) {
    void **cell = (void **)tide_alloc(m, TIDE_LAYOUT_REFS, 4000);
    if (!cell) return;
    *cell = *list;
    *list = cell;
  }
}
static void collect() {
  tide_collect(m);
}
static void walk() {
  tide_heap_walk(m, visit, NULL);
}
static void look() {
  tide_heap_inspect(m, inspect, NULL, NULL);
}

struct way {
  const char *said; /* part of the message */
  void (*call)();
  enum tide_event awaited;
};
static const struct way ways[] = {
    {"a finalizer", run_finalizer, TIDE_EVENT_STOP_LATE},
    {"the out-of-memory hook", fill, TIDE_EVENT_STOP_LATE},
    {"an event", fill, TIDE_EVENT_HEAP_GREW},
    {"event", collect, TIDE_EVENT_CYCLE_BEGIN},
    {"event", collect, TIDE_EVENT_MARK_END},
    {"trace function", collect, TIDE_EVENT_STOP_LATE},
    {"root callback", collect, TIDE_EVENT_STOP_LATE},
    {"visit", walk, TIDE_EVENT_STOP_LATE},
    {"visit", look, TIDE_EVENT_STOP_LATE},
};
enum { TRACE = 5, ROOT = 6 };

/* ---- How the thread goes on ---- */

static void allocate() {
  for (int i = 0; i < 100000; i++)
    tide_alloc(m, TIDE_LAYOUT_LEAF, 64);
}
static __attribute__((noinline)) void allocate_deeper() {
  volatile char frame[100];
  frame[0] = 1;
  allocate();
  frame[1] = frame[0];
}
static void detach() {
  tide_detach(m);
}
static void handle() {
  tide_handle(m, NULL);
}
static void region() {
  tide_blocking_enter(m);
}
static void add_root() {
  static void *slot;
  tide_root_add(heap, &slot);
  tide_handle(m, NULL); /* in a hook the root is allowed */
}
static void end_thread() { /* by the mutator's own means */
  tide_collect(m);
}
static void (*const sequels[])() = {allocate, allocate_deeper, detach,    handle,
                                    region,   add_root,        end_thread};

static void open_heap(size_t way) {
  struct tide_options options;
  struct tide_attach_options attach;
  tide_options_init(&options);
  tide_attach_options_init(&attach);
  options.heap_max_bytes = (size_t)16 << 20;
  options.markers = 1;
  options.out_of_memory = hook;
  CHECK(heap = tide_heap_create(&options, NULL));
  attach.stack = way % 2 ? TIDE_STACK_PRECISE : TIDE_STACK_CONSERVATIVE;
  CHECK(m = tide_attach(heap, &attach, NULL));
  tide_layout traced = tide_layout_traced(heap, trace, NULL, NULL);
  CHECK(tide_handle(m, tide_alloc(m, way == TRACE ? traced : TIDE_LAYOUT_LEAF, 64)));
  if (way == ROOT) CHECK(tide_root_add_callback(heap, root, NULL) == TIDE_OK);
  if (way == 0) {
    for (int i = 0; i < 50; i++)
      tide_finalizer_add(m, tide_alloc(m, TIDE_LAYOUT_LEAF, 64), finalizer, NULL);
    CHECK(tide_collect(m) == TIDE_OK && tide_finalizers_pending(heap) > 0);
  }
  awaited = ways[way].awaited;
  tide_heap_on_event(heap, event, NULL);
}

static __attribute__((noinline)) void call_and_leave(size_t way) {
  armed = true;
  if (throws) {
    try {
      ways[way].call();
    } catch (int) {
    }
  } else if (setjmp(target) == 0) {
    ways[way].call();
  }
}

static void misbehave(const void *way_and_sequel) {
  const size_t *numbers = (const size_t *)way_and_sequel;
  alarm(60);
  open_heap(numbers[0]);
  call_and_leave(numbers[0]);
  CHECK(!armed);
  sequels[numbers[1]]();
}

static void expect_told(size_t way, size_t sequel) {
  static char said[SAID_MOST];
  const size_t numbers[] = {way, sequel};
  int status = child_says(misbehave, numbers, said);
  bool good = WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && strstr(said, ways[way].said) &&
              strstr(said, "did not return");
  if (good) return;
  fprintf(stderr, "%s left by %s, sequel %zu: status %#x, said: %s\n", ways[way].said,
          throws ? "an exception" : "longjmp", sequel, (unsigned)status, said);
  exit(1);
}

/* ---- Functions that return ---- */

static ucontext_t outside, inside;
static int turns;

/* Leaves the finalizer's stack for a while, for a place above it, and comes back. */
static void wandering(void *, void *) {
  tide_alloc(m, TIDE_LAYOUT_LEAF, 4000);
  tide_stack_switch(m, NULL);
  swapcontext(&inside, &outside);
  tide_alloc(m, TIDE_LAYOUT_LEAF, 4000);
  turns++;
}

static void fiber() {
  CHECK(tide_finalizers_run(m, 1) == 1);
  tide_stack_switch(m, NULL);
  swapcontext(&inside, &outside);
}

static void expect_no_complaint() {
  static char stack[256 * 1024] __attribute__((aligned(16)));
  open_heap(1);
  tide_detach(m);
  CHECK(m = tide_attach(heap, NULL, NULL));
  struct tide_fiber_stack *f = tide_stack_register(m, stack, stack + sizeof stack, NULL);
  CHECK(f);
  for (int i = 0; i < 50; i++)
    tide_finalizer_add(m, tide_alloc(m, TIDE_LAYOUT_LEAF, 64), wandering, NULL);
  CHECK(tide_collect(m) == TIDE_OK && tide_finalizers_pending(heap) > 0);
  getcontext(&inside);
  inside.uc_stack.ss_sp = stack;
  inside.uc_stack.ss_size = sizeof stack;
  makecontext(&inside, fiber, 0);
  for (int i = 0; i < 2; i++) {
    CHECK(tide_stack_switch(m, f) == TIDE_OK);
    swapcontext(&outside, &inside);
    allocate(); /* the finalizer has not returned in the first turn */
    CHECK(tide_collect(m) == TIDE_OK);
  }
  CHECK(turns == 1);
  CHECK(tide_stack_unregister(m, f) == TIDE_OK);
  heap_end(heap, m);
}

int main() {
  for (int by = 0; by < 2; by++) {
    throws = by;
    for (size_t way = 0; way < sizeof ways / sizeof *ways; way++)
      for (size_t sequel = 0; sequel < sizeof sequels / sizeof *sequels; sequel++)
        expect_told(way, sequel);
  }
  expect_no_complaint();
  return 0;
}
