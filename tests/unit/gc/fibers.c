/* SPDX-License-Identifier: MIT */
/* Stacks that are not the thread's own. */
#include <sys/mman.h>
#include <ucontext.h>

#include "tests/unit/gc/young.h"

enum { STACK_BYTES = 256 * 1024 };

static struct fiber {
  struct world w;
  ucontext_t main, own;
  struct tide_fiber_stack *stack;
  char *memory;
  struct pair *old; /* no root: the stack of the thread has it, too */
  uint64_t turns;
} f;

static void fiber_begin(void (*run)(void), struct world w) {
  f.w = w;
  f.memory = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  cr_assert_neq(f.memory, MAP_FAILED);
  f.stack = tide_stack_register(f.w.m, f.memory, f.memory + STACK_BYTES, NULL);
  cr_assert_not_null(f.stack);
  getcontext(&f.own);
  f.own.uc_stack.ss_sp = f.memory;
  f.own.uc_stack.ss_size = STACK_BYTES;
  f.own.uc_link = &f.main;
  makecontext(&f.own, run, 0);
}

static void fiber_end(void) {
  cr_assert_eq(tide_stack_unregister(f.w.m, f.stack), TIDE_OK);
  cr_assert_eq(tide_stack_unregister(f.w.m, f.stack), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_stack_switch(f.w.m, f.stack), TIDE_ERROR_ARGUMENT);
  world_end(&f.w);
  munmap(f.memory, STACK_BYTES);
}

static void fiber_resume(void) {
  cr_assert_eq(tide_stack_switch(f.w.m, f.stack), TIDE_OK);
  swapcontext(&f.main, &f.own);
}

static void leave(void) {
  tide_stack_switch(f.w.m, NULL);
  swapcontext(&f.own, &f.main);
}

/* Nothing of their memory is touched: the world never stops. */
static struct tide_fiber_stack *register_at(struct tide_mutator *m, uintptr_t from, uintptr_t to) {
  struct tide_error error = {0};
  struct tide_fiber_stack *stack = tide_stack_register(m, (void *)from, (void *)to, &error);
  if (!stack) cr_assert_eq(error.status, TIDE_ERROR_STATE);
  return stack;
}

/* Two of three pages belong to a stack; they are registered in no order. */
Test(stack, overlaps_are_found_among_many) {
  enum { COUNT = 257, STEP = 100, PAGE = 4096, FIRST = 1 << 20, EACH = 3 * PAGE };
  struct world w = world_on_stack();
  struct tide_fiber_stack *stacks[COUNT];
  void *first = (void *)(uintptr_t)FIRST;
  cr_assert_null(tide_stack_register(w.m, first, first, NULL));
  cr_assert_null(tide_stack_register(w.m, NULL, first, NULL));
  for (uintptr_t i = 0, k = 0; i < COUNT; i++, k = (k + STEP) % COUNT) {
    stacks[k] = register_at(w.m, FIRST + k * EACH, FIRST + k * EACH + 2 * PAGE);
    cr_assert_not_null(stacks[k]);
  }
  for (uintptr_t k = 0; k < COUNT; k++) {
    const uintptr_t low = FIRST + k * EACH, high = low + 2 * PAGE;
    cr_assert_null(register_at(w.m, low - 8, low + 8));
    cr_assert_null(register_at(w.m, high - 8, high + 8));
    cr_assert_null(register_at(w.m, low + 8, high - 8));
    cr_assert_null(register_at(w.m, low - 2 * EACH, high + 2 * EACH));
    struct tide_fiber_stack *between = register_at(w.m, high, high + PAGE);
    cr_assert_not_null(between);
    cr_assert_eq(tide_stack_unregister(w.m, between), TIDE_OK);
  }
  for (uintptr_t k = 0; k < COUNT; k += 2)
    cr_assert_eq(tide_stack_unregister(w.m, stacks[k]), TIDE_OK);
  for (uintptr_t k = 0; k < COUNT; k++) {
    struct tide_fiber_stack *again = register_at(w.m, FIRST + k * EACH, FIRST + k * EACH + 8);
    cr_assert_eq(!again, k % 2);
  }
  world_end(&w);
}

enum { TURNS = 5 };

/* Has a young object, and a list that hangs from an old one, over young collections elsewhere. */
static void live(void) {
  for (uint64_t i = 0; i < TURNS; i++) {
    struct pair *volatile mine = pair_new(&f.w, NULL, NULL, 50 + i);
    tide_write(f.w.m, f.old, &f.old->left, pair_new(&f.w, f.old->left, NULL, i));
    if (i % 2) cr_assert_eq(tide_collect_young(f.w.m), TIDE_OK);
    leave();
    cr_assert_eq(mine->number, 50 + i);
    f.turns++;
  }
  leave();
}

