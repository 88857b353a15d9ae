/* SPDX-License-Identifier: MIT */
/* Programs that switch stacks and tell only where the one lies that they run on. */
#include <ucontext.h>

#include "tests/unit/gc/common.h"
#include "tide/dropin.h"

enum { STACK_BYTES = 256 << 10 };

static struct world w;
static ucontext_t home, away;
static char *stack;

static __attribute__((noinline)) void build_and_collect(void) {
  struct pair *volatile kept = pair_new(&w, NULL, NULL, 77);
  for (int i = 0; i < 1000; i++)
    pair_new(&w, NULL, NULL, 1);
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  for (int i = 0; i < 1000; i++)
    pair_new(&w, NULL, NULL, 2);
  cr_assert_eq(kept->number, 77);
}

static void run_with_low(void) {
  cr_assert_eq(tide_stack_set_own(w.m, stack, stack + STACK_BYTES), TIDE_OK);
  build_and_collect();
}

static void run_without_low(void) {
  cr_assert_eq(tide_stack_set_own(w.m, NULL, stack + STACK_BYTES), TIDE_OK);
  build_and_collect();
}

static void visit(void (*run)(void), enum tide_stop stop) {
  w = world_on_stack();
  cr_assert_eq(tide_detach(w.m), TIDE_OK);
  w.m = mutator_of(w.heap, TIDE_STACK_CONSERVATIVE, stop);
  stack = aligned_alloc(4096, STACK_BYTES);
  for (int i = 0; i < 3; i++) {
    getcontext(&away);
    away.uc_stack.ss_sp = stack;
    away.uc_stack.ss_size = STACK_BYTES;
    away.uc_link = &home;
    makecontext(&away, run, 0);
    swapcontext(&home, &away);
    void *above = (char *)__builtin_frame_address(0) + 256;
    cr_assert_eq(tide_stack_set_own(w.m, NULL, above), TIDE_OK);
    build_and_collect();
  }
  world_end(&w);
  free(stack);
}

static struct tide_mutator *attach_at(void *own_high, enum tide_stack kind,
                                      struct tide_error *error) {
  struct tide_attach_options options;
  tide_attach_options_init(&options);
  options.stack = kind;
  options.stop = kind == TIDE_STACK_PRECISE ? TIDE_STOP_POLL : TIDE_STOP_SIGNAL;
  options.own_high = own_high;
  return tide_attach(w.heap, &options, error);
}

static void attach_there(void) {
  struct tide_error error;
  cr_assert_eq(tide_detach(w.m), TIDE_OK);
  cr_assert_null(attach_at(stack + STACK_BYTES - 1, TIDE_STACK_CONSERVATIVE, &error));
  cr_assert_eq(error.status, TIDE_ERROR_ARGUMENT);
  cr_assert_null(attach_at(stack + STACK_BYTES, TIDE_STACK_PRECISE, &error));
  cr_assert_eq(error.status, TIDE_ERROR_ARGUMENT);
  w.m = attach_at(stack + STACK_BYTES, TIDE_STACK_CONSERVATIVE, &error);
  cr_assert(w.m, "%s", error.text);
  build_and_collect();
}

Test(own_stack, lies_where_the_program_says_and_may_have_an_unknown_end) {
  visit(run_with_low, TIDE_STOP_POLL);
  visit(run_without_low, TIDE_STOP_POLL);
  visit(run_with_low, TIDE_STOP_SIGNAL);
  visit(run_without_low, TIDE_STOP_SIGNAL);
}

Test(own_stack, is_where_the_thread_attaches) {
  visit(attach_there, TIDE_STOP_SIGNAL);
}

Test(own_stack, refuses_what_makes_no_sense) {
  w = world_new();
  char words[64] __attribute__((aligned(16)));
  cr_assert_eq(tide_stack_set_own(w.m, NULL, words + 64), TIDE_ERROR_STATE, "a precise stack");
  world_end(&w);
  w = world_on_stack();
  cr_assert_eq(tide_stack_set_own(w.m, words + 64, words), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_stack_set_own(w.m, words + 1, words + 64), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_stack_set_own(w.m, NULL, NULL), TIDE_ERROR_ARGUMENT);
  world_end(&w);
}

Test(own_stack, of_another_thread_refuses_what_makes_no_sense) {
  w = world_new();
  struct world other = world_new();
  char *high = (char *)((uintptr_t)__builtin_frame_address(0) & ~(uintptr_t)7);
  cr_assert_eq(tide_stack_set_other(NULL, w.m, NULL, high), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_stack_set_other(w.m, NULL, NULL, high), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_stack_set_other(w.m, other.m, NULL, high), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_stack_set_other(w.m, w.m, NULL, NULL), TIDE_ERROR_ARGUMENT);
  cr_assert_eq(tide_stack_set_other(w.m, w.m, NULL, high), TIDE_ERROR_STATE, "a precise stack");
  cr_assert_null(tide_stack_own_high(w.m));
  world_end(&other);
  world_end(&w);
}
