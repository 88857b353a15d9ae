/* SPDX-License-Identifier: MIT */
/* A dump being read from front to back, unpacked where it is stored with gzip.
 *
 * Bytes come through one buffer, or straight from memory.  Every failure is recorded in the error
 * given at opening, with the offset in the unpacked dump, and stays: callers need only test what
 * they were returned.
 * Threads: one reader. */
#ifndef TD_WORKLOADS_IMPORT_SOURCE_H
#define TD_WORKLOADS_IMPORT_SOURCE_H

#include "workloads/import_gzip.h"
#include "workloads/import_input.h"

/* The most that td_source_take hands out in one piece. */
#ifndef TD_SOURCE_TAKE_MAX /* fuzz targets set it lower */
#define TD_SOURCE_TAKE_MAX ((size_t)4 << 20)
#endif

struct td_import_source {
  const uint8_t *next; /* first byte not yet taken */
  const uint8_t *end;  /* end of the bytes at hand */
  uint64_t end_offset; /* where `end` is in the dump */
  uint64_t limit;      /* no take may go past this offset; the length unless set lower */
  uint64_t length;     /* of the dump; TD_INPUT_UNKNOWN until its end is met */
  const char *name;
  struct td_thg_error *error;
  const struct td_thg_progress *progress;
  const char *phase;
  uint8_t *buffer; /* [TD_SOURCE_TAKE_MAX], owned; NULL when bytes come straight from memory */
  /* Called where a take reaches past the limit, which is short of the length: goes on with a later
   * section, adds what it passes over to `between`, and returns true; or returns false. Or NULL. */
  bool (*go_on)(void *context);
  void *context;
  uint64_t between;
  uint8_t *joined; /* [TD_SOURCE_TAKE_MAX], owned, made when first needed: from two sections */
  struct td_import_input input;
  struct td_import_gzip gzip; /* in use if is_packed */
  bool is_packed;
  bool failed; /* a read failed and has set the error */
};

/* Opens the file, or standard input where the path is "-".  Returns whether it succeeded; only
 * then td_source_close is needed. */
bool td_source_open(struct td_import_source *source, const char *path,
                    const struct td_thg_progress *progress, struct td_thg_error *error);
bool td_source_open_bytes(struct td_import_source *source, const void *bytes, uint64_t length,
                          const char *name, struct td_thg_error *error);
void td_source_close(struct td_import_source *source);

/* Goes back to the first byte, naming the phase that begins.  is_last: for the last time. */
void td_source_rewind(struct td_import_source *source, const char *phase, bool is_last);

static inline uint64_t td_source_offset(const struct td_import_source *source) {
  return source->end_offset - (uint64_t)(source->end - source->next);
}

/* Makes at least `count` bytes (at most TD_SOURCE_TAKE_MAX) available if there are that many before
 * the limit.  Returns how many there are at `next`: fewer at the limit or after a failed read. */
size_t td_source_fill(struct td_import_source *source, size_t count);

/* The slow half of td_source_take. */
const uint8_t *td_source_take_far(struct td_import_source *source, size_t count, const char *what);

/* Returns the next `count` (at most TD_SOURCE_TAKE_MAX) bytes in one piece, or NULL with an error
 * that says that the input ended inside `what`.  They are valid until the next call. */
static inline const uint8_t *td_source_take(struct td_import_source *source, size_t count,
                                            const char *what) {
  if (count <= (size_t)(source->end - source->next) &&
      td_source_offset(source) + count <= source->limit) {
    const uint8_t *bytes = source->next;
    source->next += count;
    return bytes;
  }
  return td_source_take_far(source, count, what);
}

/* Passes over `count` bytes of `what`. */
bool td_source_skip(struct td_import_source *source, uint64_t count, const char *what);

/* Reports what is wrong with the bytes at `offset`: printf-like.  Returns false. */
bool td_source_fail(struct td_import_source *source, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns whether the dump may take that much memory for `what` (allowance.h). */
bool td_source_allows(struct td_import_source *source, uint64_t wanted, const char *what);

#endif
