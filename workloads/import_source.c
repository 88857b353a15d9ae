#include "workloads/import_source.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "workloads/thg_error.h"

static bool fail_open(struct td_import_source *source, int why) {
  bool ours = why == ENOMEM || why == EMFILE || why == ENFILE;
  return td_thg_fail(source->error, ours ? TD_THG_NO_RESOURCES : TD_THG_BAD_INPUT, 0,
                     "%s: cannot read: %s", source->name, strerror(why));
}

bool td_source_open(struct td_import_source *source, const char *path,
                    const struct td_thg_progress *progress, struct td_thg_error *error) {
  memset(source, 0, sizeof *source);
  source->name = path;
  source->error = error;
  source->progress = progress;
  source->phase = "reading";
  /* Not to wait for somebody to open the other end of a pipe; files don't care. */
  source->file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (source->file < 0) return fail_open(source, errno);
  struct stat status;
  if (fstat(source->file, &status) != 0) {
    fail_open(source, errno);
    td_source_close(source);
    return false;
  }
  if (!S_ISREG(status.st_mode)) {
    td_source_close(source);
    return td_thg_fail(error, TD_THG_BAD_INPUT, 0, "%s: not a regular file", path);
  }
  source->length = (uint64_t)status.st_size;
  source->limit = source->length;
  source->buffer = malloc(TD_SOURCE_TAKE_MAX);
  if (!source->buffer) {
    td_source_close(source);
    return td_thg_fail_memory(error, path, "the read buffer");
  }
  source->next = source->end = source->buffer;
  return true;
}

void td_source_open_bytes(struct td_import_source *source, const void *bytes, uint64_t length,
                          const char *name, struct td_thg_error *error) {
  memset(source, 0, sizeof *source);
  source->name = name;
  source->error = error;
  source->phase = "reading";
  source->file = -1;
  source->length = source->limit = source->end_offset = length;
  source->memory = length ? bytes : (const uint8_t *)"";
  source->next = source->memory;
  source->end = source->memory + length;
}

void td_source_close(struct td_import_source *source) {
  if (source->file >= 0) close(source->file);
  free(source->buffer);
  source->buffer = NULL;
  source->file = -1;
}

bool td_source_rewind(struct td_import_source *source, const char *phase) {
  source->limit = source->length;
  source->phase = phase;
  if (source->file < 0) {
    source->next = source->memory;
    return true;
  }
  source->next = source->end = source->buffer;
  source->end_offset = 0;
  td_thg_report(source->progress, phase, 0, source->length);
  return true;
}

bool td_source_fail(struct td_import_source *source, uint64_t offset, const char *format, ...) {
  char what[300];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  return td_thg_fail(source->error, TD_THG_BAD_INPUT, offset, "%s: offset %" PRIu64 ": %s",
                     source->name, offset, what);
}

/* Move what is left to the front of the buffer and read more behind it. */
static bool read_more(struct td_import_source *source) {
  size_t left = (size_t)(source->end - source->next);
  memmove(source->buffer, source->next, left);
  source->next = source->buffer;
  source->end = source->buffer + left;
  ssize_t got;
  do {
    got = pread(source->file, source->buffer + left, TD_SOURCE_TAKE_MAX - left,
                (off_t)source->end_offset);
  } while (got < 0 && errno == EINTR);
  if (got < 0) {
    return td_thg_fail(source->error, TD_THG_BAD_INPUT, source->end_offset,
                       "%s: offset %" PRIu64 ": cannot read: %s", source->name, source->end_offset,
                       strerror(errno));
  }
  if (got == 0) return td_source_fail(source, source->end_offset, "the file became shorter");
  source->end += got;
  source->end_offset += (uint64_t)got;
  td_thg_report(source->progress, source->phase, source->end_offset, source->length);
  return true;
}

size_t td_source_fill(struct td_import_source *source) {
  uint64_t offset = td_source_offset(source);
  if (offset >= source->limit) return 0;
  if (source->next == source->end && !read_more(source)) return 0;
  uint64_t ready = (uint64_t)(source->end - source->next);
  uint64_t allowed = source->limit - offset;
  return (size_t)(ready < allowed ? ready : allowed);
}

static void fail_short(struct td_import_source *source, const char *what) {
  uint64_t offset = td_source_offset(source);
  if (source->limit == source->length) {
    td_source_fail(source, offset, "the file ends inside %s", what);
  } else {
    td_source_fail(source, offset, "%s runs past the end of its section", what);
  }
}

const uint8_t *td_source_take_far(struct td_import_source *source, size_t count, const char *what) {
  uint64_t offset = td_source_offset(source);
  if (count > source->limit - offset) {
    fail_short(source, what);
    return NULL;
  }
  while ((size_t)(source->end - source->next) < count) {
    if (count > TD_SOURCE_TAKE_MAX) {
      td_source_fail(source, offset, "%s of %zu bytes is larger than any known producer writes",
                     what, count);
      return NULL;
    }
    if (!read_more(source)) return NULL;
  }
  const uint8_t *bytes = source->next;
  source->next += count;
  return bytes;
}

bool td_source_skip(struct td_import_source *source, uint64_t count, const char *what) {
  uint64_t offset = td_source_offset(source);
  if (count > source->limit - offset) {
    fail_short(source, what);
    return false;
  }
  uint64_t ready = (uint64_t)(source->end - source->next);
  if (count <= ready) {
    source->next += count;
    return true;
  }
  /* Only a file can have fewer bytes ready than the limit allows: start afresh further on. */
  source->next = source->end = source->buffer;
  source->end_offset = offset + count;
  return true;
}
