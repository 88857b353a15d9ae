/* SPDX-License-Identifier: MIT */
/* What threads of the wild driver do with roots and stacks. */
#include <sys/mman.h>
#include <ucontext.h>

#include "tests/wild/wild.h"

/* ---- Roots ---- */

void wild_handles(struct at *at) {
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
  CHECK(tide_scope_unwind(at->m, scope) == TIDE_OK);
}

/* Memory that no stack is. A forked child keeps other threads'. */
struct extra {
  void *word[16];
  struct place *place;
};

static void tell(struct tide_root_list *list, void *context) {
  tide_root_report(list, context, sizeof((struct extra *)context)->word);
}
static void around(void (*stop)(void *argument), void *argument, void *context) {
  const struct extra *extra = context;
  if (((uintptr_t)extra->word[15] & 15) != 3) stop(argument);
}
static void call_back(struct tide_tracer *tracer, void *context) {
  const struct extra *extra = context;
  struct tide_mutator *m = tide_current(extra->place->heap);
  tide_trace_range(tracer, extra->word, 15);
  if (!may_misuse || !m) return;
  CHECK(tide_collect_young(m) == TIDE_ERROR_STATE && !tide_alloc(m, TIDE_LAYOUT_LEAF, 16));
}

/* Roots that come and go, of all kinds. */
void wild_roots(struct at *at) {
  struct tide_heap *heap = at->place->heap;
  struct extra *extra = calloc(1, sizeof *extra);
  CHECK(extra);
  extra->place = at->place;
  struct tide_root_source source = {below(at, 2) ? tell : NULL, tell, extra,
                                    below(at, 2) ? around : NULL};
  unsigned how = below(at, 4);
  enum tide_status status = how == 0   ? tide_root_add_range(heap, extra->word, 16)
                            : how == 1 ? tide_root_add_conservative(heap, extra->word, 128)
                            : how == 2 ? tide_root_add_callback(heap, call_back, extra)
                                       : tide_root_add_source(heap, &source);
  CHECK(status == TIDE_OK);
  for (unsigned i = 0; i < 15; i++) {
    char *object = object_new(at->place, at->m, (enum shape)below(at, SHAPES), 32 + below(at, 600));
    extra->word[i] = object && how == 1 ? object + below(at, 32) : object;
  }
  wild_collect(at);
  for (unsigned i = 0; i < 15; i++) {
    void *object = tide_object_find(heap, extra->word[i]);
    CHECK(!extra->word[i] == !object);
    object_check(at->place, object);
  }
  status = how == 0   ? tide_root_remove_range(heap, extra->word)
           : how == 1 ? tide_root_remove_conservative(heap, extra->word)
           : how == 2 ? tide_root_remove_callback(heap, call_back, extra)
                      : tide_root_remove_source(heap, &source);
  CHECK(status == TIDE_OK);
  free(extra);
}

void wild_pins(struct at *at) {
  void *object = object_new(at->place, at->m, REFS, 64);
  if (!object || tide_object_pin(at->m, object) != TIDE_OK) return;
  uintptr_t hidden = ~(uintptr_t)object;
  object = NULL;
  if (below(at, 4) == 0) tide_collect_young(at->m);
  object = (void *)~hidden;
  object_check(at->place, object);
  slot_set(at->m, object, object_slot(at->place, object, 0), pick(at));
  if (below(at, 2)) tide_collect_young(at->m);
  CHECK(tide_object_unpin(at->m, object) == TIDE_OK);
}

/* ---- Stacks ---- */

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
void wild_fiber(struct at *at) {
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
  wild_make(at);
  tide_stack_switch(at->m, NULL);
  swapcontext(&fibers.there, &fibers.here);
  for (unsigned i = 0; i < 8; i++)
    object_check(at->place, kept[i]);
  tide_stack_switch(at->m, NULL);
  swapcontext(&fibers.there, &fibers.here);
}

static void switch_all(struct at *at, struct tide_fiber_stack *const *stacks) {
  for (unsigned i = 0; i < PLACES; i++)
    if (at->w->seat[i].place && (stacks || &at->w->seat[i] != at->seat))
      tide_stack_switch(at->w->seat[i].m, stacks ? stacks[i] : NULL);
}

/* A thread with a stack of its own, left and entered again with a collection in between. */
void wild_fiber(struct at *at) {
  if (at->w->kind != POLLS) return;
  struct at alone = *at;
  void *low = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (low == MAP_FAILED) return;
  struct tide_fiber_stack *stacks[PLACES];
  for (unsigned i = 0; i < PLACES; i++)
    if (at->w->seat[i].place)
      stacks[i] = tide_stack_register(at->w->seat[i].m, low, (char *)low + STACK_BYTES, NULL);
  fibers.at = &alone;
  getcontext(&fibers.there);
  fibers.there.uc_stack = (stack_t){.ss_sp = low, .ss_size = STACK_BYTES};
  makecontext(&fibers.there, on_fiber, 0);
  for (unsigned turn = 0; turn < 2; turn++) {
    switch_all(at, stacks);
    swapcontext(&fibers.here, &fibers.there);
    switch_all(at, NULL);
    wild_make(at);
    if (below(at, 4) == 0) tide_collect_young(at->m);
  }
  for (unsigned i = 0; i < PLACES; i++)
    if (at->w->seat[i].place) CHECK(tide_stack_unregister(at->w->seat[i].m, stacks[i]) == TIDE_OK);
  munmap(low, STACK_BYTES);
}
#endif
