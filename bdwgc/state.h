/* What the files of the drop-in share: one heap, the calling thread, and ways to allocate.
 *
 * Everything here is one process's one collector, as with the library whose place it takes. */
#ifndef TD_BDWGC_STATE_H
#define TD_BDWGC_STATE_H

#include <stdatomic.h>

#include "bdwgc/types.h"
#include "tide/foreign.h"
#include "tide/tide.h"

/* Thread-local variables must not be allocated by a first use under the stop. */
#define TD_TLS _Thread_local __attribute__((tls_model("initial-exec")))

struct td_bdwgc {
  struct tide_heap *heap; /* NULL until td_bdwgc_start; constant then */
  size_t extra_bytes;     /* an object has so many more than asked for, so that a pointer one past
                             the end keeps it: 0 or 1 */
  char *stack_bottom;     /* GC_stackbottom as the collector knows it */
  _Atomic(uint8_t) slow;  /* why allocation goes the way round: TD_SLOW_… */
};
/* The layout of atomic objects, which hold whatever their memory held. It has this number because
 * td_bdwgc_start makes it before any other: where it is allocated the number is a constant. */
#define TD_LAYOUT_ATOMIC ((tide_layout)7)

/* Something waits for the next allocation: finalizers, a notifier. */
#define TD_SLOW_ONCE 1u
/* Each object is watched: leaks are being found. */
#define TD_SLOW_ALWAYS 2u
/* There was a debugging object: one that is not zeroed may lie where it was. */
#define TD_SLOW_GUARDS 4u
extern struct td_bdwgc td_bdwgc;
/* Where the main thread's stack begins. Programs with fibers write it when they switch. */
extern EXPORT char *GC_stackbottom;

/* The calling thread's mutator; NULL until it is registered. */
extern TD_TLS struct tide_mutator *td_bdwgc_self;

/* Creates the heap and registers the calling thread, unless that was done. */
void td_bdwgc_start_slow(void);
static inline void td_bdwgc_start(void) {
  if (!TIDE_LIKELY(td_bdwgc_self)) td_bdwgc_start_slow();
}
/* Registers the thread, which has no mutator, and returns the one it gets. */
struct tide_mutator *td_bdwgc_attach(void);
/* Returns the thread's mutator. A thread that nobody has registered is registered now. */
static inline struct tide_mutator *td_bdwgc_mutator(void) {
  return TIDE_LIKELY(td_bdwgc_self) ? td_bdwgc_self : td_bdwgc_attach();
}

/* The way round: starts, registers, runs finalizers, asks hooks. */
void *td_bdwgc_alloc_slow(size_t bytes, tide_layout layout);

/* Whether the thread, whose mutator is `self` or NULL, may allocate so much the short way. */
static inline bool td_bdwgc_goes_straight(const struct tide_mutator *self, size_t bytes) {
  /* relaxed: a hint; what waits has locks of its own. */
  return TIDE_LIKELY(self && bytes < TIDE_BUMP_INLINE_BYTES &&
                     !atomic_load_explicit(&td_bdwgc.slow, memory_order_relaxed) &&
                     GC_stackbottom == td_bdwgc.stack_bottom);
}

/* Returns `bytes` zeroed bytes and the extra one, or what the program's out-of-memory hook does. */
static inline void *td_bdwgc_alloc(size_t bytes, tide_layout layout) {
  struct tide_mutator *self = td_bdwgc_self;
  if (td_bdwgc_goes_straight(self, bytes)) {
    void *object = tide_alloc(self, layout, bytes + td_bdwgc.extra_bytes);
    if (TIDE_LIKELY(object)) return object;
  }
  return td_bdwgc_alloc_slow(bytes, layout);
}

/* One line on stderr, beginning with the library's name. */
void td_bdwgc_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same, handed to the program's abort hook first; ends the process. */
_Noreturn void td_bdwgc_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
