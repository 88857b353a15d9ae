/* Where stacks begin. */
#include "bdwgc/threads/stack.h"

#include <pthread.h>

#include "bdwgc/state.h"

EXPORT char *GC_stackbottom;

/* Where the first thread's stack began. The C library would read the list of all mappings for it.
 */
extern void *__libc_stack_end __attribute__((weak));

/* No other stack is so near. After a fork in another thread it is that one's stack we are on. */
#define NEAR_BYTES ((uintptr_t)1 << 20)

static bool is_on_first_stack(void) {
  return &__libc_stack_end &&
         (uintptr_t)__libc_stack_end - (uintptr_t)__builtin_frame_address(0) < NEAR_BYTES;
}

static TD_TLS void *known_bottom;

static void *own_bottom(void) {
  if (known_bottom) return known_bottom;
  if (is_on_first_stack()) return known_bottom = __libc_stack_end;
  pthread_attr_t attributes;
  void *low = NULL;
  size_t bytes = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0)
    td_bdwgc_die("GC_get_stack_base: the system does not tell this thread's stack");
  pthread_attr_getstack(&attributes, &low, &bytes);
  pthread_attr_destroy(&attributes);
  return known_bottom = (char *)low + bytes;
}

EXPORT int GC_get_stack_base(struct GC_stack_base *base) {
  base->mem_base = own_bottom();
  return GC_SUCCESS;
}
static TD_TLS bool is_main;

void td_stack_start(void) {
  is_main = true;
  if (!GC_stackbottom) GC_stackbottom = own_bottom();
  td_bdwgc.stack_bottom = GC_stackbottom;
}

/* Returns false where the collector cannot be told. */
static bool tell(struct tide_mutator *mutator, char *bottom) {
  uintptr_t high = (uintptr_t)bottom & ~(uintptr_t)7;
  return tide_stack_set_other(td_bdwgc_self, mutator, NULL, (void *)high) == TIDE_OK;
}

void td_stack_notice(void) {
  if (!is_main || GC_stackbottom == td_bdwgc.stack_bottom) return;
  char *bottom = GC_stackbottom;
  if (tell(td_bdwgc_self, bottom)) td_bdwgc.stack_bottom = bottom;
}

/* ---- Stacks that a program names for any thread. Its handles are mutators ---- */

/* The one that GC_stackbottom is about, once it has asked for its handle. */
static struct tide_mutator *_Atomic main_handle;

EXPORT void *GC_get_my_stackbottom(struct GC_stack_base *base) {
  td_bdwgc_start();
  base->mem_base = is_main ? GC_stackbottom : tide_stack_own_high(td_bdwgc_self);
  /* relaxed: the handle gets to other threads by the program's own means. */
  if (is_main) atomic_store_explicit(&main_handle, td_bdwgc_self, memory_order_relaxed);
  return td_bdwgc_self;
}

static bool is_of_main(const struct tide_mutator *mutator) {
  if (mutator == td_bdwgc_self) return is_main;
  /* relaxed: as in GC_get_my_stackbottom. */
  return mutator == atomic_load_explicit(&main_handle, memory_order_relaxed);
}

/* Programs call it with the allocation lock held, and in GC_push_other_roots for all threads. */
EXPORT void GC_set_stackbottom(void *thread, const struct GC_stack_base *base) {
  td_bdwgc_start();
  struct tide_mutator *mutator = thread ? thread : td_bdwgc_self;
  if (!tell(mutator, base->mem_base))
    td_bdwgc_die("GC_set_stackbottom: in GC_do_blocking or a callback, or %p is no handle", thread);
  if (is_of_main(mutator)) td_bdwgc.stack_bottom = GC_stackbottom = base->mem_base;
}
EXPORT void *GC_call_with_stack_base(GC_stack_base_func call, void *data) {
  struct GC_stack_base base = {__builtin_frame_address(0)};
  void *result = call(&base, data);
  __asm__ volatile("" ::: "memory"); /* not a tail call: the frame must stay */
  return result;
}
