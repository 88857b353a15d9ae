/* SPDX-License-Identifier: MIT */
/* The header and directory of a .thg file, checked before anything else in it is believed. */
#ifndef TD_WORKLOADS_THG_HEADER_H
#define TD_WORKLOADS_THG_HEADER_H

#include "workloads/thg_error.h"
#include "inspect/thg/format.h"

/* A .thg file in memory. */
struct td_thg_bytes {
  const uint8_t *at;
  uint64_t length;
  const char *name; /* stands for the path in messages */
  struct td_thg_error *error;
};

/* Reports what is wrong at that offset: printf-like.  Returns false. */
bool td_thg_bad(const struct td_thg_bytes *file, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns what messages call the column. */
const char *td_thg_column_name(enum td_thg_stream stream);

/* Returns the column's place in the directory and where its bytes begin in the file.  The header
 * has been read, so the column is there. */
const struct td_thg_entry *td_thg_find_column(const struct td_thg_header *header,
                                              enum td_thg_stream stream, uint64_t *offset);

/* Reads the header.  After that all columns are there and lie inside the file, their checksums are
 * right, each is long enough for the numbers that the header counts in it, and the graph may take
 * the memory that it needs. */
bool td_thg_header_read(const struct td_thg_bytes *file, struct td_thg_header *header);

#endif
