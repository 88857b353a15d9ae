/* SPDX-License-Identifier: MIT */
/* The functions of <pthread.h> that programs call through the collector. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>

#include "bdwgc/threads/lock.h"
#include "bdwgc/threads/register.h"
#include "bdwgc/threads/threads.h"
#include "bdwgc/threads/start.h"
#include "bdwgc/uncancelled.h"

/* ---- Results of threads that have ended: nothing else keeps them alive until a join ----
 *
 * A thread's number may be another one's as soon as it is joined. So who joins finds the result
 * beforehand: it is there from the thread's first moment. If a new thread finds one under its own
 * number that nobody has taken, a thread left it that was joined or detached some other way. */
struct result {
  struct result *next; /* under the lock, as all */
  pthread_t thread;
  void *value;
  bool is_root, ended, detached;
  bool taken; /* who has set it forgets it */
};
static struct result *results[TD_THREAD_LISTS];
static _Thread_local struct result *own;

static bool is_detached(void) {
  pthread_attr_t attributes;
  int state = PTHREAD_CREATE_DETACHED;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return false;
  pthread_attr_getdetachstate(&attributes, &state);
  pthread_attr_destroy(&attributes);
  return state == PTHREAD_CREATE_DETACHED;
}

static struct result *find_result(pthread_t thread) {
  struct result *result = results[td_thread_list(thread)];
  while (result && !pthread_equal(result->thread, thread))
    result = result->next;
  return result;
}

static void forget_result(struct result *result) {
  if (!result) return;
  td_bdwgc_lock(TD_LOCK_RESULTS);
  struct result **link = &results[td_thread_list(result->thread)];
  while (*link != result)
    link = &(*link)->next;
  *link = result->next;
  td_bdwgc_unlock(TD_LOCK_RESULTS);
  if (result->is_root) (void)tide_root_remove_conservative(td_bdwgc_heap, &result->value);
  free(result);
}

static bool make_result(void) {
  struct result *result = malloc(sizeof *result);
  if (!result) return false;
  td_bdwgc_lock(TD_LOCK_RESULTS);
  struct result *left = find_result(pthread_self());
  if (left && left->taken) left = NULL;
  struct result **list = &results[td_thread_list(pthread_self())];
  *result = (struct result){.next = *list, .thread = pthread_self()};
  own = *list = result;
  td_bdwgc_unlock(TD_LOCK_RESULTS);
  forget_result(left);
  return true;
}

/* Returns the thread's result, for a call that joins it, or detaches what may have ended. */
static struct result *take_result(pthread_t thread, bool detaches) {
  td_bdwgc_lock(TD_LOCK_RESULTS);
  struct result *result = find_result(thread);
  if (result && detaches) result->detached = true;
  if (result && detaches && !result->ended) result = NULL; /* it forgets it itself */
  if (result) result->taken = true;
  td_bdwgc_unlock(TD_LOCK_RESULTS);
  return result;
}

static void give_back_result(struct result *result, int error) {
  if (error == 0) {
    forget_result(result);
  } else if (result) {
    td_bdwgc_lock(TD_LOCK_RESULTS);
    result->taken = false;
    td_bdwgc_unlock(TD_LOCK_RESULTS);
  }
}

/* The thread ends. It is the only one that looks at its `value` and `is_root` until then. */
static void keep_result(void *value) {
  struct result *result = own;
  if (!result) return; /* another library's thread */
  own = NULL;
  result->value = value;
  result->is_root =
      tide_object_find(td_bdwgc_heap, value) &&
      tide_root_add_conservative(td_bdwgc_heap, &result->value, sizeof(void *)) == TIDE_OK;
  bool detached = is_detached();
  td_bdwgc_lock(TD_LOCK_RESULTS);
  result->ended = true;
  detached |= result->detached;
  td_bdwgc_unlock(TD_LOCK_RESULTS);
  if (detached) forget_result(result);
}

/* ---- Threads ---- */

struct birth {
  void *(*body)(void *);
  void *argument;
  bool registered;
  sem_t tried; /* the parent holds the argument until the child does */
};

static void *live(void *data) {
  struct birth *birth = data;
  struct tide_error error;
  void *(*body)(void *) = birth->body;
  void *argument = birth->argument;
  bool registered = birth->registered = td_bdwgc_try_start(NULL, &error) && make_result();
  sem_post(&birth->tried); /* the last use: it lies on the parent's stack */
  if (!registered) return NULL;
  void *value;
  pthread_cleanup_push(keep_result, NULL); /* if it is cancelled, or left by pthread_exit */
  value = body(argument);
  pthread_cleanup_pop(0);
  keep_result(value);
  return value;
}

/* A blocking section for the wait: the child's registration may have to wait for a collection. */
static void *wait_for_child(void *data) {
  while (sem_wait(data) != 0) {
  }
  return NULL;
}

static bool will_be_joined(const pthread_attr_t *attributes) {
  int state = PTHREAD_CREATE_JOINABLE;
  if (attributes) pthread_attr_getdetachstate(attributes, &state);
  return state == PTHREAD_CREATE_JOINABLE;
}

EXPORT int GC_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                             void *(*body)(void *), void *argument) {
  TD_UNCANCELLED; /* the child uses this frame */
  struct birth birth = {.body = body, .argument = argument};
  td_bdwgc_start();
  sem_init(&birth.tried, 0, 0);
  int error = pthread_create(thread, attributes, live, &birth);
  if (error == 0) {
    GC_do_blocking(wait_for_child, &birth.tried);
    if (!birth.registered && will_be_joined(attributes)) pthread_join(*thread, NULL);
    if (!birth.registered) error = EAGAIN;
  }
  sem_destroy(&birth.tried);
  return error;
}

struct join {
  pthread_t thread;
  void **result;
  int error;
};
static void *join(void *data) {
  struct join *call = data;
  call->error = pthread_join(call->thread, call->result);
  return NULL;
}
EXPORT int GC_pthread_join(pthread_t thread, void **result) {
  struct join call = {.thread = thread, .result = result};
  struct result *kept = take_result(thread, false);
  GC_do_blocking(join, &call);
  give_back_result(kept, call.error);
  return call.error;
}
EXPORT int GC_pthread_detach(pthread_t thread) {
  struct result *kept = take_result(thread, true);
  int error = pthread_detach(thread);
  give_back_result(kept, error);
  return error;
}
EXPORT int GC_pthread_cancel(pthread_t thread) {
  return pthread_cancel(thread);
}
EXPORT _Noreturn void GC_pthread_exit(void *result) {
  td_bdwgc_start();
  keep_result(result);
  pthread_exit(result);
}
EXPORT void *GC_dlopen(const char *path, int mode) {
  td_bdwgc_start();
  return dlopen(path, mode);
}
