/* SPDX-License-Identifier: MIT */
/* Streams and header of a .thg file, whatever stores their bytes. */
#include "inspect/thg/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* All streams, and the padding. */
#define HEADER_BYTES                                                                               \
  (TD_THG_FIXED_BYTES + (TD_THG_STREAM_COUNT + 1) * TD_THG_ENTRY_BYTES + TD_THG_SUM_BYTES)

/* ---- The file ---- */

void td_thg_writer_fail(struct td_thg_writer *writer, enum td_thg_failure failure,
                        const char *why) {
  if (writer->failure != TD_THG_WRITER_FINE) return;
  writer->failure = failure;
  writer->why = why;
}

/* Right after the call that failed, while errno tells why. */
static void fail_file(struct td_thg_writer *writer) {
  if (writer->failure == TD_THG_WRITER_FINE) writer->reason = errno ? errno : EIO;
  td_thg_writer_fail(writer, TD_THG_WRITER_FILE, "");
}

void td_thg_writer_begin(struct td_thg_writer *writer, FILE *file, const struct td_thg_sink *sink) {
  static const uint8_t nothing[HEADER_BYTES];
  *writer = (struct td_thg_writer){
      .file = file, .sink = sink, .header.version = TD_THG_VERSION, .why = ""};
  writer->sum = XXH64_createState();
  writer->raw = malloc(TD_THG_CHUNK_BYTES);
  if (!writer->sum || !writer->raw)
    td_thg_writer_fail(writer, TD_THG_WRITER_MEMORY, "not enough memory");
  else if (fwrite(nothing, sizeof nothing, 1, file) != 1)
    fail_file(writer);
}

void td_thg_writer_free(struct td_thg_writer *writer) {
  XXH64_freeState(writer->sum);
  free(writer->raw);
  writer->sum = NULL;
  writer->raw = NULL;
}

void td_thg_writer_store(struct td_thg_writer *writer, const void *bytes, size_t count) {
  if (writer->failure != TD_THG_WRITER_FINE || count == 0) return;
  if (fwrite(bytes, 1, count, writer->file) != count) {
    fail_file(writer);
    return;
  }
  XXH64_update(writer->sum, bytes, count);
  writer->entry->stored_bytes += count;
}

static void pack(struct td_thg_writer *writer, bool last) {
  if (writer->failure == TD_THG_WRITER_FINE) {
    writer->sink->pack(writer->sink->context, writer, writer->raw, writer->used, writer->first,
                       last);
    writer->entry->raw_bytes += writer->used;
  }
  writer->first = false;
  writer->used = 0;
}

void td_thg_writer_open(struct td_thg_writer *writer, enum td_thg_stream stream) {
  if (writer->failure != TD_THG_WRITER_FINE) return;
  writer->entry = &writer->header.entries[writer->header.stream_count++];
  *writer->entry = (struct td_thg_entry){.stream = (uint32_t)stream};
  writer->first = true;
  XXH64_reset(writer->sum, 0);
}

void td_thg_writer_close(struct td_thg_writer *writer) {
  pack(writer, true);
  if (writer->failure == TD_THG_WRITER_FINE) writer->entry->sum = XXH64_digest(writer->sum);
}

/* Adds as many zeros as the file must be longer by, so that readers grant it the graph's memory. */
static void pad(struct td_thg_writer *writer) {
  static const uint8_t zeros[4096];
  struct td_thg_header *header = &writer->header;
  uint64_t shape_bytes = 0;
  for (uint32_t i = 0; i < header->stream_count; i++)
    if (header->entries[i].stream == TD_THG_STREAM_SHAPES)
      shape_bytes = header->entries[i].raw_bytes;
  uint64_t needed = td_thg_memory_bytes(header, shape_bytes);
  uint64_t granted = td_thg_allowance(header->file_bytes, TD_THG_ALLOWANCE_BASE);
  uint64_t missing = needed > granted ? (needed - granted) / TD_THG_ALLOWANCE_RATIO + 1 : 0;
  td_thg_writer_open(writer, TD_THG_STREAM_PADDING);
  header->file_bytes += missing;
  writer->entry->raw_bytes = missing;
  for (uint64_t left = missing; left > 0 && writer->failure == TD_THG_WRITER_FINE;) {
    size_t piece = left < sizeof zeros ? (size_t)left : sizeof zeros;
    td_thg_writer_store(writer, zeros, piece);
    left -= piece;
  }
  writer->entry->sum = XXH64_digest(writer->sum);
}

