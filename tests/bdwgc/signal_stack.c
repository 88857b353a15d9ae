/* SPDX-License-Identifier: MIT */
/* Threads that stand in a handler with a stack of its own. Parts of bdwgc_semantics. */
#include "tests/bdwgc/semantics.h"

#include <signal.h>

#define STACK_BYTES ((size_t)64 << 10)

static _Atomic(bool) inside, may_leave;
static bool collects;

static char *text_object(const char *text) {
  return strcpy(GC_malloc_atomic(100), text);
}

static void on_signal(int number) {
  char *volatile mine = text_object("the handler's");
  inside = true;
  while (!may_leave)
    usleep(1000);
  if (collects) {
    collect();
    soil(3000, 100);
  }
  CHECK(!strcmp(mine, "the handler's"));
}

/* What the interrupted frames hold, near and far. */
static __attribute__((noinline)) void interrupt_below(int depth) {
  char *volatile mine = text_object("the interrupted thread's");
  if (depth > 0)
    interrupt_below(depth - 1);
  else
    raise(SIGUSR1);
  CHECK(!strcmp(mine, "the interrupted thread's"));
}

static void *interrupt(void *unused) {
  stack_t stack = {.ss_sp = malloc(STACK_BYTES), .ss_size = STACK_BYTES},
          none = {.ss_flags = SS_DISABLE};
  CHECK(stack.ss_sp && sigaltstack(&stack, NULL) == 0);
  interrupt_below(500);
  CHECK(sigaltstack(&none, NULL) == 0);
  free(stack.ss_sp);
  return unused;
}

static void *collect_meanwhile(void *unused) {
  while (!inside)
    usleep(100);
  for (int i = 0; i < 5; i++) {
    collect();
    soil(3000, 100);
  }
  may_leave = true;
  return unused;
}

/* In a thread of the program's, and in the first one, whose stack grows. */
PART(signal_stack) {
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
  CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
  for (int round = 0; round < 4; round++) {
    inside = may_leave = false;
    collects = round >= 2;
    pthread_t other = start(collect_meanwhile, NULL);
    if (round % 2)
      interrupt(NULL);
    else
      finish(start(interrupt, NULL));
    finish(other);
  }
}
