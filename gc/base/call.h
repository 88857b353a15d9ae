/* Noticing that a function of the embedder was left by longjmp or an exception.
 *
 * The caller of such a function keeps a struct td_call in its own frame meanwhile. The structure is
 * full of words that only this call can have written. As long as the function runs, it runs below
 * that frame, and the words stay. Once the frame is gone, the thread either stands above it, or
 * other frames have taken its place and overwritten some of the words. Both are found out at the
 * thread's next call into the library, and a correct program shows neither. A frame that is gone is
 * missed only where the frames in its place have left every one of the words alone. */
#ifndef TD_GC_BASE_CALL_H
#define TD_GC_BASE_CALL_H

#include <stddef.h>
#include <stdint.h>

/* For the functions that keep one. AddressSanitizer would put it on a stack of its own, where
 * nothing overwrites it. */
#define TD_KEEPS_CALL __attribute__((no_sanitize("address"), noinline))

#define TD_CALL_WORDS 32u

struct td_call;

/* The innermost call of a thread. A copy of what must be known when the frame is gone. */
struct td_open_call {
  struct td_call *at;  /* NULL: there is none */
  const char *name;    /* of what was called, for the message */
  uintptr_t low, high; /* the stack that *at lies on; both 0 if that is not known */
};

struct td_call {
  uintptr_t words[TD_CALL_WORDS];
  struct td_open_call outer;
};

/* The embedder's function is about to be called. */
void td_call_begin(struct td_open_call *innermost, struct td_call *call,
                   const struct td_open_call *fresh);
/* It has returned. Aborts if a call inside it has not. */
void td_call_end(struct td_open_call *innermost, const struct td_call *call);

/* Aborts with a message if the innermost call was left. */
void td_call_check_open(const struct td_open_call *innermost);
static inline void td_call_check(const struct td_open_call *innermost) {
  if (__builtin_expect(innermost->at != NULL, 0)) td_call_check_open(innermost);
}

#endif
