/* SPDX-License-Identifier: MIT */
#include "workloads/thg_column.h"

#include <stdlib.h>
#include <zstd_errors.h>

/* The largest window that a writer may ask its reader to keep: 2^27 bytes is zstd's own default,
 * and the most that its levels use. */
#define WINDOW_LOG_MAX 27

bool td_thg_unpacker_new(struct td_thg_unpacker *unpacker) {
  unpacker->raw_capacity = ZSTD_DStreamOutSize();
  unpacker->raw = malloc(unpacker->raw_capacity);
  unpacker->zstd = ZSTD_createDCtx();
  if (!unpacker->raw || !unpacker->zstd) {
    td_thg_unpacker_free(unpacker);
    return false;
  }
  ZSTD_DCtx_setParameter(unpacker->zstd, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
  return true;
}

void td_thg_unpacker_free(struct td_thg_unpacker *unpacker) {
  ZSTD_freeDCtx(unpacker->zstd);
  free(unpacker->raw);
  *unpacker = (struct td_thg_unpacker){0};
}

void td_thg_column_open(struct td_thg_column *column, const struct td_thg_bytes *file,
                        const struct td_thg_header *header, enum td_thg_stream stream,
                        struct td_thg_unpacker *unpacker) {
  uint64_t offset;
  const struct td_thg_entry *entry = td_thg_find_column(header, stream, &offset);
  *column = (struct td_thg_column){
      .file = file,
      .unpacker = unpacker,
      .entry = entry,
      .offset = offset,
      .in = {.src = file->at + offset, .size = (size_t)entry->stored_bytes},
      .next = unpacker->raw,
      .end = unpacker->raw,
      .raw_left = entry->raw_bytes,
  };
  ZSTD_DCtx_reset(unpacker->zstd, ZSTD_reset_session_only);
}

bool td_thg_column_bad(const struct td_thg_column *column, const char *what) {
  return td_thg_bad(column->file, column->offset, "column %s: %s",
                    td_thg_column_name(column->entry->stream), what);
}

static bool fail_zstd(const struct td_thg_column *column, size_t result) {
  if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation) {
    return td_thg_fail_memory(column->file->error, column->file->name, "decompressing");
  }
  return td_thg_column_bad(column, ZSTD_getErrorName(result));
}

bool td_thg_column_refill(struct td_thg_column *column) {
  struct td_thg_unpacker *unpacker = column->unpacker;
  ZSTD_outBuffer out = {.dst = unpacker->raw, .size = unpacker->raw_capacity};
  while (out.pos == 0) {
    if (column->at_frame_end) return td_thg_column_bad(column, "ends too early");
    size_t result = ZSTD_decompressStream(unpacker->zstd, &out, &column->in);
    if (ZSTD_isError(result)) return fail_zstd(column, result);
    column->at_frame_end = result == 0;
    if (!column->at_frame_end && out.pos == 0 && column->in.pos == column->in.size) {
      return td_thg_column_bad(column, "is cut short");
    }
  }
  if (out.pos > column->raw_left) return td_thg_column_bad(column, "holds more than it says");
  column->raw_left -= out.pos;
  column->next = unpacker->raw;
  column->end = unpacker->raw + out.pos;
  return true;
}

bool td_thg_column_get_far(struct td_thg_column *column, uint64_t *value) {
  uint64_t number = 0;
  for (unsigned shift = 0;; shift += 7) {
    if (column->next == column->end && !td_thg_column_refill(column)) return false;
    uint64_t byte = *column->next++;
    if (shift == 63 && byte > 1) return td_thg_column_bad(column, "a number is too long");
    number |= (byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  *value = number;
  return true;
}

bool td_thg_column_close(struct td_thg_column *column) {
  if (column->next != column->end || column->raw_left != 0) {
    return td_thg_column_bad(column, "is too long");
  }
  if (!column->at_frame_end) {
    /* What is left can only be the frame's end; it must bring no more bytes. */
    uint8_t none;
    ZSTD_outBuffer out = {.dst = &none, .size = sizeof none};
    size_t result = ZSTD_decompressStream(column->unpacker->zstd, &out, &column->in);
    if (ZSTD_isError(result)) return fail_zstd(column, result);
    if (result != 0 || out.pos != 0) return td_thg_column_bad(column, "does not end");
  }
  return column->in.pos == column->in.size ? true
                                           : td_thg_column_bad(column, "bytes behind its end");
}
