/* SPDX-License-Identifier: MIT */
/* Unpacking a dump that is stored with gzip.
 *
 * What a file may expand to is bounded by its length (allowance.h): the rest of the reader never
 * sees more.  Members that follow each other are one dump, as gzip has it. */
#ifndef TD_WORKLOADS_IMPORT_GZIP_H
#define TD_WORKLOADS_IMPORT_GZIP_H

#include <zlib.h>

#include "workloads/import_input.h"

#define TD_GZIP_BUFFER_BYTES ((size_t)64 << 10)

struct td_import_gzip {
  struct td_import_input *input;
  uint8_t *packed; /* [TD_GZIP_BUFFER_BYTES] */
  z_stream stream;
  uint64_t expanded; /* bytes handed out */
  bool in_member;    /* a member has begun and not ended */
  bool had_member;   /* one has ended */
};

/* Returns whether bytes begin as gzip's do. */
bool td_gzip_is(const uint8_t *bytes, size_t length);

/* The input has been rewound.  Returns false where there is no memory, with the error set. */
bool td_gzip_open(struct td_import_gzip *gzip, struct td_import_input *input);
void td_gzip_close(struct td_import_gzip *gzip);

/* Begins again; the input has been rewound. */
void td_gzip_restart(struct td_import_gzip *gzip);

/* Unpacks up to `room` bytes into *got, 0 at the end.  Returns false after an error. */
bool td_gzip_read(struct td_import_gzip *gzip, uint8_t *buffer, size_t room, size_t *got);

#endif
