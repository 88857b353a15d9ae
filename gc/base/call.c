/* Words in frames that tell whether the frame is still there. */
#include "gc/base/call.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

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

void td_call_begin(struct td_open_call *innermost, struct td_call *call,
                   const struct td_open_call *fresh) {
  call->outer = *innermost;
  for (uint32_t i = 0; i < TD_CALL_WORDS; i++)
    *(volatile uintptr_t *)&call->words[i] = word_at(call, i);
  *innermost = *fresh;
  innermost->at = call;
}

void td_call_end(struct td_open_call *innermost, const struct td_call *call) {
  if (innermost->at != call) complain(innermost);
  *innermost = call->outer;
}
