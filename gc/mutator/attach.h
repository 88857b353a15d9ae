/* Threads attached to a heap. */
#ifndef TD_GC_MUTATOR_ATTACH_H
#define TD_GC_MUTATOR_ATTACH_H

#include "gc/base/state.h"

/* The calling thread's mutators, linked by thread_next. */
struct tide_mutator *td_thread_mutators(void);

/* Is this an attached mutator, and of the calling thread? If not, reports a misuse of the
 * function named. */
bool td_mutator_check(const struct tide_mutator *mutator, const char *function);

/* The same, and is it outside of blocking regions, where a collection may read its structures at
 * any moment? */
bool td_mutator_may_look(const struct tide_mutator *mutator, const char *function);

/* The same, and is it outside of collections and walks, which have read the mutator's structures
 * already? */
bool td_mutator_may_act(const struct tide_mutator *mutator, const char *function);

/* Around a call of the embedder's function from within an allocation, which may not allocate nor
 * detach. `held`, an object or 0, stays alive meanwhile. */
struct td_callback {
  struct td_local_root keep;
};
void td_mutator_begin_callback(struct tide_mutator *mutator, struct td_callback *call,
                               uintptr_t held, const char *name);
void td_mutator_end_callback(struct tide_mutator *mutator, const struct td_callback *call);

/* Has inlined code see the mutator's runs, or empty ones where it may not allocate. */
void td_mutator_show_runs(struct tide_mutator *mutator);

/* Gives the unused rests of all runs back. World stopped, or the owner detaching. */
void td_mutator_retire_runs(struct tide_mutator *mutator);

/* Adds what this mutator has allocated to the heap's count. */
void td_mutator_flush_counts(struct tide_mutator *mutator);

/* Fork, in the child: removes every mutator of the heap but keep. The world is stopped. */
void td_mutator_drop_others(struct tide_heap *heap, struct tide_mutator *keep);

/* At the end of a heap. */
void td_mutator_free_pools(struct tide_heap *heap);

#endif
