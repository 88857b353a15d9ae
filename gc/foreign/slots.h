/* Weak slots in place, in a collection. The finalizers' lock is held. */
#ifndef TD_GC_FOREIGN_SLOTS_H
#define TD_GC_FOREIGN_SLOTS_H

#include "gc/state/heap.h"

/* Clears and forgets the slots of this kind whose target is unmarked. */
void td_slots_clear(struct tide_heap *heap, enum tide_weak_kind kind);
/* Nothing more will be marked: forgets the slots that lie in unmarked objects. */
void td_slots_forget(struct tide_heap *heap);

#endif
