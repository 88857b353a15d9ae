/* SPDX-License-Identifier: MIT */
/* Any bytes as a graph file, with its own checksums mended: they would keep nearly all out. */
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "tests/fuzz/fuzz.h"
#include "inspect/thg/format.h"

static void mend(uint8_t *bytes, size_t size) {
  struct td_thg_header header;
  if (size < TD_THG_FIXED_BYTES) return;
  memcpy(bytes, td_thg_magic, sizeof td_thg_magic);
  uint64_t streams = td_thg_load(bytes + 12, 4);
  if (streams > TD_THG_STREAMS_MAX || td_thg_header_bytes((uint32_t)streams) > size) return;
  td_thg_header_decode(&header, bytes);
  header.version = TD_THG_VERSION;
  header.file_bytes = size;
  uint64_t offset = td_thg_header_bytes(header.stream_count);
  for (uint32_t s = 0; s < header.stream_count; s++) {
    struct td_thg_entry *entry = &header.entries[s];
    if (entry->stored_bytes > size - offset) break;
    entry->sum = XXH64(bytes + offset, (size_t)entry->stored_bytes, 0);
    offset += entry->stored_bytes;
  }
  td_thg_header_encode(&header, bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct td_thg graph;
  struct td_thg_error error = {0};
  uint8_t *bytes = malloc(size ? size : 1);
  if (!bytes) return 0;
  if (size) memcpy(bytes, data, size);
  mend(bytes, size);
  bool was_read = td_thg_read_bytes(bytes, size, "fuzz", &graph, &error);
  judge(was_read, &graph, &error);
  free(bytes);
  return 0;
}
