/* SPDX-License-Identifier: MIT */
#include "inspect/thg/raw_frame.h"

#include <string.h>

#define BLOCK_HEADER_BYTES 3u

enum block_type { BLOCK_RAW = 0, BLOCK_REPEATED = 1 };

static void pack(void *context, struct td_thg_writer *writer, const uint8_t *raw, size_t bytes,
                 bool first, bool last) {
  /* Magic number, a frame without size and checksum, a window of 128 KiB. */
  static const uint8_t frame_header[] = {0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38};
  (void)context;
  if (first) td_thg_writer_store(writer, frame_header, sizeof frame_header);
  bool repeated = bytes > 1 && memcmp(raw, raw + 1, bytes - 1) == 0;
  uint32_t type = repeated ? BLOCK_REPEATED : BLOCK_RAW;
  uint32_t header = (uint32_t)last | type << 1 | (uint32_t)bytes << 3;
  uint8_t stored[BLOCK_HEADER_BYTES];
  for (unsigned i = 0; i < BLOCK_HEADER_BYTES; i++)
    stored[i] = (uint8_t)(header >> (8 * i));
  td_thg_writer_store(writer, stored, sizeof stored);
  td_thg_writer_store(writer, raw, repeated ? 1 : bytes);
}

const struct td_thg_sink td_thg_raw_frames = {pack, NULL};
