/* SPDX-License-Identifier: MIT */
#include "gc/threads/mutator/resting.h"

#include "gc/threads/mutator/stacks.h"
#include "gc/threads/thread.h"
#include "platform/platform.h"

/* Looks at a stack that the collector searches; then sleeps in between, for it may have no CPU. */
#define SPINS 256u
#define SLEEP_NS UINT64_C(20000)

void td_resting_add(struct tide_heap *heap, struct tide_fiber_stack *stack) {
  struct td_resting *resting = heap->resting;
  /* relaxed: the lock carries it. */
  atomic_store_explicit(&stack->rest, resting->number, memory_order_relaxed);
  pthread_mutex_lock(&resting->lock);
  stack->after = resting->first;
  stack->before = NULL;
  if (stack->after) stack->after->before = stack;
  resting->first = stack;
  pthread_mutex_unlock(&resting->lock);
}

void td_resting_remove(struct tide_mutator *mutator, struct tide_fiber_stack *stack) {
  struct td_resting *resting = mutator->heap->resting;
  td_resting_enter(mutator, stack);
  pthread_mutex_lock(&resting->lock);
  if (resting->next == stack) resting->next = stack->after;
  if (stack->after) stack->after->before = stack->before;
  *(stack->before ? &stack->before->after : &resting->first) = stack->after;
  pthread_mutex_unlock(&resting->lock);
}

void td_resting_begin(struct tide_heap *heap) {
  struct td_resting *resting = heap->resting;
  resting->number += 2;
  for (struct tide_mutator *m = heap->world->mutators; m; m = m->next) {
    /* relaxed, both: the world is stopped. A handler's stack has interrupted the other one. */
    atomic_store_explicit(&m->running->rest, resting->number, memory_order_relaxed);
    if (m->running == &m->signal)
      atomic_store_explicit(&m->current->rest, resting->number, memory_order_relaxed);
  }
  pthread_mutex_lock(&resting->lock);
  resting->next = resting->first;
  pthread_mutex_unlock(&resting->lock);
}

/* Returns a stack that the caller is to search, or NULL. */
static struct tide_fiber_stack *claim_next(struct td_resting *resting) {
  struct tide_fiber_stack *claimed = NULL;
  pthread_mutex_lock(&resting->lock);
  while (resting->next && !claimed) {
    if (td_rest_claim(&resting->next->rest, resting->number)) claimed = resting->next;
    resting->next = resting->next->after;
  }
  pthread_mutex_unlock(&resting->lock);
  return claimed;
}

uint64_t td_resting_search(struct tide_heap *heap, struct td_root_list *list) {
  struct td_resting *resting = heap->resting;
  uint64_t marked = 0;
  td_root_list_clear(list);
  for (struct tide_fiber_stack *stack; (stack = claim_next(resting)) != NULL;) {
    if (!td_stacks_copy(heap, stack, list)) marked += td_stacks_mark(heap, stack);
    td_rest_end(&stack->rest, resting->number);
    (void)td_root_list_room(list); /* for the next one, while nobody waits for it */
  }
  return marked;
}

void td_resting_search_now(struct tide_mutator *mutator, struct tide_fiber_stack *stack) {
  const uint32_t number = mutator->heap->resting->number;
  if (td_rest_claim(&stack->rest, number)) {
    mutator->overwritten += td_stacks_mark(mutator->heap, stack);
    td_rest_end(&stack->rest, number);
  }
  for (unsigned i = 0; !td_rest_is_over(&stack->rest, number); i++) {
    if (i < SPINS)
      td_plat_pause();
    else
      td_plat_wait(&stack->rest, number - 1, SLEEP_NS);
  }
}
