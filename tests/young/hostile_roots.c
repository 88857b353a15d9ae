/* What threads of the hostile program do with roots and stacks. */
#include <sys/mman.h>
#include <ucontext.h>

#include "tests/young/hostile_work.h"

/* ---- Roots ---- */

void hostile_handles(struct at *at) {
  size_t scope = tide_scope_open(at->m);
  if (scope == SIZE_MAX) return;
  void **first = tide_handle(at->m, pick(at));
  for (unsigned i = 0; i < 40; i++) {
    void **handle = tide_handle(at->m, pick(at));
    if (handle) *handle = object_new(at->place, at->m, PAIR, 32);
  }
  size_t inner = tide_scope_open(at->m);
  void **second = tide_handle(at->m, object_new(at->place, at->m, TRACED, 64));
  if (below(at, 4) == 0) tide_collect_young(at->m);
  if (first) object_check(at->place, *first);
  if (second) object_check(at->place, *second);
  if (inner != SIZE_MAX && below(at, 2)) tide_scope_close(at->m, inner);
  must_be(tide_scope_unwind(at->m, scope) == TIDE_OK, "tide_scope_unwind");
}

static void call_back(struct tide_tracer *tracer, void *context) {
  struct at *at = context;
  tide_trace(tracer, *(void **)at->w->slots); /* a number, or NULL */
  tide_trace_range(tracer, at->mine->scratch, SCRATCH);
  if (may_misuse && tide_collect_young(at->m) != TIDE_ERROR_STATE) abort();
  if (may_misuse && tide_alloc(at->m, TIDE_LAYOUT_LEAF, 16)) abort();
  atomic_fetch_add_explicit(&hostile_counts.refused, 1, memory_order_relaxed);
}

/* Roots that come and go, of all kinds, over memory that is no stack. */
void hostile_roots(struct at *at) {
  void **words = calloc(64, sizeof *words);
  struct at *copy = malloc(sizeof *copy); /* not on the stack, which a forked child reuses */
  if (!words || !copy) abort();
  *copy = *at;
  must_be(tide_root_add_range(at->place->heap, words, 32) == TIDE_OK, "tide_root_add_range");
  must_be(tide_root_add_conservative(at->place->heap, words + 32, 256) == TIDE_OK,
          "tide_root_add_conservative");
  bool with_callback = tide_root_add_callback(at->place->heap, call_back, copy) == TIDE_OK;
  for (unsigned i = 0; i < 20; i++) {
    void *object = object_new(at->place, at->m, (enum shape)below(at, SHAPES), 32 + below(at, 90));
    words[below(at, 32)] = object;
    words[32 + below(at, 32)] = object ? (char *)object + below(at, 32) : NULL;
  }
  if (below(at, 4) == 0) tide_collect_young(at->m);
  for (unsigned i = 0; i < 32; i++)
    object_check(at->place, words[i]);
  for (unsigned i = 32; i < 64; i++)
    object_check(at->place, tide_object_find(at->place->heap, words[i]));
  if (with_callback) tide_root_remove_callback(at->place->heap, call_back, copy);
  must_be(tide_root_remove_range(at->place->heap, words) == TIDE_OK, "tide_root_remove_range");
  tide_root_remove_conservative(at->place->heap, words + 32);
  free(words);
  free(copy);
}

void hostile_pins(struct at *at) {
  void *object = object_new(at->place, at->m, REFS, 64);
  if (!object || tide_object_pin(at->m, object) != TIDE_OK) return;
  uintptr_t hidden = ~(uintptr_t)object;
  object = NULL;
  if (below(at, 4) == 0) tide_collect_young(at->m);
  object = (void *)~hidden;
  object_check(at->place, object);
  slot_set(at->m, object, object_slot(at->place, object, 0), pick(at));
  if (below(at, 2)) tide_collect_young(at->m);
  must_be(tide_object_unpin(at->m, object) == TIDE_OK, "tide_object_unpin");
}

/* ---- Stacks ---- */

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
void hostile_fiber(struct at *at) {
  pick(at);
}
#else
#define STACK_BYTES ((size_t)128 << 10)
static _Thread_local struct {
  struct at *at;
  ucontext_t here, there;
} fibers;

static void on_fiber(void) {
  struct at *at = fibers.at;
  void *kept[8];
  for (unsigned i = 0; i < 8; i++)
    kept[i] = object_new(at->place, at->m, (enum shape)below(at, SHAPES), some_bytes(at));
  hostile_make(at);
  tide_stack_switch(at->m, NULL);
  swapcontext(&fibers.there, &fibers.here);
  for (unsigned i = 0; i < 8; i++)
    object_check(at->place, kept[i]);
  tide_stack_switch(at->m, NULL);
  swapcontext(&fibers.there, &fibers.here);
}

/* A thread with a stack of its own, left and entered again with a collection in between. */
void hostile_fiber(struct at *at) {
  if (at->w->kind != POLLS) return;
  struct at alone = *at;
  void *low = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (low == MAP_FAILED) return;
  struct tide_fiber_stack *stacks[HEAPS];
  for (unsigned i = 0; i < HEAPS; i++)
    stacks[i] = tide_stack_register(at->w->m[i], low, (char *)low + STACK_BYTES, NULL);
  fibers.at = &alone;
  getcontext(&fibers.there);
  fibers.there.uc_stack = (stack_t){.ss_sp = low, .ss_size = STACK_BYTES};
  makecontext(&fibers.there, on_fiber, 0);
  for (unsigned turn = 0; turn < 2; turn++) {
    for (unsigned i = 0; i < HEAPS; i++)
      tide_stack_switch(at->w->m[i], stacks[i]);
    swapcontext(&fibers.here, &fibers.there);
    tide_stack_switch(at->w->m[1 - at->number], NULL);
    hostile_make(at);
    if (below(at, 4) == 0) tide_collect_young(at->m);
  }
  for (unsigned i = 0; i < HEAPS; i++)
    must_be(tide_stack_unregister(at->w->m[i], stacks[i]) == TIDE_OK, "tide_stack_unregister");
  munmap(low, STACK_BYTES);
}
#endif
