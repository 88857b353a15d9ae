/* SPDX-License-Identifier: MIT */
/* Dumps that are packed with gzip. */
#ifndef TD_TESTS_UNIT_WORKLOADS_PACKED_H
#define TD_TESTS_UNIT_WORKLOADS_PACKED_H

#include <zlib.h>

#include "tests/unit/workloads/dump.h"

/* Appends the bytes as one gzip member. */
static inline void pack(struct bytes *out, const void *data, size_t length) {
  uint8_t room[4096];
  z_stream z = {.next_in = (Bytef *)(uintptr_t)data, .avail_in = (uInt)length};
  z.next_out = room;
  z.avail_out = sizeof room;
  cr_assert_eq(deflateInit2(&z, 9, Z_DEFLATED, MAX_WBITS + 16, 9, Z_DEFAULT_STRATEGY), Z_OK);
  cr_assert_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
  put_bytes(out, room, sizeof room - z.avail_out);
  deflateEnd(&z);
}

#endif
