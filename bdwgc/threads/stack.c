/* SPDX-License-Identifier: MIT */
/* Where stacks begin. */
#include "bdwgc/threads/stack.h"

#include <pthread.h>

#include "bdwgc/say.h"
#include "tide/advanced.h"

EXPORT char *GC_stackbottom;
char *td_stack_bottom;
TD_TLS bool td_stack_is_main;

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

void td_stack_start(void) {
  td_stack_is_main = true;
  if (!GC_stackbottom) GC_stackbottom = own_bottom();
  td_stack_bottom = GC_stackbottom;
}

bool td_stack_tell(struct tide_mutator *mutator, char *bottom) {
  uintptr_t high = (uintptr_t)bottom & ~(uintptr_t)7;
  return tide_stack_set_other(td_bdwgc_self, mutator, NULL, (void *)high) == TIDE_OK;
}

void td_stack_notice(void) {
  if (!td_stack_is_main || GC_stackbottom == td_stack_bottom) return;
  char *bottom = GC_stackbottom;
  if (td_stack_tell(td_bdwgc_self, bottom)) td_stack_bottom = bottom;
}

EXPORT void *GC_call_with_stack_base(GC_stack_base_func call, void *data) {
  struct GC_stack_base base = {__builtin_frame_address(0)};
  void *result = call(&base, data);
  __asm__ volatile("" ::: "memory"); /* not a tail call: the frame must stay */
  return result;
}
