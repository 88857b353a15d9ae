/* SPDX-License-Identifier: MIT */
/* Noticing that a function of the embedder was left by longjmp or an exception.
 *
 * The caller of such a function keeps a struct td_call in its own frame meanwhile. The structure is
 * full of words that only this call can have written. As long as the function runs, it runs below
 * that frame, and the words stay. Once the frame is gone, the thread either stands above it, or
 * other frames have taken its place and overwritten some of the words. Both are found out at the
 * thread's next call into the library, and a correct program shows neither. A frame that is gone is
 * missed only where the frames in its place have left every one of the words alone. */
#ifndef TD_GC_CHECK_CALLER_CALL_H
#define TD_GC_CHECK_CALLER_CALL_H

#include "gc/threads/thread.h"

/* For the functions that keep one. AddressSanitizer would put it on a stack of its own, where
 * nothing overwrites it. */
#define TD_KEEPS_CALL __attribute__((no_sanitize("address"), noinline))

#define TD_CALL_WORDS 32u

struct td_call {
  uintptr_t words[TD_CALL_WORDS];
  struct td_open_call outer;
};

/* Around a call of an embedder's function. `name` says in messages what was called. The end aborts
 * if a call inside this one has not returned. */
void td_call_begin(struct td_call *call, const char *name);
void td_call_end(const struct td_call *call);

/* Aborts with a message if the innermost call was left. */
void td_call_check_open(const struct td_open_call *innermost);
static inline void td_call_check(const struct td_open_call *innermost) {
  if (__builtin_expect(innermost->at != NULL, 0)) td_call_check_open(innermost);
}

#endif
