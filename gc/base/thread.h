/* The calling thread and its mutators. */
#ifndef TD_GC_BASE_THREAD_H
#define TD_GC_BASE_THREAD_H

#include "gc/base/state.h"

/* An address that stands for the calling thread for as long as it lives. */
const void *td_thread_identity(void);

/* The calling thread's mutators of all heaps, linked by thread_next. */
struct tide_mutator *td_thread_mutators(void);
void td_thread_add(struct tide_mutator *mutator);
/* The mutator must be one of them. */
void td_thread_remove(struct tide_mutator *mutator);

/* Returns true on the thread that holds the world of this heap, and on its marking threads. These
 * are the threads on which trace functions, root callbacks, events and visits are called. They
 * must not wait for the locks of gc. */
bool td_inside_collection(struct tide_heap *heap);

#endif
