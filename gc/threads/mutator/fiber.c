/* SPDX-License-Identifier: MIT */
/* Stacks that are not the thread's own: fibers and coroutines. */
#include "gc/threads/mutator/fiber.h"

#include <search.h>
#include <stdlib.h>

#include "gc/check/caller/check.h"
#include "gc/state/error.h"
#include "gc/threads/inside.h"
#include "gc/threads/mutator/resting.h"
#include "gc/threads/stop/registers.h"
#include "gc/threads/thread.h"

bool td_fibers_open(struct tide_mutator *mutator) {
  const struct td_stack_bounds *bounds = td_thread_stack();
  if (!bounds) return false;
  mutator->own =
      (struct tide_fiber_stack){.low = bounds->low, .high = bounds->high, .grows = bounds->grows};
  mutator->own.top = mutator->own.high;
  mutator->native = mutator->own;
  mutator->current = mutator->running = &mutator->own;
  mutator->fibers = NULL;
  return true;
}

/* Stacks that overlap compare as equal. Those in the tree do not, so that a search that goes past
 * one of them has passed none that overlaps. */
static int compare(const void *left, const void *right) {
  const struct tide_fiber_stack *a = left, *b = right;
  return a->high <= b->low ? -1 : b->high <= a->low;
}

static void forget(struct tide_mutator *mutator, struct tide_fiber_stack *stack) {
  if (mutator->stack_kind != TIDE_STACK_PRECISE) td_resting_remove(mutator, stack);
  (void)td_table_remove(&mutator->known, (uintptr_t)stack);
  (void)tdelete(stack, &mutator->by_address, compare);
  if (stack->next) stack->next->link = stack->link;
  *stack->link = stack->next;
  free(stack);
}

void td_fibers_close(struct tide_mutator *mutator) {
  while (mutator->fibers)
    forget(mutator, mutator->fibers);
  td_table_free(&mutator->known);
  if (mutator->stack_kind != TIDE_STACK_PRECISE) td_resting_remove(mutator, &mutator->own);
  mutator->current = mutator->running = &mutator->own;
}

/* Whatever the program passes: there may be ten thousand. */
static bool is_known(const struct tide_mutator *mutator, const struct tide_fiber_stack *stack) {
  return stack && td_table_get(&mutator->known, (uintptr_t)stack) != TD_TABLE_NONE;
}

/* Returns NULL without memory. */
static struct tide_fiber_stack *new_stack(struct tide_mutator *mutator, uintptr_t low,
                                          uintptr_t high) {
  struct tide_fiber_stack *stack = calloc(1, sizeof *stack);
  if (!stack) return NULL;
  stack->low = low;
  stack->high = stack->top = high;
  if (td_table_put(&mutator->known, (uintptr_t)stack, 0)) {
    if (tsearch(stack, &mutator->by_address, compare)) return stack;
    (void)td_table_remove(&mutator->known, (uintptr_t)stack);
  }
  free(stack);
  return NULL;
}

struct tide_fiber_stack *tide_stack_register(struct tide_mutator *mutator, void *low, void *high,
                                             struct tide_error *error) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  uintptr_t from = (uintptr_t)low, to = (uintptr_t)high;
  if (!td_mutator_may_act(mutator, "tide_stack_register")) {
    td_fail(error, mutator ? TIDE_ERROR_STATE : TIDE_ERROR_ARGUMENT,
            "tide_stack_register: not this thread's mutator");
    return NULL;
  }
  if (from == 0 || from % 8 || to % 8 || to <= from) {
    td_fail(error, TIDE_ERROR_ARGUMENT,
            "tide_stack_register: [%p, %p) is no stack: word-aligned bounds in order are needed",
            low, high);
    return NULL;
  }
  if (tfind(&(struct tide_fiber_stack){.low = from, .high = to}, &mutator->by_address, compare)) {
    td_fail(error, TIDE_ERROR_STATE, "tide_stack_register: [%p, %p) overlaps a registered stack",
            low, high);
    return NULL;
  }
  struct tide_fiber_stack *stack = new_stack(mutator, from, to);
  if (!stack) {
    td_fail(error, TIDE_ERROR_MEMORY, "tide_stack_register: out of memory");
    return NULL;
  }
  stack->link = &mutator->fibers;
  stack->next = mutator->fibers;
  if (stack->next) stack->next->link = &stack->next;
  mutator->fibers = stack;
  if (mutator->stack_kind != TIDE_STACK_PRECISE) td_resting_add(mutator->heap, stack);
  return stack;
}

TD_READS_STACKS enum tide_status tide_stack_switch(struct tide_mutator *mutator,
                                                   struct tide_fiber_stack *to) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!td_mutator_may_act(mutator, "tide_stack_switch")) return td_refusal(mutator);
  if (to && !is_known(mutator, to)) return TIDE_ERROR_ARGUMENT;
  struct tide_fiber_stack *from = mutator->current;
  from->left = mutator->stack_kind == TIDE_STACK_PRECISE ||
               td_stack_holds(from, (uintptr_t)__builtin_frame_address(0));
  if (!from->left && from == &mutator->own) {
    td_misuse("tide_stack_switch: mutator %p has left its thread's stack already; tell before",
              (void *)mutator);
    return TIDE_ERROR_STATE;
  }
  td_resting_enter(mutator, to ? to : &mutator->own);
  from->saved_count = 0;
  if (from->left)
    td_stack_describe_left(from, __builtin_dwarf_cfa()); /* else a fiber that has ended */
  mutator->current = to ? to : &mutator->own; /* its description is used once it is left again */
  return TIDE_OK;
}

enum tide_status tide_stack_unregister(struct tide_mutator *mutator,
                                       struct tide_fiber_stack *stack) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!td_mutator_may_act(mutator, "tide_stack_unregister")) return td_refusal(mutator);
  if (!is_known(mutator, stack)) return TIDE_ERROR_ARGUMENT;
  if (mutator->current == stack) return TIDE_ERROR_STATE;
  forget(mutator, stack);
  return TIDE_OK;
}

enum tide_status td_fibers_move_own(struct tide_mutator *mutator, uintptr_t low, uintptr_t high) {
  if (mutator->stack_kind == TIDE_STACK_PRECISE || mutator->current != &mutator->own)
    return TIDE_ERROR_STATE;
  /* A stack that grows from its very end reaches as far down as memory is mapped. */
  mutator->own.low = low ? low : high - 8;
  mutator->own.high = high;
  mutator->own.grows = low == 0;
  return TIDE_OK;
}

enum tide_status tide_stack_set_own(struct tide_mutator *mutator, void *low, void *high) {
  if (!td_mutator_may_act(mutator, "tide_stack_set_own")) return td_refusal(mutator);
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!td_are_bounds((uintptr_t)low, (uintptr_t)high)) return TIDE_ERROR_ARGUMENT;
  return td_fibers_move_own(mutator, (uintptr_t)low, (uintptr_t)high);
}
