/* SPDX-License-Identifier: MIT */
/* Loaded before the program's own memory allocator: refuses one allocation while a certain file is
 * being written, and says so on stderr.
 *
 * REFUSE_FILE is a part of the file's name, REFUSE_AT the number of the allocation, from 0, counted
 * from the making of its temporary file to its renaming. */
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PUBLIC __attribute__((visibility("default")))

static struct {
  void *(*malloc)(size_t);
  void *(*calloc)(size_t, size_t);
  void *(*realloc)(void *, size_t);
  int (*mkostemp)(char *, int);
  int (*rename)(const char *, const char *);
} real;

/* The program allocates from one thread while it writes files. */
static bool armed;
static long count;

__attribute__((constructor)) static void find_real(void) {
  if (real.malloc) return;
  *(void **)&real.calloc = dlsym(RTLD_NEXT, "calloc");
  *(void **)&real.realloc = dlsym(RTLD_NEXT, "realloc");
  *(void **)&real.mkostemp = dlsym(RTLD_NEXT, "mkostemp");
  *(void **)&real.rename = dlsym(RTLD_NEXT, "rename");
  *(void **)&real.malloc = dlsym(RTLD_NEXT, "malloc");
}

static bool refuse(void) {
  const char *at = getenv("REFUSE_AT");
  if (!armed || !at || count++ != atol(at)) return false;
  static const char told[] = "refused\n";
  if (write(STDERR_FILENO, told, sizeof told - 1) < 0) abort();
  errno = ENOMEM;
  return true;
}

PUBLIC void *malloc(size_t bytes) {
  find_real();
  return refuse() ? NULL : real.malloc(bytes);
}

PUBLIC void *calloc(size_t items, size_t bytes) {
  find_real();
  return refuse() ? NULL : real.calloc(items, bytes);
}

PUBLIC void *realloc(void *old, size_t bytes) {
  find_real();
  return refuse() ? NULL : real.realloc(old, bytes);
}

PUBLIC int mkostemp(char *path, int flags) {
  find_real();
  const char *wanted = getenv("REFUSE_FILE");
  int file = real.mkostemp(path, flags);
  if (wanted && strstr(path, wanted)) armed = true;
  return file;
}

PUBLIC int rename(const char *from, const char *to) {
  find_real();
  armed = false;
  return real.rename(from, to);
}
