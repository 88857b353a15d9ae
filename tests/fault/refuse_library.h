/* SPDX-License-Identifier: MIT */
/* A refusal in front of every allocation, mapping and thread start of the library: the linker calls
 * these functions in their places (--wrap). Included once in a program. */
#ifndef TD_TESTS_FAULT_REFUSE_LIBRARY_H
#define TD_TESTS_FAULT_REFUSE_LIBRARY_H

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/types.h>

#include "tests/wrap.h"

static bool counting;      /* calls are counted and may be refused */
static uint64_t calls;     /* so far */
static uint64_t refuse_at; /* the call to refuse, from 1; 0: none */
static bool refuse_later;  /* and all behind it */
static uint64_t refused;
static int64_t taken; /* pieces of memory, less those that were freed */

static bool refuse(void) {
  if (!counting) return false;
  calls++;
  bool no = refuse_at && (calls == refuse_at || (refuse_later && calls > refuse_at));
  refused += no;
  if (no) errno = ENOMEM;
  return no;
}

/* From now on, until `counting` ends: call number `at`, from 1, is refused, or none if that is 0.
 */
static void refuse_from(uint64_t at, bool later) {
  calls = refused = 0;
  taken = 0;
  refuse_at = at;
  refuse_later = later;
  counting = true;
}

static void *count_taken(void *piece) {
  taken += counting && piece;
  return piece;
}

WRAP(void *, malloc, size_t bytes) {
  return refuse() ? NULL : count_taken(__real_malloc(bytes));
}
WRAP(void *, calloc, size_t count, size_t bytes) {
  return refuse() ? NULL : count_taken(__real_calloc(count, bytes));
}
REPLACES(refuse(), NULL, void *, realloc, (void *old, size_t bytes), (old, bytes))
WRAP(void *, aligned_alloc, size_t alignment, size_t bytes) {
  return refuse() ? NULL : count_taken(__real_aligned_alloc(alignment, bytes));
}
WRAP(void, free, void *piece) {
  taken -= counting && piece;
  __real_free(piece);
}
REPLACES(refuse(), MAP_FAILED, void *, mmap,
         (void *at, size_t bytes, int protection, int flags, int file, off_t offset),
         (at, bytes, protection, flags, file, offset))
REPLACES(refuse(), -1, int, mprotect, (void *at, size_t bytes, int protection),
         (at, bytes, protection))
REPLACES(refuse(), EAGAIN, int, pthread_create,
         (pthread_t * thread, const pthread_attr_t *attributes, void *(*run)(void *),
          void *argument),
         (thread, attributes, run, argument))
#endif
