/* SPDX-License-Identifier: MIT */
/* Registering threads. */
#include "bdwgc/threads/register.h"

#include <stdlib.h>
#include <string.h>

#include "bdwgc/say.h"
#include "bdwgc/threads/lock.h"
#include "bdwgc/threads/stack.h"
#include "tide/advanced.h"

/* Under the lock; read without it where the world is stopped. */
static struct td_thread *threads[TD_THREAD_LISTS];
static TD_TLS struct td_thread *self; /* NULL while it is not registered */

void td_register_lock(void) {
  td_bdwgc_lock(TD_LOCK_THREADS);
}
void td_register_unlock(void) {
  td_bdwgc_unlock(TD_LOCK_THREADS);
}

/* Takes the thread's entry off the list. Returns it, or NULL if there is none. */
static struct td_thread *take(pthread_t id) {
  struct td_thread **link = &threads[td_thread_list(id)];
  while (*link && !pthread_equal((*link)->id, id))
    link = &(*link)->next;
  struct td_thread *taken = *link;
  if (taken) *link = taken->next;
  return taken;
}

/* A thread that registers late in its end does not leave. Its entry stays until another thread has
 * the same number. */
static void enter(struct td_thread *entry) {
  td_register_lock();
  struct td_thread *stale = take(pthread_self());
  struct td_thread **list = &threads[td_thread_list(pthread_self())];
  *entry = (struct td_thread){
      .next = *list, .id = pthread_self(), .mutator = td_bdwgc_self, .locking = &td_bdwgc_locking};
  *list = self = entry;
  td_register_unlock();
  free(stale);
}

static struct td_thread *leave(void) {
  td_register_lock();
  struct td_thread *entry = take(pthread_self());
  self = NULL;
  td_register_unlock();
  return entry;
}

struct td_thread *td_register_find(pthread_t id) {
  struct td_thread *thread = threads[td_thread_list(id)];
  while (thread && !pthread_equal(thread->id, id))
    thread = thread->next;
  return thread;
}

/* ---- How a thread gets and loses its mutator ---- */

static pthread_key_t exit_key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;

static TD_TLS bool has_ended; /* it registers once more, to run destructors */

/* The thread stays if it has to: it is in a blocking section, say. */
static void detach(void) {
  struct td_thread *entry = leave();
  if (tide_detach(td_bdwgc_self) != TIDE_OK) {
    if (entry) enter(entry);
    return;
  }
  td_bdwgc_self = NULL;
  free(entry);
}

/* A registered thread ends. Destructors of the program may still allocate: wait for one round. The
 * heap has a destructor, too, so the mutator may be gone. */
static void thread_ends(void *round) {
  static char second;
  if (round != &second && !has_ended) {
    pthread_setspecific(exit_key, &second);
    return;
  }
  has_ended = true;
  if (td_bdwgc_self) detach();
  td_bdwgc_self = NULL;
  td_bdwgc_away = false;
}

static void make_key(void) {
  if (pthread_key_create(&exit_key, thread_ends) != 0) td_bdwgc_die("no thread key is left");
}

/* Keys that were made earlier have their turn earlier, with the C libraries there are. */
void td_register_prepare(void) {
  (void)pthread_once(&key_once, make_key);
}

bool td_register_self(void *bottom, struct tide_error *error) {
  struct tide_attach_options options;
  struct td_thread *entry = malloc(sizeof *entry);
  tide_attach_options_init(&options);
  options.stop = TIDE_STOP_SIGNAL;
  options.own_high = td_stack_elsewhere(bottom);
  *error = (struct tide_error){TIDE_ERROR_MEMORY, "out of memory"};
  if (entry && pthread_setspecific(exit_key, &exit_key) == 0) {
    td_bdwgc_self = tide_attach(td_bdwgc_heap, &options, error);
    if (td_bdwgc_self) {
      if (td_bdwgc_has_allocation) tide_stop_hold(td_bdwgc_self); /* unlocking lets go */
      enter(entry);
      return true;
    }
  }
  free(entry);
  return false;
}

EXPORT int GC_unregister_my_thread(void) {
  if (td_bdwgc_self) detach();
  return GC_SUCCESS;
}
EXPORT int GC_thread_is_registered(void) {
  return td_bdwgc_self != NULL;
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
  memset(threads, 0, sizeof threads);
  if (self) threads[td_thread_list(self->id)] = self;
  if (self) self->next = NULL;
  resumed = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
}

/* ---- What the program is told ---- */

enum { EVENT_THREAD_SUSPENDED = 10, EVENT_THREAD_UNSUSPENDED };

static GC_on_thread_event_proc on_thread_event;

void td_register_tell(bool stopped) {
  if (!on_thread_event) return;
  const int event = stopped ? EVENT_THREAD_SUSPENDED : EVENT_THREAD_UNSUSPENDED;
  for (size_t i = 0; i < TD_THREAD_LISTS; i++)
    for (const struct td_thread *thread = threads[i]; thread; thread = thread->next)
      if (thread != self) on_thread_event(event, (void *)thread->id);
}

VALUE(GC_on_thread_event_proc, on_thread_event, on_thread_event)