void td_thg_writer_end(struct td_thg_writer *writer) {
  if (writer->failure != TD_THG_WRITER_FINE) return;
  struct td_thg_header *header = &writer->header;
  uint8_t bytes[HEADER_BYTES];
  header->file_bytes = HEADER_BYTES;
  for (uint32_t i = 0; i < header->stream_count; i++)
    header->file_bytes += header->entries[i].stored_bytes;
  pad(writer);
  if (writer->failure != TD_THG_WRITER_FINE) return;
  td_thg_header_encode(header, bytes);
  if (fseek(writer->file, 0, SEEK_SET) != 0 || fwrite(bytes, sizeof bytes, 1, writer->file) != 1 ||
      fflush(writer->file) != 0)
    fail_file(writer);
}

/* ---- What streams hold ---- */

void td_thg_put(struct td_thg_writer *writer, uint64_t number) {
  if (writer->failure != TD_THG_WRITER_FINE) return;
  if (writer->used + TD_THG_VARINT_MAX > TD_THG_CHUNK_BYTES) pack(writer, false);
  uint8_t *at = writer->raw + writer->used;
  for (; number >= 0x80; number >>= 7)
    *at++ = (uint8_t)(number | 0x80);
  *at++ = (uint8_t)number;
  writer->used = (size_t)(at - writer->raw);
}

void td_thg_put_text(struct td_thg_writer *writer, const char *text) {
  _Static_assert(TD_THG_ABOUT_MAX <= TD_THG_CHUNK_BYTES, "a text is one chunk");
  if (writer->failure != TD_THG_WRITER_FINE) return;
  size_t bytes = strlen(text), room = TD_THG_ABOUT_MAX - writer->used;
  if (bytes > room)
    for (bytes = room; bytes > 0 && (text[bytes] & 0xc0) == 0x80;) /* not inside a character */
      bytes--;
  memcpy(writer->raw + writer->used, text, bytes);
  writer->used += bytes;
}

void td_thg_put_shape(struct td_thg_writer *writer, enum td_thg_shape_kind kind, uint64_t prefix,
                      const uint64_t *bits, uint64_t words) {
  td_thg_put(writer, kind);
  if (kind == TD_THG_PREFIX) td_thg_put(writer, prefix);
  if (kind == TD_THG_BITMAP) td_thg_put(writer, words);
  for (uint64_t i = 0; kind == TD_THG_BITMAP && i < words; i++)
    td_thg_put(writer, bits[i]);
  if (writer->failure == TD_THG_WRITER_FINE &&
      writer->entry->raw_bytes + writer->used > TD_THG_SHAPES_BYTES_MAX)
    td_thg_writer_fail(writer, TD_THG_WRITER_LIMIT, "more shapes than the format admits");
}

void td_thg_put_size(struct td_thg_writer *writer, uint64_t bytes, uint64_t *last) {
  td_thg_put(writer, td_thg_zigzag((int64_t)(bytes - *last)));
  *last = bytes;
}

void td_thg_put_target(struct td_thg_writer *writer, uint32_t source, uint32_t target,
                       struct td_thg_recent *recent) {
  uint64_t code = TD_THG_CODE_NULL;
  if (target == TD_THG_NULL) {
    td_thg_put(writer, code);
    return;
  }
  uint64_t near_source = td_thg_zigzag((int64_t)target - (int64_t)source);
  code = TD_THG_CODE_DELTA + near_source * 2;
  if (recent) {
    uint64_t near_latest = td_thg_zigzag((int64_t)target - (int64_t)recent->latest);
    if (target == recent->latest)
      code = TD_THG_CODE_LATEST;
    else if (target == recent->before)
      code = TD_THG_CODE_BEFORE;
    /* Both kinds mixed compress worse than one, so the second must be much shorter. */
    else if (near_latest < near_source / 16)
      code = TD_THG_CODE_DELTA + near_latest * 2 + 1;
    td_thg_remember(recent, target);
  }
  td_thg_put(writer, code);
}

void td_thg_put_root(struct td_thg_writer *writer, uint32_t object, uint32_t *last) {
  td_thg_put(writer, td_thg_zigzag((int64_t)object - (int64_t)*last));
  *last = object;
}
