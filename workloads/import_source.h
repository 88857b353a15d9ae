/* A dump being read from front to back: from a file through one buffer, or from memory.
 *
 * Files are read, not mapped: a file that another process cuts short must give an error, not a
 * bus error.  Every failure is recorded with the offset in the error given at opening, and stays:
 * callers need only test what they were returned.
 * Threads: one reader. */
#ifndef TD_WORKLOADS_IMPORT_SOURCE_H
#define TD_WORKLOADS_IMPORT_SOURCE_H

#include <stddef.h>

#include "workloads/thg.h"

/* The most that td_source_take hands out in one piece. */
#define TD_SOURCE_TAKE_MAX ((size_t)4 << 20)

struct td_import_source {
  const uint8_t *next; /* first byte not yet taken */
  const uint8_t *end;  /* end of the bytes at hand */
  uint64_t end_offset; /* where `end` is in the input */
  uint64_t limit;      /* no take may go past this offset; the length unless set lower */
  uint64_t length;     /* of the whole input */
  const char *name;
  struct td_thg_error *error;
  const struct td_thg_progress *progress;
  const char *phase;
  uint8_t *buffer; /* owned; NULL when reading from memory */
  const uint8_t *memory;
  int file; /* -1 when reading from memory */
};

bool td_source_open(struct td_import_source *source, const char *path,
                    const struct td_thg_progress *progress, struct td_thg_error *error);
void td_source_open_bytes(struct td_import_source *source, const void *bytes, uint64_t length,
                          const char *name, struct td_thg_error *error);
void td_source_close(struct td_import_source *source);

/* Go back to the first byte, naming the phase that begins. */
bool td_source_rewind(struct td_import_source *source, const char *phase);

static inline uint64_t td_source_offset(const struct td_import_source *source) {
  return source->end_offset - (uint64_t)(source->end - source->next);
}

/* Make at least one byte available if the limit allows.  Returns how many there are at `next`,
 * 0 at the limit or after a failed read. */
size_t td_source_fill(struct td_import_source *source);

/* The slow half of td_source_take. */
const uint8_t *td_source_take_far(struct td_import_source *source, size_t count, const char *what);

/* The next `count` (at most TD_SOURCE_TAKE_MAX) bytes in one piece, or NULL with an error that
 * says the input ended inside `what`.  Valid until the next call. */
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

/* Pass over `count` bytes of `what`. */
bool td_source_skip(struct td_import_source *source, uint64_t count, const char *what);

/* Say that the bytes at `offset` are wrong: printf-like, always false. */
bool td_source_fail(struct td_import_source *source, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
