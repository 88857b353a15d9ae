/* SPDX-License-Identifier: MIT */
/* Stands between a program and the system, and refuses: loaded with LD_PRELOAD, it lets the
 * REFUSE_AT-th request for memory or a thread fail, and with REFUSE_LATER all that follow. At the
 * end it writes how many requests there were to the file REFUSE_COUNT. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

/* The C library's own names: asking dlsym for them would allocate. */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);

static _Atomic long requests;
static long refuse_at;
static bool counting, refuse_later;
static void *(*real_mmap)(void *, size_t, int, int, int, off_t);
static int (*real_mprotect)(void *, size_t, int);
static int (*real_pthread_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static long number(const char *name) {
  const char *text = getenv(name);
  return text ? strtol(text, NULL, 10) : 0;
}

__attribute__((constructor)) static void begin(void) {
  real_mmap = dlsym(RTLD_NEXT, "mmap");
  real_mprotect = dlsym(RTLD_NEXT, "mprotect");
  real_pthread_create = dlsym(RTLD_NEXT, "pthread_create");
  refuse_at = number("REFUSE_AT");
  refuse_later = number("REFUSE_LATER") != 0;
  counting = true;
}

__attribute__((destructor)) static void end(void) {
  counting = false;
  FILE *file = getenv("REFUSE_COUNT") ? fopen(getenv("REFUSE_COUNT"), "w") : NULL;
  if (!file) return;
  fprintf(file, "%ld\n", requests);
  fclose(file);
}

static bool refuse(void) {
  if (!counting) return false;
  long now = ++requests;
  bool no = refuse_at && (now == refuse_at || (refuse_later && now > refuse_at));
  if (no) errno = ENOMEM;
  return no;
}

void *malloc(size_t bytes) {
  return refuse() ? NULL : __libc_malloc(bytes);
}
void *calloc(size_t count, size_t bytes) {
  return refuse() ? NULL : __libc_calloc(count, bytes);
}
void *realloc(void *old, size_t bytes) {
  return refuse() ? NULL : __libc_realloc(old, bytes);
}
void *mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset) {
  if (refuse()) return MAP_FAILED;
  return real_mmap(at, bytes, protection, flags, file, offset);
}
int mprotect(void *at, size_t bytes, int protection) {
  return refuse() ? -1 : real_mprotect(at, bytes, protection);
}
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *argument) {
  return refuse() ? EAGAIN : real_pthread_create(thread, attributes, run, argument);
}
