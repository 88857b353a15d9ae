/* SPDX-License-Identifier: MIT */
/* Reading the numbers of one column of a .thg file. */
#ifndef TD_WORKLOADS_THG_COLUMN_H
#define TD_WORKLOADS_THG_COLUMN_H

#include <zstd.h>

#include "workloads/thg_header.h"

/* What columns are unpacked with, one after the other. */
struct td_thg_unpacker {
  ZSTD_DCtx *zstd;
  uint8_t *raw; /* [raw_capacity] */
  size_t raw_capacity;
};

/* Returns false where there is no memory; td_thg_unpacker_free is then allowed, not needed. */
bool td_thg_unpacker_new(struct td_thg_unpacker *unpacker);
void td_thg_unpacker_free(struct td_thg_unpacker *unpacker);

struct td_thg_column {
  const struct td_thg_bytes *file;
  struct td_thg_unpacker *unpacker;
  const struct td_thg_entry *entry;
  uint64_t offset; /* of the column in the file, for messages */
  ZSTD_inBuffer in;
  const uint8_t *next, *end; /* of the bytes at hand, in unpacker->raw */
  uint64_t raw_left;         /* bytes still to be unpacked */
  bool at_frame_end;
};

/* Goes to the start of a column.  The header has been read by td_thg_header_read. */
void td_thg_column_open(struct td_thg_column *column, const struct td_thg_bytes *file,
                        const struct td_thg_header *header, enum td_thg_stream stream,
                        struct td_thg_unpacker *unpacker);

/* Reports what is wrong with the column.  Returns false. */
bool td_thg_column_bad(const struct td_thg_column *column, const char *what);

/* Unpacks the next piece.  Returns false when there is none, or after an error. */
bool td_thg_column_refill(struct td_thg_column *column);

/* The slow half of td_thg_column_get. */
bool td_thg_column_get_far(struct td_thg_column *column, uint64_t *value);

/* Takes the next number. */
static inline bool td_thg_column_get(struct td_thg_column *column, uint64_t *value) {
  if (column->next < column->end && *column->next < 0x80) {
    *value = *column->next++;
    return true;
  }
  return td_thg_column_get_far(column, value);
}

/* Sees that the column ends where its numbers do. */
bool td_thg_column_close(struct td_thg_column *column);

#endif
