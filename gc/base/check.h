/* May the calling thread use this mutator, here and now? Each function reports a misuse of the
 * `function` named when it returns false. */
#ifndef TD_GC_BASE_CHECK_H
#define TD_GC_BASE_CHECK_H

#include "gc/base/state.h"

/* Returns true if this is an attached mutator of the calling thread. */
bool td_mutator_check(const struct tide_mutator *mutator, const char *function);

/* The same, outside of blocking regions. In a region, a collection may read the mutator's
 * structures at any moment. */
bool td_mutator_may_look(const struct tide_mutator *mutator, const char *function);

/* The same, outside of collections and walks too. These have read the mutator's structures
 * already. */
bool td_mutator_may_act(const struct tide_mutator *mutator, const char *function);

#endif
