/* SPDX-License-Identifier: MIT */
/* Stacks that a program names for any thread. Its handles are mutators. */
#include <stdatomic.h>

#include "bdwgc/say.h"
#include "bdwgc/threads/stack.h"
#include "bdwgc/threads/start.h"

/* The one that GC_stackbottom is about, once it has asked for its handle. */
static struct tide_mutator *_Atomic main_handle;

EXPORT void *GC_get_my_stackbottom(struct GC_stack_base *base) {
  td_bdwgc_start();
  base->mem_base = td_stack_is_main ? GC_stackbottom : tide_stack_own_high(td_bdwgc_self);
  /* relaxed: the handle gets to other threads by the program's own means. */
  if (td_stack_is_main) atomic_store_explicit(&main_handle, td_bdwgc_self, memory_order_relaxed);
  return td_bdwgc_self;
}

static bool is_of_main(const struct tide_mutator *mutator) {
  if (mutator == td_bdwgc_self) return td_stack_is_main;
  /* relaxed: as in GC_get_my_stackbottom. */
  return mutator == atomic_load_explicit(&main_handle, memory_order_relaxed);
}

/* Programs call it with the allocation lock held, and in GC_push_other_roots for all threads. */
EXPORT void GC_set_stackbottom(void *thread, const struct GC_stack_base *base) {
  if (!td_bdwgc_heap) { /* what the program sets next may have to precede the start */
    GC_stackbottom = base->mem_base;
    return;
  }
  td_bdwgc_start();
  struct tide_mutator *mutator = thread ? thread : td_bdwgc_self;
  if (!td_stack_tell(mutator, base->mem_base))
    td_bdwgc_die("GC_set_stackbottom: in GC_do_blocking or a callback, or %p is no handle", thread);
  if (is_of_main(mutator)) td_stack_bottom = GC_stackbottom = base->mem_base;
}
