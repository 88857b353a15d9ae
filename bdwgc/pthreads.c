/* The functions of <pthread.h> that programs call through the collector. */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <dlfcn.h>

#include "bdwgc/state.h"

struct birth {
  void *(*body)(void *);
  void *argument;
  sem_t registered; /* the parent holds the argument until the child does */
};

static void *live(void *data) {
  struct birth *birth = data;
  void *(*body)(void *) = birth->body;
  void *argument = birth->argument;
  (void)td_bdwgc_mutator();
  sem_post(&birth->registered); /* the last use: it lies on the parent's stack */
  return body(argument);
}

/* A region for the wait: the child's registration may have to wait for a collection. */
static void *wait_for_child(void *data) {
  while (sem_wait(data) != 0) {
  }
  return NULL;
}

EXPORT void *GC_do_blocking(GC_fn_type call, void *data);

EXPORT int GC_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                             void *(*body)(void *), void *argument) {
  struct birth birth = {.body = body, .argument = argument};
  td_bdwgc_start();
  sem_init(&birth.registered, 0, 0);
  int error = pthread_create(thread, attributes, live, &birth);
  if (error == 0) GC_do_blocking(wait_for_child, &birth.registered);
  sem_destroy(&birth.registered);
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
  return call.error;
}
EXPORT int GC_pthread_detach(pthread_t thread) {
  return pthread_detach(thread);
}
EXPORT int GC_pthread_cancel(pthread_t thread) {
  return pthread_cancel(thread);
}
EXPORT _Noreturn void GC_pthread_exit(void *result) {
  pthread_exit(result);
}
EXPORT void *GC_dlopen(const char *path, int mode) {
  td_bdwgc_start();
  return dlopen(path, mode);
}
