/* SPDX-License-Identifier: MIT */
/* Calls into the system that fail on demand: the linker puts these in front of the real ones.
 * Included by one source file of a program. */
#ifndef TD_TESTS_FAULT_REFUSE_H
#define TD_TESTS_FAULT_REFUSE_H

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <zstd.h>

#include "tests/wrap.h"

enum call {
  CALL_ALLOC,
  CALL_OPEN,
  CALL_STAT,
  CALL_READ,
  CALL_WRITE,
  CALL_PUT, /* of the C library's streams */
  CALL_SYNC,
  CALL_CLOSE,
  CALL_RENAME,
  CALL_COUNT
};

static struct {
  bool is_armed;
  enum call call;
  int why;          /* what errno is set to */
  long countdown;   /* calls of that kind until one fails */
  bool is_for_ever; /* and all later ones too */
  bool has_failed;
  bool is_short; /* reads and writes move one byte at a time */
} refusal;

static bool is_refused_call(enum call call) {
  if (!refusal.is_armed || refusal.call != call) return false;
  if (refusal.countdown-- > 0 || (refusal.has_failed && !refusal.is_for_ever)) return false;
  refusal.has_failed = true;
  errno = refusal.why;
  return true;
}

static size_t shorten(size_t bytes) {
  return refusal.is_armed && refusal.is_short && bytes > 1 ? 1 : bytes;
}

/* ---- Memory ---- */

REPLACES(is_refused_call(CALL_ALLOC), NULL, void *, malloc, (size_t bytes), (bytes))
REPLACES(is_refused_call(CALL_ALLOC), NULL, void *, calloc, (size_t count, size_t bytes),
         (count, bytes))
REPLACES(is_refused_call(CALL_ALLOC), NULL, void *, realloc, (void *old, size_t bytes),
         (old, bytes))
REPLACES(is_refused_call(CALL_ALLOC), NULL, char *, strdup, (const char *text), (text))
REPLACES(is_refused_call(CALL_ALLOC), NULL, char *, strndup, (const char *text, size_t bytes),
         (text, bytes))
REPLACES(is_refused_call(CALL_ALLOC), NULL, ZSTD_DCtx *, ZSTD_createDCtx, (void), ())
REPLACES(is_refused_call(CALL_ALLOC), NULL, ZSTD_CCtx *, ZSTD_createCCtx, (void), ())
/* ---- Files ---- */

WRAP(int, open, const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  unsigned mode = flags & O_CREAT ? va_arg(arguments, unsigned) : 0;
  va_end(arguments);
  return is_refused_call(CALL_OPEN) ? -1 : __real_open(path, flags, mode);
}

REPLACES(is_refused_call(CALL_OPEN), -1, int, mkostemp, (char *path, int flags), (path, flags))
REPLACES(is_refused_call(CALL_STAT), -1, int, fstat, (int file, struct stat *status),
         (file, status))
REPLACES(is_refused_call(CALL_READ), -1, ssize_t, read, (int file, void *buffer, size_t bytes),
         (file, buffer, shorten(bytes)))
REPLACES(is_refused_call(CALL_READ), -1, ssize_t, pread,
         (int file, void *buffer, size_t bytes, off_t at), (file, buffer, shorten(bytes), at))
REPLACES(is_refused_call(CALL_WRITE), -1, ssize_t, write,
         (int file, const void *buffer, size_t bytes), (file, buffer, shorten(bytes)))
REPLACES(is_refused_call(CALL_WRITE), -1, ssize_t, pwrite,
         (int file, const void *buffer, size_t bytes, off_t at), (file, buffer, shorten(bytes), at))
REPLACES(is_refused_call(CALL_SYNC), -1, int, fsync, (int file), (file))
/* A close that fails has closed all the same: Linux says so. */
WRAP(int, close, int file) {
  bool refused = is_refused_call(CALL_CLOSE);
  int why = errno;
  int result = __real_close(file);
  if (refused) errno = why;
  return refused ? -1 : result;
}

REPLACES(is_refused_call(CALL_ALLOC), NULL, FILE *, fdopen, (int file, const char *mode),
         (file, mode))
REPLACES(is_refused_call(CALL_PUT), 0, size_t, fwrite,
         (const void *data, size_t size, size_t count, FILE *file), (data, size, count, file))
REPLACES(is_refused_call(CALL_PUT), EOF, int, fflush, (FILE * file), (file))
WRAP(int, fclose, FILE *file) {
  bool refused = is_refused_call(CALL_CLOSE);
  int why = errno;
  int result = __real_fclose(file);
  if (refused) errno = why;
  return refused ? EOF : result;
}

REPLACES(is_refused_call(CALL_RENAME), -1, int, rename, (const char *from, const char *to),
         (from, to))
#endif
