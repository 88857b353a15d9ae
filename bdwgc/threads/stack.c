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

/* Of the stack that the system gave the calling thread. */
static TD_TLS char *known_bottom;
static TD_TLS uintptr_t known_low; /* about, of the first one */
static TD_TLS size_t known_bytes;  /* from there; the system may tell a little more of the first */

static char *own_bottom(void) {
  if (known_bottom) return known_bottom;
  if (is_on_first_stack()) {
    known_low = (uintptr_t)__libc_stack_end - NEAR_BYTES;
    known_bytes = 2 * NEAR_BYTES;
    return known_bottom = __libc_stack_end;
  }
  pthread_attr_t attributes;
  void *low = NULL;
  size_t bytes = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0)
    td_bdwgc_die("GC_get_stack_base: the system does not tell this thread's stack");
  pthread_attr_getstack(&attributes, &low, &bytes);
  pthread_attr_destroy(&attributes);
  known_low = (uintptr_t)low;
  known_bytes = bytes;
  return known_bottom = (char *)low + bytes;
}

EXPORT int GC_get_stack_base(struct GC_stack_base *base) {
  base->mem_base = own_bottom();
  return GC_SUCCESS;
}

void td_stack_start(void) {
  td_stack_is_main = true;
  if (!GC_stackbottom) GC_stackbottom = own_bottom();
}

static void *aligned(char *bottom) {
  return (void *)((uintptr_t)bottom & ~(uintptr_t)7);
}

void *td_stack_elsewhere(char *bottom) {
  if (td_stack_is_main) td_stack_bottom = bottom = GC_stackbottom;
  if (!bottom) return NULL;
  (void)own_bottom();
  return (uintptr_t)bottom - known_low <= known_bytes ? NULL : aligned(bottom);
}

bool td_stack_tell(struct tide_mutator *mutator, char *bottom) {
  return tide_stack_set_other(td_bdwgc_self, mutator, NULL, aligned(bottom)) == TIDE_OK;
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
