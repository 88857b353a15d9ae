/* SPDX-License-Identifier: MIT */
/* May the calling thread use this mutator, here and now? And noticing that a function of the
 * embedder was left by longjmp or an exception.
 *
 * The caller of such a function keeps a struct td_call in its own frame meanwhile. The structure is
 * full of words that only this call can have written. As long as the function runs, it runs below
 * that frame, and the words stay. Once the frame is gone, the thread either stands above it, or
 * other frames have taken its place and overwritten some of the words. Both are found out at the
 * thread's next call into the library, and a correct program shows neither. A frame that is gone is
 * missed only where the frames in its place have left every one of the words alone. */
#ifndef TD_GC_CHECK_CALLER_CHECK_H
#define TD_GC_CHECK_CALLER_CHECK_H

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

/* ---- May it? Each reports a misuse of the `function` named when it returns false, and aborts with
 * a message if the thread has left a function of the embedder that must return ---- */

/* What most calls come to: nothing is wrong, and one look at the thread's own data tells. */
static inline bool td_mutator_is_well(const struct tide_mutator *mutator,
                                      const struct td_self *self) {
  return mutator && mutator->thread == self && mutator->heap && !mutator->blocking_depth &&
         !self->worlds && !self->call.at;
}

/* Returns true if this is an attached mutator of the calling thread. */
bool td_mutator_check(const struct tide_mutator *mutator, const char *function);

/* The same, outside of callbacks of collections, of any heap. These have read the mutator's
 * structures already, and a mutator of another heap counts as standing still meanwhile. */
bool td_mutator_may_wait(const struct tide_mutator *mutator, const char *function);

/* Asks one thing after the other, and says what is wrong. */
bool td_mutator_may_act_slow(const struct tide_mutator *mutator, const char *function);
/* As td_mutator_may_wait, and outside of blocking sections. In a section, a collection may read the
 * mutator's structures at any moment. */
static inline bool td_mutator_may_act(const struct tide_mutator *mutator, const char *function) {
  return TIDE_LIKELY(td_mutator_is_well(mutator, td_self())) ||
         td_mutator_may_act_slow(mutator, function);
}

/* What a function answers that is refused: NULL is a wrong argument. */
static inline enum tide_status td_refusal(const struct tide_mutator *mutator) {
  return mutator ? TIDE_ERROR_STATE : TIDE_ERROR_ARGUMENT;
}

/* May the thread look at objects? With an attached mutator of its own outside of blocking sections;
 * or, in a callback of a collection, with any mutator of the heap that is collected. */
bool td_mutator_may_look(const struct tide_mutator *mutator, const char *function);

/* Returns true on a thread that holds the world of any heap, and on marking threads of any heap.
 * These are the threads on which trace functions, root callbacks, events of a collection and visits
 * are called. They must not wait for a lock of gc, of any heap: the thread that holds that lock may
 * wait for the collection. Nor may they use a mutator of another heap: as long as the world stands
 * still, those count as standing still too (td_world_stop). */
bool td_in_callback(void);

/* Returns true if it is a collection of this heap whose callback the thread is in. */
bool td_inside_collection(struct tide_heap *heap);

#endif
