/* SPDX-License-Identifier: MIT */
/* How locks get over a fork.
 *
 * A thread that waits for a lock may get it when a fork has stopped the others already. It then
 * waits for the end of the fork with the lock, and the child would find it taken for ever. So the
 * thread that forks takes all of them before. No thread collects meanwhile: a collection asks for
 * roots, and a holder of the allocation lock that allocates would wait for it. */
#include "bdwgc/threads/fork.h"

#include "bdwgc/say.h"
#include "bdwgc/threads/lock.h"
#include "bdwgc/threads/register.h"

static bool taken; /* under the locks: by the thread that forks */

static bool has_before(unsigned number) {
  return number == TD_LOCK_ALLOCATION && td_bdwgc_has_allocation;
}

static void before_fork(void) {
  /* There is no heap yet, or the heap's own handler ends the process: in a callback. */
  if (tide_collect_pause(td_bdwgc_heap) != TIDE_OK) return;
  td_bdwgc_locking = true;
  for (unsigned i = 0; i < TD_LOCK_COUNT; i++)
    if (!has_before(i)) pthread_mutex_lock(&td_bdwgc_locks[i]);
  taken = true;
}

static void after_fork(void) {
  if (!taken) return;
  taken = false;
  for (unsigned i = TD_LOCK_COUNT; i-- > 0;)
    if (!has_before(i)) pthread_mutex_unlock(&td_bdwgc_locks[i]);
  td_bdwgc_locking = false;
  (void)tide_collect_resume(td_bdwgc_heap);
}

static void after_fork_in_child(void) {
  td_register_keep_own();
  after_fork();
}

static bool ready;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void register_handlers(void) {
  ready = pthread_atfork(before_fork, after_fork, after_fork_in_child) == 0;
}

/* Before the program registers its own, which may allocate then, and after the heap's. */
__attribute__((constructor)) static void register_early(void) {
  pthread_once(&once, register_handlers);
}

void td_fork_start(void) {
  register_early();
  if (!ready) td_bdwgc_die("no memory for a fork handler");
}
