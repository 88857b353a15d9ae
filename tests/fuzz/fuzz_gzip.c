/* SPDX-License-Identifier: MIT */
/* Any bytes as a packed dump, and any bytes packed: what follows gzip's own checks. */
#include <zlib.h>

#include "tests/fuzz/fuzz.h"

/* Packs the bytes in two members and imports that. */
static void import_packed(const uint8_t *data, size_t size) {
  size_t room = 2 * (size_t)compressBound((uLong)size) + 64;
  uint8_t *packed = malloc(room);
  if (!packed) return;
  z_stream z = {.next_out = packed, .avail_out = (uInt)room};
  if (deflateInit2(&z, 1, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) abort();
  size_t cut = size ? data[0] % size : 0;
  for (int member = 0; member < 2; member++) {
    z.next_in = (Bytef *)(uintptr_t)(member ? data + cut : data);
    z.avail_in = (uInt)(member ? size - cut : cut);
    if (deflate(&z, Z_FINISH) != Z_STREAM_END) abort();
    deflateReset(&z);
  }
  size_t length = room - z.avail_out;
  deflateEnd(&z);
  struct td_thg graph;
  struct td_thg_error error = {0};
  bool was_read = td_import_bytes(packed, length, "fuzz", &graph, NULL, &error);
  judge(was_read, &graph, &error);
  free(packed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  import_as("\x1f\x8b\x08", 3, data, size);
  import_packed(data, size);
  return 0;
}
