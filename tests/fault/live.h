/* SPDX-License-Identifier: MIT */
/* How much memory the code under test holds at once: the linker puts these in front of malloc,
 * calloc, realloc and free.  Included by one source file of a program. */
#ifndef TD_TESTS_FAULT_LIVE_H
#define TD_TESTS_FAULT_LIVE_H

#include <malloc.h>
#include <stddef.h>

#include "tests/wrap.h"

static size_t live_bytes, live_most;

static void *count(void *taken) {
  live_bytes += taken ? malloc_usable_size(taken) : 0;
  if (live_bytes > live_most) live_most = live_bytes;
  return taken;
}

/* What was allocated by a library, and so was not counted, can be freed here. */
static void uncount(void *old) {
  size_t bytes = old ? malloc_usable_size(old) : 0;
  live_bytes -= bytes < live_bytes ? bytes : live_bytes;
}

WRAP(void *, malloc, size_t bytes) {
  return count(__real_malloc(bytes));
}

WRAP(void *, calloc, size_t number, size_t bytes) {
  return count(__real_calloc(number, bytes));
}

WRAP(void *, realloc, void *old, size_t bytes) {
  uncount(old);
  return count(__real_realloc(old, bytes));
}

WRAP(void, free, void *old) {
  uncount(old);
  __real_free(old);
}

/* Begins to look for the most. */
static void live_begin(void) {
  live_bytes = live_most = 0;
}

#endif
