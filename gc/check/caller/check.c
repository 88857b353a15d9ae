/* SPDX-License-Identifier: MIT */
#include "gc/check/caller/check.h"

#include <stdio.h>
#include <stdlib.h>

#include "gc/state/error.h"

static uintptr_t word_at(const struct td_call *call, uint32_t index) {
  return ((uintptr_t)call + index) * (uintptr_t)0x9e3779b97f4a7c15u;
}

/* Reads a frame that may be another function's by now. */
static __attribute__((no_sanitize("address", "thread"), noinline)) bool
is_overwritten(const struct td_call *call) {
  for (uint32_t i = 0; i < TD_CALL_WORDS; i++)
    if (*(const volatile uintptr_t *)&call->words[i] != word_at(call, i)) return true;
  return false;
}

/* A thread that stands on another stack may have left this one for a while: a coroutine. */
static bool was_left(const struct td_open_call *innermost) {
  uintptr_t here = (uintptr_t)__builtin_frame_address(0), call = (uintptr_t)innermost->at;
  if (here < innermost->low || here >= innermost->high) return false;
  return here > call || is_overwritten(innermost->at);
}

static _Noreturn void complain(const struct td_open_call *innermost) {
  fprintf(stderr,
          "tidemark: %s did not return: it was left by longjmp, an exception or the end of its "
          "thread; functions that Tidemark calls must return\n",
          innermost->name);
  abort();
}

void td_call_check_open(const struct td_open_call *innermost) {
  if (was_left(innermost)) complain(innermost);
}

static bool holds(uintptr_t low, uintptr_t high, uintptr_t address) {
  return address >= low && address < high;
}

static struct td_open_call opened(const struct td_self *self, struct td_call *call,
                                  const char *name) {
  struct td_open_call open = {.at = call, .name = name};
  uintptr_t at = (uintptr_t)call;
  if (holds(self->stack.low, self->stack.high, at)) {
    open.low = self->stack.low;
    open.high = self->stack.high;
  }
  for (const struct tide_mutator *m = self->mutators; m; m = m->thread_next) {
    const struct tide_fiber_stack *fiber = m->current;
    if (fiber == &m->own || !holds(fiber->low, fiber->high, at)) continue;
    open.low = fiber->low;
    open.high = fiber->high;
  }
  return open;
}

void td_call_begin(struct td_call *call, const char *name) {
  struct td_self *self = td_self();
  call->outer = self->call;
  for (uint32_t i = 0; i < TD_CALL_WORDS; i++)
    call->words[i] = word_at(call, i);
  self->call = opened(self, call, name);
}

void td_call_end(const struct td_call *call) {
  struct td_self *self = td_self();
  if (self->call.at != call) complain(&self->call);
  self->call = call->outer;
}

/* ---- May it? ---- */

bool td_in_callback(void) {
  const struct td_self *self = td_self();
  td_call_check(&self->call);
  return self->worlds > 0 || self->tells || td_markers_is_helper();
}

bool td_inside_collection(struct tide_heap *heap) {
  /* relaxed: compared with our own identity, which only this thread stores there. */
  return atomic_load_explicit(&heap->world->holder, memory_order_relaxed) == td_self() ||
         td_markers_has_thread(heap->markers);
}

bool td_mutator_check(const struct tide_mutator *mutator, const char *function) {
  const struct td_self *self = td_self();
  td_call_check(&self->call);
  if (!mutator) {
    td_misuse("%s: the mutator is NULL", function);
  } else if (!mutator->heap) {
    td_misuse("%s: mutator %p is detached", function, (const void *)mutator);
  } else if (mutator->thread != self) {
    td_misuse("%s: mutator %p belongs to another thread%s", function, (const void *)mutator,
              td_markers_is_helper() ? " (called in a trace function)" : "");
  } else {
    return true;
  }
  return false;
}

bool td_mutator_may_wait(const struct tide_mutator *mutator, const char *function) {
  if (!td_mutator_check(mutator, function)) return false;
  if (!td_in_callback()) return true;
  td_misuse("%s in a trace function, root callback, event or visit", function);
  return false;
}

static bool outside_regions(const struct tide_mutator *mutator, const char *function) {
  if (mutator->blocking_depth == 0) return true;
  td_misuse("%s: mutator %p is in a blocking section", function, (const void *)mutator);
  return false;
}

bool td_mutator_may_act_slow(const struct tide_mutator *mutator, const char *function) {
  return td_mutator_may_wait(mutator, function) && outside_regions(mutator, function);
}

bool td_mutator_may_look(const struct tide_mutator *mutator, const char *function) {
  if (td_mutator_is_well(mutator, td_self())) return true;
  if (mutator && mutator->heap && td_in_callback() && td_inside_collection(mutator->heap))
    return true;
  return td_mutator_may_act(mutator, function);
}
