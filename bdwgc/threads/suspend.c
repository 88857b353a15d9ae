/* SPDX-License-Identifier: MIT */
/* Suspending single threads, and all of them. */
#include <pthread.h>
#include <unistd.h>

#include "bdwgc/say.h"
#include "bdwgc/threads/threads.h"
#include "bdwgc/threads/register.h"
#include "bdwgc/threads/start.h"
#include "bdwgc/uncancelled.h"

static void *await_resumed(void *self) {
  td_register_await_resumed(self);
  return NULL;
}

static bool is_self(const struct td_thread *thread) {
  return pthread_equal(thread->id, pthread_self());
}

/* Returns false if the thread had better not stand still now. */
static bool suspend(struct td_thread *thread) {
  if (thread->suspended) return true;
  if (!is_self(thread)) {
    if (tide_mutator_suspend(td_bdwgc_self, thread->mutator) != TIDE_OK)
      td_bdwgc_die("GC_suspend_thread: not possible here");
    if (*thread->locking) {
      (void)tide_mutator_resume(td_bdwgc_self, thread->mutator);
      return false;
    }
  }
  thread->by_other = !is_self(thread);
  td_register_set_suspended(thread, true);
  return true;
}

static bool resume(struct td_thread *thread) {
  if (!thread->suspended) return true;
  td_register_set_suspended(thread, false);
  if (thread->by_other && tide_mutator_resume(td_bdwgc_self, thread->mutator) != TIDE_OK)
    td_bdwgc_die("GC_resume_thread: not possible here");
  return true;
}

#define RETRY_US 200

/* A thread that is not registered is left alone. Returns NULL for it. */
static struct td_thread *change(pthread_t id, bool (*how)(struct td_thread *)) {
  TD_UNCANCELLED;
  td_bdwgc_start();
  bool left = td_region_leave();
  for (;;) {
    td_register_lock();
    struct td_thread *thread = td_register_find(id);
    bool done = !thread || how(thread);
    td_register_unlock();
    if (done) {
      td_region_return(left);
      return thread;
    }
    usleep(RETRY_US);
  }
}

EXPORT void GC_suspend_thread(pthread_t id) {
  TD_UNCANCELLED; /* a thread that suspended itself is cancelled when it goes on */
  struct td_thread *thread = change(id, suspend);
  if (thread && pthread_equal(id, pthread_self())) GC_do_blocking(await_resumed, thread);
}
EXPORT void GC_resume_thread(pthread_t id) {
  (void)change(id, resume);
}
EXPORT int GC_is_thread_suspended(pthread_t id) {
  td_bdwgc_start();
  td_register_lock();
  const struct td_thread *thread = td_register_find(id);
  int suspended = thread && thread->suspended;
  td_register_unlock();
  return suspended;
}

/* ---- All other threads ---- */

EXPORT void GC_stop_world_external(void) {
  td_bdwgc_start();
  if (tide_world_stop(td_bdwgc_self) != TIDE_OK)
    td_bdwgc_die("GC_stop_world_external: in GC_do_blocking or a callback, or called twice");
}
EXPORT void GC_start_world_external(void) {
  if (tide_world_resume(td_bdwgc_self) != TIDE_OK)
    td_bdwgc_die("GC_start_world_external: this thread has not stopped the others");
}
