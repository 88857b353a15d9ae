/* SPDX-License-Identifier: MIT */
/* The first thread's stack grows as far as the limit of the moment allows. A program that raises
 * the limit while it runs may stand far below the end that the stack had when the thread was
 * attached: in a collection, in a blocking section, and when it tells of a switch. */
#include <sys/mman.h>
#include <sys/resource.h>

#include "tests/stress/driver.h"

enum { FRAME = 4096, DEPTH = 6000 }; /* 24 MiB */
#define LIMIT ((rlim_t)64 << 20)

static struct tide_heap *heap;
static struct tide_mutator *m;
static struct tide_fiber_stack *other;

static void *collect(void *unused) {
  struct tide_mutator *mine = ATTACH(heap);
  for (int i = 0; i < 3; i++) {
    CHECK(tide_collect(mine) == TIDE_OK);
    for (int k = 0; k < 3000; k++)
      CHECK(tide_alloc(mine, TIDE_LAYOUT_LEAF, 16));
  }
  tide_detach(mine);
  return unused;
}

static void look_from_everywhere(void) {
  CHECK(tide_collect(m) == TIDE_OK);
  thread_end(m, thread_new(collect, NULL));
  CHECK(tide_stack_switch(m, other) == TIDE_OK);
  CHECK(tide_stack_switch(m, NULL) == TIDE_OK);
}

static __attribute__((noinline)) uint64_t recurse(uint64_t depth) {
  volatile char frame[FRAME];
  frame[0] = frame[FRAME - 1] = 0;
  uint64_t *volatile number = new_object(m, TIDE_LAYOUT_LEAF, sizeof *number);
  *number = depth;
  if (depth == 0)
    look_from_everywhere();
  else
    CHECK(recurse(depth - 1) == depth - 1);
  return *number + (uint64_t)frame[0];
}

int main(void) {
  struct rlimit limit;
  heap = HEAP();
  m = ATTACH(heap);
  static char stack[16384] __attribute__((aligned(16)));
  CHECK(other = tide_stack_register(m, stack, stack + sizeof stack, NULL));
  CHECK(getrlimit(RLIMIT_STACK, &limit) == 0);
  if (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < LIMIT) {
    limit.rlim_cur = LIMIT;
    if (setrlimit(RLIMIT_STACK, &limit) != 0) {
      fprintf(stderr, "a longer stack is not allowed here\n");
      return 77;
    }
  }
  CHECK(recurse(DEPTH) == DEPTH);
  heap_end(heap, m);
  return 0;
}
