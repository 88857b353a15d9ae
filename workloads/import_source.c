/* SPDX-License-Identifier: MIT */
#include "workloads/import_source.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workloads/allowance.h"

#define MIB (1024.0 * 1024.0)

/* ---- Opening and closing ------------------------------------------------------------------ */

/* The input is open.  Looks whether it is packed, and goes back to its start. */
static bool begin(struct td_import_source *source, const struct td_thg_progress *progress) {
  uint8_t magic[2];
  size_t seen = 0;
  size_t got = 1;
  source->name = source->input.name;
  source->error = source->input.error;
  source->progress = progress;
  while (seen < sizeof magic && got > 0) {
    if (!td_input_read(&source->input, magic + seen, sizeof magic - seen, &got)) return false;
    seen += got;
  }
  td_input_rewind(&source->input, false);
  source->is_packed = td_gzip_is(magic, seen);
  if (source->is_packed && !td_gzip_open(&source->gzip, &source->input)) {
    source->is_packed = false;
    return false;
  }
  if (source->is_packed || !source->input.memory) {
    source->buffer = malloc(TD_SOURCE_TAKE_MAX);
    if (!source->buffer) {
      return td_thg_fail_memory(source->error, source->name, "the read buffer");
    }
  }
  td_source_rewind(source, "reading", false);
  return true;
}

bool td_source_open(struct td_import_source *source, const char *path,
                    const struct td_thg_progress *progress, struct td_thg_error *error) {
  memset(source, 0, sizeof *source);
  if (!td_input_open(&source->input, path, error)) return false;
  if (begin(source, progress)) return true;
  td_source_close(source);
  return false;
}

bool td_source_open_bytes(struct td_import_source *source, const void *bytes, uint64_t length,
                          const char *name, struct td_thg_error *error) {
  memset(source, 0, sizeof *source);
  td_input_open_bytes(&source->input, bytes, length, name, error);
  if (begin(source, NULL)) return true;
  td_source_close(source);
  return false;
}

void td_source_close(struct td_import_source *source) {
  if (source->is_packed) td_gzip_close(&source->gzip);
  td_input_close(&source->input);
  free(source->buffer);
  free(source->joined);
  source->buffer = source->joined = NULL;
}

/* What is done and how far, for a progress line.  The length of a pipe is not known. */
static void report(const struct td_import_source *source) {
  const struct td_import_input *input = &source->input;
  char text[100];
  if (!source->progress || input->memory) return;
  bool is_known = input->length != TD_INPUT_UNKNOWN;
  if (is_known) {
    snprintf(text, sizeof text, "%s, %.1f of %.1f MiB", source->phase, (double)input->offset / MIB,
             (double)input->length / MIB);
  } else {
    snprintf(text, sizeof text, "%s, %.1f MiB", source->phase, (double)input->offset / MIB);
  }
  td_thg_report(source->progress, text, input->offset, is_known ? input->length : 0);
}

void td_source_rewind(struct td_import_source *source, const char *phase, bool is_last) {
  source->phase = phase;
  td_input_rewind(&source->input, is_last);
  if (source->is_packed) td_gzip_restart(&source->gzip);
  if (source->buffer) {
    source->length = source->is_packed ? TD_INPUT_UNKNOWN : source->input.length;
    source->next = source->end = source->buffer;
    source->end_offset = 0;
  } else {
    source->length = source->end_offset = source->input.length;
    source->next = source->input.memory;
    source->end = source->next + source->length;
  }
  source->limit = source->length;
  report(source);
}

/* ---- Failing ------------------------------------------------------------------------------ */

bool td_source_fail(struct td_import_source *source, uint64_t offset, const char *format, ...) {
  char what[300];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  return td_thg_fail(source->error, TD_THG_BAD_INPUT, offset, "%s: offset %" PRIu64 ": %s",
                     source->name, offset, what);
}

bool td_source_allows(struct td_import_source *source, uint64_t wanted, const char *what) {
  return td_allowance_covers(source->name, td_input_seen(&source->input), what, wanted,
                             source->error);
}

/* The file ends, or the limit comes, before all of `what`. */
static bool fail_short(struct td_import_source *source, const char *what) {
  uint64_t offset = td_source_offset(source);
  if (source->failed) return false;
  if (source->limit < source->length) {
    return td_source_fail(source, offset, "%s runs past the end of its section", what);
  }
  return td_source_fail(source, offset, "the file ends inside %s", what);
}

