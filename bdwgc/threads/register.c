/* The list of registered threads, and which of them are suspended. */
#include "bdwgc/threads/register.h"

#include <stdlib.h>

#include "bdwgc/say.h"
#include "bdwgc/threads/lock.h"

static struct td_thread *threads; /* under the lock; read without it where the world is stopped */
static TD_TLS struct td_thread *self; /* NULL while it is not registered */

void td_register_lock(void) {
  td_bdwgc_lock(TD_LOCK_THREADS);
}
void td_register_unlock(void) {
  td_bdwgc_unlock(TD_LOCK_THREADS);
}

/* Takes the thread's entry off the list. Returns it, or NULL if there is none. */
static struct td_thread *take(pthread_t id) {
  struct td_thread **link = &threads;
  while (*link && !pthread_equal((*link)->id, id))
    link = &(*link)->next;
  struct td_thread *taken = *link;
  if (taken) *link = taken->next;
  return taken;
}

/* A thread that registers late in its end does not leave. Its entry stays until another thread has
 * the same number. */
void td_register_enter(void) {
  struct td_thread *entry = malloc(sizeof *entry);
  if (!entry) td_bdwgc_die("no memory to register a thread");
  td_register_lock();
  struct td_thread *stale = take(pthread_self());
  *entry = (struct td_thread){.next = threads,
                              .id = pthread_self(),
                              .mutator = td_bdwgc_self,
                              .locking = &td_bdwgc_locking};
  threads = self = entry;
  td_register_unlock();
  free(stale);
}

void td_register_leave(void) {
  td_register_lock();
  struct td_thread *entry = take(pthread_self());
  self = NULL;
  td_register_unlock();
  free(entry);
}

struct td_thread *td_register_find(pthread_t id) {
  struct td_thread *thread = threads;
  while (thread && !pthread_equal(thread->id, id))
    thread = thread->next;
  return thread;
}

/* ---- Suspended threads ---- */

static pthread_cond_t resumed = PTHREAD_COND_INITIALIZER;

void td_register_set_suspended(struct td_thread *thread, bool suspended) {
  pthread_mutex_lock(&td_bdwgc_locks[TD_LOCK_SUSPENDED]);
  thread->suspended = suspended;
  pthread_cond_broadcast(&resumed);
  pthread_mutex_unlock(&td_bdwgc_locks[TD_LOCK_SUSPENDED]);
}

void td_register_await_resumed(const struct td_thread *thread) {
  pthread_mutex_lock(&td_bdwgc_locks[TD_LOCK_SUSPENDED]);
  while (thread->suspended)
    pthread_cond_wait(&resumed, &td_bdwgc_locks[TD_LOCK_SUSPENDED]);
  pthread_mutex_unlock(&td_bdwgc_locks[TD_LOCK_SUSPENDED]);
}

void td_register_keep_own(void) {
  threads = self;
  if (self) self->next = NULL;
  resumed = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
}

/* ---- What the program is told ---- */

enum { EVENT_THREAD_SUSPENDED = 10, EVENT_THREAD_UNSUSPENDED };

static GC_on_thread_event_proc on_thread_event;

void td_register_tell(bool stopped) {
  if (!on_thread_event) return;
  for (const struct td_thread *thread = threads; thread; thread = thread->next)
    if (thread != self)
      on_thread_event(stopped ? EVENT_THREAD_SUSPENDED : EVENT_THREAD_UNSUSPENDED,
                      (void *)thread->id);
}

VALUE(GC_on_thread_event_proc, on_thread_event, on_thread_event)
