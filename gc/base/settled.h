/* The list of objects that have one finalizer of their own. Under the finalizers' lock. */
#ifndef TD_GC_BASE_SETTLED_H
#define TD_GC_BASE_SETTLED_H

#include "gc/base/state.h"

void td_settled_deinit(struct td_set_finalizers *set);
/* Adds the object, or replaces number `at`, which is TD_TABLE_NONE for a new one. Returns false if
 * there is no memory. */
bool td_settled_put(struct td_set_finalizers *set, size_t at,
                    const struct td_set_finalizer *finalizer, uintptr_t context);
/* Removes number `at`; the last one takes its place. Allocates nothing. */
void td_settled_forget(struct td_set_finalizers *set, size_t at);

#endif
