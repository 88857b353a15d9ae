/* SPDX-License-Identifier: MIT */
#include "gc/alloc/dead.h"

#include "gc/check/caller/check.h"
#include "gc/threads/inside.h"
#include "gc/threads/mutator/callback.h"
#include "heap/reclaim.h"

#define NAME "a function of tide_layout_on_reclaim"

/* The program frees memory, for which it may need a lock that a thread stopped by a signal has: so
 * this one may be stopped, too. */
static void tell_of(struct tide_mutator *mutator, uint32_t block) {
  struct td_outside outside = td_outside_begin(mutator);
  td_reclaim_tell(&mutator->heap->space, block);
  td_outside_end(mutator, outside);
}

TD_KEEPS_CALL bool td_dead_tell(struct tide_mutator *mutator, size_t most) {
  struct td_space *space = &mutator->heap->space;
  if (!td_dead_wait(mutator->heap)) return false;
  struct td_call call;
  td_quiet_call_begin(&call, NAME);
  bool any = false;
  mutator->tells_dead = true;
  for (uint32_t block; most-- > 0 && (block = td_reclaim_begin(space)) != 0; any = true)
    do
      tell_of(mutator, block);
    while (!td_reclaim_end(space, block));
  mutator->tells_dead = false;
  td_quiet_call_end(&call);
  return any;
}

TD_KEEPS_CALL void td_dead_tell_all(struct tide_heap *heap) {
  struct td_call call;
  td_quiet_call_begin(&call, NAME);
  td_reclaim_all(&heap->space);
  td_quiet_call_end(&call);
}

size_t tide_reclaim(struct tide_mutator *mutator, size_t most) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!td_mutator_may_act(mutator, "tide_reclaim")) return 0;
  struct tide_heap *heap = mutator->heap;
  (void)td_dead_tell(mutator, most);
  pthread_mutex_lock(&heap->space.lock);
  size_t left = heap->space.dying_blocks;
  pthread_mutex_unlock(&heap->space.lock);
  return left;
}