Test(fibers, hold_young_objects) {
  fiber_begin(live, world_young_with(TIDE_STACK_CONSERVATIVE));
  struct pair *volatile old = f.old = pair_new(&f.w, NULL, NULL, 1);
  cr_assert_eq(tide_collect_young(f.w.m), TIDE_OK);
  for (uint64_t i = 0; i <= TURNS; i++) {
    fiber_resume();
    cr_assert_eq(f.turns, i);
    cr_assert_eq(tide_collect_young(f.w.m), TIDE_OK);
    for (unsigned k = 0; k < 5000; k++)
      pair_new(&f.w, NULL, NULL, 99); /* over what was reclaimed */
    uint64_t number = i < TURNS ? i + 1 : TURNS;
    for (const struct pair *at = old->left; at; at = at->left)
      cr_assert_eq(at->number, --number);
    cr_assert_eq(number, 0);
  }
  fiber_end();
}

enum { DEAD = 100 };

/* Leaves references on the stack, well below the frames that stay. A few more may lie near by. */
static __attribute__((noinline)) void litter(void) {
  void *volatile words[8192];
  for (int i = 0; i < 4096; i++)
    words[i] = i < DEAD ? tide_alloc(f.w.m, TIDE_LAYOUT_LEAF, 3000) : NULL;
  cr_assert_not_null(words[17]);
}

static void littering(void) {
  long *kept = (long *)tide_alloc(f.w.m, TIDE_LAYOUT_LEAF, sizeof *kept);
  *kept = 42;
  litter();
  leave();
  cr_assert_eq(*kept, 42);
  f.turns++;
  tide_stack_switch(f.w.m, NULL);
}

VISIT(count_dead) {
  *(int *)context += bytes >= 3000;
  return true;
}

Test(fibers, what_a_resting_fiber_no_longer_uses_keeps_nothing_alive) {
  fiber_begin(littering, world_on_stack());
  fiber_resume();
  for (int i = 0; i < 3; i++)
    cr_assert_eq(tide_collect(f.w.m), TIDE_OK);
  int count = 0;
  cr_assert_eq(tide_heap_walk(f.w.m, count_dead, &count), TIDE_OK);
  cr_assert_lt(count, DEAD / 10, "old words keep %d of %d", count, DEAD);
  for (int i = 0; i < 1000; i++)
    tide_alloc(f.w.m, TIDE_LAYOUT_LEAF, sizeof(long));
  fiber_resume();
  cr_assert_eq(f.turns, 1);
  fiber_end();
}

/* Somebody who makes a stack may leave a reference on it for the fiber's first turn. */
static void idle(void) {
  f.turns++;
}

Test(fibers, a_fiber_that_never_ran_is_looked_at_from_end_to_end) {
  fiber_begin(idle, world_on_stack());
  struct pair **low = (struct pair **)f.memory;
  *low = pair_new(&f.w, NULL, NULL, 4711);
  for (int i = 0; i < 3; i++) {
    tide_collect(f.w.m);
    for (int k = 0; k < 1000; k++)
      pair_new(&f.w, NULL, NULL, 1);
  }
  cr_assert_eq((*low)->number, 4711);
  cr_assert_eq(tide_object_bytes(f.w.heap, *low), 32);
  fiber_end();
}

static void guarded(void) {
  leave();
  f.turns++;
  tide_stack_switch(f.w.m, NULL);
}

/* The guard belongs to the registered part here, which is tolerated once the fiber has run. */
Test(fibers, a_guard_page_of_a_resting_fiber_is_not_read) {
  fiber_begin(guarded, world_on_stack());
  cr_assert_eq(mprotect(f.memory, (size_t)sysconf(_SC_PAGESIZE), PROT_NONE), 0);
  fiber_resume();
  cr_assert_eq(tide_collect(f.w.m), TIDE_OK);
  fiber_resume();
  cr_assert_eq(tide_collect(f.w.m), TIDE_OK);
  cr_assert_eq(f.turns, 1);
  fiber_end();
}

Test(fibers, one_that_ended_may_be_left_afterwards) {
  fiber_begin(idle, world_on_stack());
  fiber_resume(); /* comes back by uc_link */
  cr_assert_eq(tide_stack_switch(f.w.m, NULL), TIDE_OK);
  cr_assert_eq(tide_collect(f.w.m), TIDE_OK);
  cr_assert_eq(f.turns, 1);
  fiber_end();
}

static void entered_untold(void) {
  cr_assert_eq(tide_stack_switch(f.w.m, f.stack), TIDE_ERROR_STATE, "too late");
  f.turns++;
}

Test(fibers, one_must_be_announced_before_it_is_entered, .signal = TOLD) {
  fiber_begin(entered_untold, world_on_stack());
  swapcontext(&f.main, &f.own);
  cr_assert_eq(f.turns, 1);
  cr_assert_eq(tide_collect(f.w.m), TIDE_OK);
  fiber_end();
}

static void collects_untold(void) {
  tide_collect(f.w.m);
}

Test(fibers, a_collection_on_an_unknown_stack_is_told, .signal = SIGABRT) {
  fiber_begin(collects_untold, world_on_stack());
  swapcontext(&f.main, &f.own);
}
