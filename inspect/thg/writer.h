/* SPDX-License-Identifier: MIT */
/* Writing a .thg file (docs/thg-format.md): streams of numbers one behind the other, then the
 * header in front of them.
 *
 * A sink turns the numbers of a stream into the bytes that stand in the file, as one zstd frame.
 * The library's sink makes frames that do not compress (inspect/graph.c); the program's
 * compresses.
 *
 * Use: begin, then for each stream open, put…, close; then fill in the counts of the header and
 * end. The first failure stays in `failure` and turns all later calls into no-ops, so a caller may
 * look only now and then. */
#ifndef TD_INSPECT_THG_WRITER_H
#define TD_INSPECT_THG_WRITER_H

#include <stdio.h>

#include "inspect/thg/format.h"

/* How many numbers' bytes a sink is given at once: the longest block that zstd admits. */
#define TD_THG_CHUNK_BYTES ((size_t)128 << 10)

struct td_thg_writer;

struct td_thg_sink {
  /* Hands the stored form of raw[0, bytes) to td_thg_writer_store. `first` and `last`: the chunk
   * begins and ends a stream. At most TD_THG_CHUNK_BYTES; 0 only for the last. */
  void (*pack)(void *context, struct td_thg_writer *writer, const uint8_t *raw, size_t bytes,
               bool first, bool last);
  void *context;
};

enum td_thg_failure {
  TD_THG_WRITER_FINE = 0,
  TD_THG_WRITER_FILE,   /* reason is the errno */
  TD_THG_WRITER_MEMORY, /* why says for what, or what the compressor said */
  TD_THG_WRITER_LIMIT,  /* why says which limit of the format */
};

struct td_thg_writer {
  struct td_thg_header header; /* the counts are the caller's to fill in before the end */
  FILE *file;
  const struct td_thg_sink *sink;
  void *sum;    /* state of XXH64 */
  uint8_t *raw; /* [TD_THG_CHUNK_BYTES] what has gathered of the open stream */
  size_t used;
  struct td_thg_entry *entry; /* of the open stream */
  bool first;                 /* nothing of it was packed yet */
  enum td_thg_failure failure;
  int reason;
  const char *why;
};

/* The file is open for writing, at its beginning, and can seek. After a failure free is still
 * due. */
void td_thg_writer_begin(struct td_thg_writer *writer, FILE *file, const struct td_thg_sink *sink);
/* Each stream once, in any order; the padding is the writer's own. */
void td_thg_writer_open(struct td_thg_writer *writer, enum td_thg_stream stream);
void td_thg_writer_close(struct td_thg_writer *writer);
/* After all streams: writes the header and flushes the file. */
void td_thg_writer_end(struct td_thg_writer *writer);
void td_thg_writer_free(struct td_thg_writer *writer);

void td_thg_writer_fail(struct td_thg_writer *writer, enum td_thg_failure failure, const char *why);
/* For sinks: bytes for the file. */
void td_thg_writer_store(struct td_thg_writer *writer, const void *bytes, size_t count);

/* ---- What streams hold ---- */

/* One number of the open stream. */
void td_thg_put(struct td_thg_writer *writer, uint64_t number);
/* Cut after TD_THG_ABOUT_MAX bytes. */
void td_thg_put_text(struct td_thg_writer *writer, const char *text);
/* `bits` is for bitmaps, `prefix` for prefixes. */
void td_thg_put_shape(struct td_thg_writer *writer, enum td_thg_shape_kind kind, uint64_t prefix,
                      const uint64_t *bits, uint64_t words);
/* last: the size of the last object of the same shape, 0 before the first. */
void td_thg_put_size(struct td_thg_writer *writer, uint64_t bytes, uint64_t *last);
/* TD_THG_NULL for null. recent: the memory of the slot, or NULL to write distances only. */
void td_thg_put_target(struct td_thg_writer *writer, uint32_t source, uint32_t target,
                       struct td_thg_recent *recent);
/* last: the last root, 0 before the first. */
void td_thg_put_root(struct td_thg_writer *writer, uint32_t object, uint32_t *last);

#endif
