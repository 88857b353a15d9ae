/* SPDX-License-Identifier: MIT */
#include "workloads/thg_header.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "workloads/allowance.h"
#include "workloads/thg.h"

bool td_thg_bad(const struct td_thg_bytes *file, uint64_t offset, const char *format, ...) {
  char what[300];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  return td_thg_fail(file->error, TD_THG_BAD_INPUT, offset, "%s: offset %" PRIu64 ": %s",
                     file->name, offset, what);
}

const char *td_thg_column_name(enum td_thg_stream stream) {
  static const char *const names[TD_THG_STREAM_COUNT + 1] = {
      "unknown", "shapes", "shape of", "sizes", "targets", "roots", "about",
  };
  return names[stream <= TD_THG_STREAM_COUNT ? stream : 0];
}

const struct td_thg_entry *td_thg_find_column(const struct td_thg_header *header,
                                              enum td_thg_stream stream, uint64_t *offset) {
  *offset = td_thg_header_bytes(header->stream_count);
  for (uint32_t s = 0; s < header->stream_count; s++) {
    if (header->entries[s].stream == stream) return &header->entries[s];
    *offset += header->entries[s].stored_bytes;
  }
  return NULL;
}

static bool check_directory(const struct td_thg_bytes *file, const struct td_thg_header *header) {
  uint64_t offset = td_thg_header_bytes(header->stream_count);
  for (uint32_t s = 0; s < header->stream_count; s++) {
    const struct td_thg_entry *entry = &header->entries[s];
    const char *name = td_thg_column_name(entry->stream);
    uint64_t at = TD_THG_FIXED_BYTES + (uint64_t)s * TD_THG_ENTRY_BYTES;
    if (entry->stored_bytes > file->length - offset) {
      return td_thg_bad(file, at, "column %s reaches past the end of the file", name);
    }
    if (entry->raw_bytes / TD_THG_EXPANSION_MAX > entry->stored_bytes) {
      return td_thg_bad(file, at,
                        "column %s claims to hold more than it can: %" PRIu64 " bytes in %" PRIu64,
                        name, entry->raw_bytes, entry->stored_bytes);
    }
    if (XXH64(file->at + offset, (size_t)entry->stored_bytes, 0) != entry->sum) {
      return td_thg_bad(file, offset, "column %s is damaged: its checksum differs", name);
    }
    offset += entry->stored_bytes;
  }
  return offset == file->length ? true : td_thg_bad(file, offset, "bytes behind the last column");
}

/* Whether the column can hold that many numbers, and holds no more bytes than they can take. */
static bool check_count(const struct td_thg_bytes *file, const struct td_thg_header *header,
                        enum td_thg_stream stream, uint64_t count) {
  uint64_t offset;
  const struct td_thg_entry *entry = td_thg_find_column(header, stream, &offset);
  const char *name = td_thg_column_name(stream);
  if (!entry) {
    return td_thg_bad(file, TD_THG_FIXED_BYTES, "no column %s (stream %d)", name, stream);
  }
  if (stream == TD_THG_STREAM_ABOUT) return true;
  if (count > entry->raw_bytes) {
    return td_thg_bad(file, offset,
                      "column %s is too short: %" PRIu64 " numbers in %" PRIu64 " bytes", name,
                      count, entry->raw_bytes);
  }
  /* A shape is as long as its bitmap; the length of that column is bounded by itself. */
  if (stream != TD_THG_STREAM_SHAPES && entry->raw_bytes / TD_THG_VARINT_MAX > count) {
    return td_thg_bad(file, offset,
                      "column %s is too long: %" PRIu64 " numbers in %" PRIu64 " bytes", name,
                      count, entry->raw_bytes);
  }
  return true;
}

static bool check_memory(const struct td_thg_bytes *file, const struct td_thg_header *h) {
  uint64_t offset;
  const struct td_thg_entry *shapes = td_thg_find_column(h, TD_THG_STREAM_SHAPES, &offset);
  if (shapes->raw_bytes > TD_THG_SHAPES_BYTES_MAX) {
    return td_thg_bad(file, offset,
                      "column shapes is too long: %" PRIu64 " bytes, at most %" PRIu64,
                      shapes->raw_bytes, TD_THG_SHAPES_BYTES_MAX);
  }
  char what[120];
  snprintf(what, sizeof what, "%" PRIu64 " objects and %" PRIu64 " references (column targets)",
           h->object_count, h->ref_count);
  /* The counts are at most 32,768 times the length of the file. */
  return td_allowance_covers(file->name, file->length, what,
                             td_thg_memory_bytes(h, shapes->raw_bytes), file->error);
}

static bool check_counts(const struct td_thg_bytes *file, const struct td_thg_header *h) {
  const uint64_t counts[TD_THG_STREAM_COUNT + 1] = {
      [TD_THG_STREAM_SHAPES] = h->shape_count, [TD_THG_STREAM_SHAPE_OF] = h->object_count,
      [TD_THG_STREAM_SIZES] = h->object_count, [TD_THG_STREAM_TARGETS] = h->ref_count,
      [TD_THG_STREAM_ROOTS] = h->root_count,
  };
  if (h->object_count >= TD_THG_NULL) return td_thg_bad(file, 24, "too many objects");
  if (h->root_count > UINT32_MAX) return td_thg_bad(file, 40, "too many roots");
  if (h->shape_count > h->object_count) return td_thg_bad(file, 48, "more shapes than objects");
  for (int stream = 1; stream <= TD_THG_STREAM_COUNT; stream++) {
    if (!check_count(file, h, (enum td_thg_stream)stream, counts[stream])) return false;
  }
  return check_memory(file, h);
}

bool td_thg_header_read(const struct td_thg_bytes *file, struct td_thg_header *header) {
  if (file->length < TD_THG_FIXED_BYTES + TD_THG_SUM_BYTES ||
      memcmp(file->at, td_thg_magic, sizeof td_thg_magic) != 0) {
    return td_thg_bad(file, 0, "not a .thg graph file; tidemark import makes one of a heap dump");
  }
  uint64_t version = td_thg_load(file->at + 8, 4);
  if (version != TD_THG_VERSION) {
    return td_thg_bad(file, 8, "version %" PRIu64 "; this program reads version %u", version,
                      TD_THG_VERSION);
  }
  uint32_t streams = (uint32_t)td_thg_load(file->at + 12, 4);
  if (streams > TD_THG_STREAMS_MAX || td_thg_header_bytes(streams) > file->length) {
    return td_thg_bad(file, 12, "the directory does not fit the file");
  }
  uint64_t sum_at = td_thg_header_bytes(streams) - TD_THG_SUM_BYTES;
  if (td_thg_load(file->at + sum_at, 8) != td_thg_header_sum(file->at, streams)) {
    return td_thg_bad(file, sum_at, "the header is damaged: its checksum differs");
  }
  td_thg_header_decode(header, file->at);
  if (header->file_bytes != file->length) {
    return td_thg_bad(file, file->length, "the file should be %" PRIu64 " bytes long",
                      header->file_bytes);
  }
  return check_directory(file, header) && check_counts(file, header);
}
