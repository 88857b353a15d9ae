/* SPDX-License-Identifier: MIT */
/* Loaded into programs (LD_PRELOAD): tells inject.c where to begin, and lets the n-th malloc,
 * calloc or realloc fail, counted over all processes of a run.
 *
 * INJECT_PAGE is a file of sizeof(struct page) bytes that the processes share; the one who starts
 * them sets `call`, `at` and `later`, and reads `counts`. INJECT_ONLY is what the names of the
 * programs begin with that take part, separated by spaces: others that they start, such as gnuplot,
 * are left alone. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/fault/inject.h"

#define PUBLIC __attribute__((visibility("default")))

enum call { CALL_NONE, CALL_MALLOC, CALL_CALLOC, CALL_REALLOC, CALLS };

struct page {
  uint64_t call, at, later;
  _Atomic(uint64_t) counts[CALLS];
};

static struct page *page; /* NULL until counting begins */
static struct {
  void *(*malloc)(size_t);
  void *(*calloc)(size_t, size_t);
  void *(*realloc)(void *, size_t);
} real;

/* dlsym allocates before it has told where from. */
static _Alignas(16) char early[4096];
static size_t early_used;

static void *take_early(size_t bytes) {
  bytes = (bytes + 15) & ~(size_t)15;
  if (bytes > sizeof early - early_used) abort();
  early_used += bytes;
  return early + early_used - bytes;
}

static void find_real(void) {
  static bool finding;
  if (real.realloc || finding) return;
  finding = true;
  *(void **)&real.malloc = dlsym(RTLD_NEXT, "malloc");
  *(void **)&real.calloc = dlsym(RTLD_NEXT, "calloc");
  *(void **)&real.realloc = dlsym(RTLD_NEXT, "realloc");
}

static bool takes_part(void) {
  const char *only = getenv("INJECT_ONLY"), *name = program_invocation_short_name;
  while (only && *only) {
    size_t length = strcspn(only, " ");
    if (length && strncmp(name, only, length) == 0) return true;
    only += length + (only[length] == ' ');
  }
  return false;
}

__attribute__((constructor)) static void begin(void) {
  find_real();
  const char *path = getenv("INJECT_PAGE");
  if (!path || !takes_part()) return;
  int file = open(path, O_RDWR | O_CLOEXEC);
  void *at =
      file < 0 ? MAP_FAILED : mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (at == MAP_FAILED) abort();
  close(file);
  page = at;
  syscall(INJECT_BEGIN, INJECT_WORD, 0, 0, 0, 0);
}

static bool refuse(enum call call) {
  if (!page) return false;
  /* relaxed: only the number counts. */
  uint64_t now = atomic_fetch_add_explicit(&page->counts[call], 1, memory_order_relaxed) + 1;
  bool no = page->call == call && (now == page->at || (page->later && now > page->at));
  if (no) errno = ENOMEM;
  return no;
}

PUBLIC void *malloc(size_t bytes) {
  find_real();
  if (!real.malloc) return take_early(bytes);
  return refuse(CALL_MALLOC) ? NULL : real.malloc(bytes);
}

PUBLIC void *calloc(size_t count, size_t bytes) {
  find_real();
  if (!real.calloc) return take_early(count * bytes); /* zero still */
  return refuse(CALL_CALLOC) ? NULL : real.calloc(count, bytes);
}

PUBLIC void *realloc(void *old, size_t bytes) {
  find_real();
  if (!real.realloc) return take_early(bytes);
  return refuse(CALL_REALLOC) ? NULL : real.realloc(old, bytes);
}