/* ---- Reading ------------------------------------------------------------------------------ */

/* Moves what is left to the front of the buffer and reads more behind it.  Returns false at the
 * end of the dump, or after an error. */
static bool read_more(struct td_import_source *source) {
  if (source->failed || source->end_offset == source->length) return false;
  size_t left = (size_t)(source->end - source->next);
  size_t got;
  memmove(source->buffer, source->next, left);
  source->next = source->buffer;
  source->end = source->buffer + left;
  uint8_t *free_at = source->buffer + left;
  source->failed = source->is_packed
                       ? !td_gzip_read(&source->gzip, free_at, TD_SOURCE_TAKE_MAX - left, &got)
                       : !td_input_read(&source->input, free_at, TD_SOURCE_TAKE_MAX - left, &got);
  if (source->failed) return false;
  source->end += got;
  source->end_offset += got;
  if (got == 0) {
    if (source->limit == source->length) source->limit = source->end_offset;
    source->length = source->end_offset;
  }
  report(source);
  return got > 0;
}

size_t td_source_fill(struct td_import_source *source, size_t count) {
  while ((size_t)(source->end - source->next) < count && read_more(source)) {
  }
  uint64_t ready = (uint64_t)(source->end - source->next);
  uint64_t allowed = source->limit - td_source_offset(source);
  return source->failed ? 0 : (size_t)(ready < allowed ? ready : allowed);
}

/* Is there more to be had behind the limit? */
static bool goes_on(struct td_import_source *source) {
  return td_source_offset(source) == source->limit && source->limit < source->length &&
         source->go_on && source->go_on(source->context);
}

/* The same as td_source_take, of bytes that lie in several sections. */
static const uint8_t *take_joined(struct td_import_source *source, size_t count, const char *what) {
  if (!source->joined) source->joined = malloc(TD_SOURCE_TAKE_MAX);
  if (!source->joined) {
    td_thg_fail_memory(source->error, source->name, "a record in two sections");
    return NULL;
  }
  for (size_t got = 0; got < count;) {
    uint64_t left = source->limit - td_source_offset(source);
    size_t piece = left < count - got ? (size_t)left : count - got;
    if (piece == 0 && goes_on(source)) continue;
    if (piece == 0) {
      fail_short(source, what);
      return NULL;
    }
    const uint8_t *bytes = td_source_take(source, piece, what);
    if (!bytes) return NULL;
    memcpy(source->joined + got, bytes, piece);
    got += piece;
  }
  return source->joined;
}

const uint8_t *td_source_take_far(struct td_import_source *source, size_t count, const char *what) {
  if (count > TD_SOURCE_TAKE_MAX) {
    td_source_fail(source, td_source_offset(source),
                   "%s of %zu bytes is larger than any known producer writes", what, count);
    return NULL;
  }
  if (td_source_fill(source, count) < count) {
    if (source->go_on && !source->failed && source->limit < source->length) {
      return take_joined(source, count, what);
    }
    fail_short(source, what);
    return NULL;
  }
  const uint8_t *bytes = source->next;
  source->next += count;
  return bytes;
}

/* Starts afresh further on, without having read what lies between. */
static void jump(struct td_import_source *source, uint64_t offset) {
  td_input_skip(&source->input, offset - source->end_offset);
  source->next = source->end = source->buffer;
  source->end_offset = offset;
}

static bool skip_inside(struct td_import_source *source, uint64_t count, const char *what) {
  uint64_t offset = td_source_offset(source);
  uint64_t ready = (uint64_t)(source->end - source->next);
  if (count > ready && !source->is_packed && !source->input.is_pipe) {
    jump(source, offset + count);
    return true;
  }
  while (count > ready) {
    source->next = source->end;
    count -= ready;
    if (!read_more(source)) return fail_short(source, what);
    ready = (uint64_t)(source->end - source->next);
  }
  source->next += count;
  return true;
}

bool td_source_skip(struct td_import_source *source, uint64_t count, const char *what) {
  for (;;) {
    uint64_t left = source->limit - td_source_offset(source);
    if (count <= left) return skip_inside(source, count, what);
    if (!source->go_on || source->limit == source->length) return fail_short(source, what);
    if (!skip_inside(source, left, what)) return false;
    count -= left;
    if (!goes_on(source)) return fail_short(source, what);
  }
}
