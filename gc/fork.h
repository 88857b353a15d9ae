/* All heaps of the process, for fork. */
#ifndef TD_GC_FORK_H
#define TD_GC_FORK_H

#include "gc/base/state.h"

/* false: the system refused to register fork handlers. */
bool td_registry_add(struct tide_heap *heap);
void td_registry_remove(struct tide_heap *heap);

#endif
