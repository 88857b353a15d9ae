/* SPDX-License-Identifier: MIT */
/* Any bytes as the streams of a graph file, packed as they should be: what comes after zstd.
 *
 * The input is one byte for each of the header's four counts, one for the length of each stream
 * but the last, and then the streams, one behind the other. */
#include <string.h>
#include <zstd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "tests/fuzz/fuzz.h"
#include "inspect/thg/format.h"

#define LEAD 9u
#define STREAMS 6u

static size_t pack(struct td_thg_entry *entry, uint32_t stream, const uint8_t *raw, size_t length,
                   uint8_t *packed, size_t room) {
  size_t stored = ZSTD_compress(packed, room, raw, length, 1);
  if (ZSTD_isError(stored)) abort();
  *entry = (struct td_thg_entry){.stream = stream,
                                 .stored_bytes = stored,
                                 .raw_bytes = length,
                                 .sum = XXH64(packed, stored, 0)};
  return stored;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < LEAD) return 0;
  struct td_thg_header header = {.version = TD_THG_VERSION,
                                 .stream_count = STREAMS,
                                 .object_count = data[0],
                                 .ref_count = data[1],
                                 .root_count = data[2],
                                 .shape_count = data[3]};
  const uint8_t *raw = data + LEAD;
  size_t left = size - LEAD;
  size_t room = ZSTD_compressBound(size) + STREAMS * 64;
  uint8_t *bytes = malloc(room + 1024);
  if (!bytes) return 0;
  size_t at = (size_t)td_thg_header_bytes(STREAMS);
  for (uint32_t s = 0; s < STREAMS; s++) {
    size_t length = s + 1 < STREAMS ? data[4 + s] : left;
    if (length > left) length = left;
    at += pack(&header.entries[s], s + 1, raw, length, bytes + at, room + 1024 - at);
    raw += length;
    left -= length;
  }
  header.file_bytes = at;
  td_thg_header_encode(&header, bytes);
  struct td_thg graph;
  struct td_thg_error error = {0};
  bool was_read = td_thg_read_bytes(bytes, at, "fuzz", &graph, &error);
  judge(was_read, &graph, &error);
  free(bytes);
  return 0;
}
