/* SPDX-License-Identifier: MIT */
#include "gc/cycle/turn.h"

#include "gc/roots/set.h"
#include "gc/threads/stop/registers.h"
#include "gc/threads/stop/safe.h"
#include "gc/threads/stop/world.h"

#define LOOK_NS UINT64_C(200000)
/* Sources answer within microseconds; loading a library takes some milliseconds. */
#define ASKED_MOST_NS UINT64_C(20000000)

struct waiting {
  struct tide_heap *heap;
  uint64_t ns;
};

static void doze(void *argument) {
  const struct waiting *waiting = argument;
  td_thread_enter_safe(NULL);
  td_world_doze(waiting->heap, waiting->ns);
  td_thread_leave_safe(NULL);
}

void td_turn_wait(struct tide_heap *heap, uint64_t ns) {
  td_stack_call(doze, &(struct waiting){heap, ns});
}

/* A thread that has given up once does not wait again: the other one still asks. */
static bool asks_for_long(const struct tide_heap *heap) {
  /* relaxed: a hint. */
  uint64_t since = atomic_load_explicit(&heap->roots->asks_since_ns, memory_order_relaxed);
  return since && td_plat_now_ns() - since > ASKED_MOST_NS;
}

bool td_turn_take(struct tide_heap *heap, bool awaits_end) {
  /* relaxed: set before there are other threads. */
  if (!atomic_load_explicit(&heap->roots->may_wait, memory_order_relaxed)) {
    if (awaits_end)
      td_world_lock(heap);
    else
      td_world_lock_beside(heap);
    return true;
  }
  while (!td_world_try_lock(heap, awaits_end)) {
    if (asks_for_long(heap)) return false;
    td_turn_wait(heap, LOOK_NS);
  }
  return true;
}
