/* SPDX-License-Identifier: MIT */
/* The bytes of a dump as they are stored: of a file, of standard input, or in memory.
 *
 * Files are read and not mapped: if another process cuts one short, that is an error and not a bus
 * error.  A pipe can be rewound too: what has been read from it is kept in a temporary file, which
 * has no name and so never outlives the process.
 * Threads: one reader. */
#ifndef TD_WORKLOADS_IMPORT_INPUT_H
#define TD_WORKLOADS_IMPORT_INPUT_H

#include <stddef.h>

#include "workloads/thg_error.h"

#define TD_INPUT_UNKNOWN UINT64_MAX

struct td_import_input {
  const char *name; /* the path, for messages */
  struct td_thg_error *error;
  const uint8_t *memory; /* NULL when reading from a file */
  uint64_t offset;       /* of the next byte */
  uint64_t length;       /* TD_INPUT_UNKNOWN until the end of a pipe is met */
  uint64_t base;         /* of a regular file: where the input begins in it */
  uint64_t kept;         /* bytes of a pipe that `spool` holds */
  int file;              /* -1 when reading from memory */
  int spool;             /* -1 until a pipe needs it */
  bool is_pipe;
  bool is_last; /* will not be rewound again, so nothing more is kept */
};

/* Opens the file, or standard input where the path is "-".  A named file must be a regular one.
 * Returns whether it succeeded; only then td_input_close is needed. */
bool td_input_open(struct td_import_input *input, const char *path, struct td_thg_error *error);
void td_input_open_bytes(struct td_import_input *input, const void *bytes, uint64_t length,
                         const char *name, struct td_thg_error *error);
void td_input_close(struct td_import_input *input);

/* Goes back to the first byte.  is_last: for the last time. */
void td_input_rewind(struct td_import_input *input, bool is_last);

/* Reads up to `room` bytes into *got, 0 at the end.  Returns false after an error. */
bool td_input_read(struct td_import_input *input, uint8_t *buffer, size_t room, size_t *got);

/* Passes over bytes that are there.  Not for pipes. */
void td_input_skip(struct td_import_input *input, uint64_t count);

/* Returns the length, or for a pipe how much of it has been seen. */
static inline uint64_t td_input_seen(const struct td_import_input *input) {
  return input->length != TD_INPUT_UNKNOWN ? input->length : input->offset;
}

#endif
