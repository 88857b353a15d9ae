/* SPDX-License-Identifier: MIT */
/* The functions of <pthread.h> that programs call through the collector. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>

#include "bdwgc/threads/lock.h"
#include "bdwgc/threads/threads.h"
#include "bdwgc/threads/start.h"
#include "bdwgc/uncancelled.h"

/* ---- Results of threads that have ended: nothing else keeps them alive until a join ---- */

struct result {
  struct result *next;
  pthread_t thread;
  void *value;
};
static struct result *results; /* under the lock */

static bool is_detached(void) {
  pthread_attr_t attributes;
  int state = PTHREAD_CREATE_DETACHED;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return false;
  pthread_attr_getdetachstate(&attributes, &state);
  pthread_attr_destroy(&attributes);
  return state == PTHREAD_CREATE_DETACHED;
}

static void keep_result(void *value) {
  if (!tide_object_find(td_bdwgc_heap, value) || is_detached()) return;
  struct result *result = malloc(sizeof *result);
  if (!result) return;
  *result = (struct result){.thread = pthread_self(), .value = value};
  (void)tide_root_add_conservative(td_bdwgc_heap, &result->value, sizeof(void *));
  td_bdwgc_lock(TD_LOCK_RESULTS);
  result->next = results;
  results = result;
  td_bdwgc_unlock(TD_LOCK_RESULTS);
}

static void forget_result(pthread_t thread) {
  td_bdwgc_lock(TD_LOCK_RESULTS);
  struct result **link = &results;
  while (*link && !pthread_equal((*link)->thread, thread))
    link = &(*link)->next;
  struct result *gone = *link;
  if (gone) *link = gone->next;
  td_bdwgc_unlock(TD_LOCK_RESULTS);
  if (gone) (void)tide_root_remove_conservative(td_bdwgc_heap, &gone->value);
  free(gone);
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
  bool registered = birth->registered = td_bdwgc_try_start(NULL, &error);
  sem_post(&birth->tried); /* the last use: it lies on the parent's stack */
  if (!registered) return NULL;
  void *value = body(argument);
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
  GC_do_blocking(join, &call);
  if (call.error == 0) forget_result(thread);
  return call.error;
}
EXPORT int GC_pthread_detach(pthread_t thread) {
  int error = pthread_detach(thread);
  if (error == 0) forget_result(thread);
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
