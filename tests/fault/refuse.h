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

WRAPS(void *, malloc, size_t bytes);
WRAPS(void *, calloc, size_t count, size_t bytes);
WRAPS(void *, realloc, void *old, size_t bytes);
WRAPS(char *, strdup, const char *text);
WRAPS(char *, strndup, const char *text, size_t bytes);
WRAPS(ZSTD_DCtx *, ZSTD_createDCtx, void);
WRAPS(ZSTD_CCtx *, ZSTD_createCCtx, void);

void *__wrap_malloc(size_t bytes) {
  return is_refused_call(CALL_ALLOC) ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes) {
  return is_refused_call(CALL_ALLOC) ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *old, size_t bytes) {
  return is_refused_call(CALL_ALLOC) ? NULL : __real_realloc(old, bytes);
}

char *__wrap_strdup(const char *text) {
  return is_refused_call(CALL_ALLOC) ? NULL : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t bytes) {
  return is_refused_call(CALL_ALLOC) ? NULL : __real_strndup(text, bytes);
}

ZSTD_DCtx *__wrap_ZSTD_createDCtx(void) {
  return is_refused_call(CALL_ALLOC) ? NULL : __real_ZSTD_createDCtx();
}

ZSTD_CCtx *__wrap_ZSTD_createCCtx(void) {
  return is_refused_call(CALL_ALLOC) ? NULL : __real_ZSTD_createCCtx();
}

/* ---- Files ---- */

WRAPS(int, open, const char *path, int flags, ...);
WRAPS(int, mkostemp, char *path, int flags);
WRAPS(int, fstat, int file, struct stat *status);
WRAPS(ssize_t, read, int file, void *buffer, size_t bytes);
WRAPS(ssize_t, pread, int file, void *buffer, size_t bytes, off_t at);
WRAPS(ssize_t, write, int file, const void *buffer, size_t bytes);
WRAPS(ssize_t, pwrite, int file, const void *buffer, size_t bytes, off_t at);
WRAPS(int, fsync, int file);
WRAPS(int, close, int file);
WRAPS(FILE *, fdopen, int file, const char *mode);
WRAPS(size_t, fwrite, const void *data, size_t size, size_t count, FILE *file);
WRAPS(int, fflush, FILE *file);
WRAPS(int, fclose, FILE *file);
WRAPS(int, rename, const char *from, const char *to);

int __wrap_open(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  unsigned mode = flags & O_CREAT ? va_arg(arguments, unsigned) : 0;
  va_end(arguments);
  return is_refused_call(CALL_OPEN) ? -1 : __real_open(path, flags, mode);
}

int __wrap_mkostemp(char *path, int flags) {
  return is_refused_call(CALL_OPEN) ? -1 : __real_mkostemp(path, flags);
}

int __wrap_fstat(int file, struct stat *status) {
  return is_refused_call(CALL_STAT) ? -1 : __real_fstat(file, status);
}

ssize_t __wrap_read(int file, void *buffer, size_t bytes) {
  return is_refused_call(CALL_READ) ? -1 : __real_read(file, buffer, shorten(bytes));
}

ssize_t __wrap_pread(int file, void *buffer, size_t bytes, off_t at) {
  return is_refused_call(CALL_READ) ? -1 : __real_pread(file, buffer, shorten(bytes), at);
}

ssize_t __wrap_write(int file, const void *buffer, size_t bytes) {
  return is_refused_call(CALL_WRITE) ? -1 : __real_write(file, buffer, shorten(bytes));
}

ssize_t __wrap_pwrite(int file, const void *buffer, size_t bytes, off_t at) {
  return is_refused_call(CALL_WRITE) ? -1 : __real_pwrite(file, buffer, shorten(bytes), at);
}

int __wrap_fsync(int file) {
  return is_refused_call(CALL_SYNC) ? -1 : __real_fsync(file);
}

/* A close that fails has closed all the same: Linux says so. */
int __wrap_close(int file) {
  bool refused = is_refused_call(CALL_CLOSE);
  int why = errno;
  int result = __real_close(file);
  if (refused) errno = why;
  return refused ? -1 : result;
}

FILE *__wrap_fdopen(int file, const char *mode) {
  return is_refused_call(CALL_ALLOC) ? NULL : __real_fdopen(file, mode);
}

size_t __wrap_fwrite(const void *data, size_t size, size_t count, FILE *file) {
  return is_refused_call(CALL_PUT) ? 0 : __real_fwrite(data, size, count, file);
}

int __wrap_fflush(FILE *file) {
  return is_refused_call(CALL_PUT) ? EOF : __real_fflush(file);
}

int __wrap_fclose(FILE *file) {
  bool refused = is_refused_call(CALL_CLOSE);
  int why = errno;
  int result = __real_fclose(file);
  if (refused) errno = why;
  return refused ? EOF : result;
}

int __wrap_rename(const char *from, const char *to) {
  return is_refused_call(CALL_RENAME) ? -1 : __real_rename(from, to);
}

#endif
