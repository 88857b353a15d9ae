/* SPDX-License-Identifier: MIT */
/* The header of a .thg file as bytes. */
#include "inspect/thg/format.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

const uint8_t td_thg_magic[8] = {0x89, 'T', 'H', 'G', '\r', '\n', 0x1a, '\n'};

uint64_t td_thg_load(const uint8_t *bytes, unsigned width) {
  uint64_t value = 0;
  for (unsigned b = 0; b < width; b++)
    value |= (uint64_t)bytes[b] << (8 * b);
  return value;
}

static uint8_t *store(uint8_t *bytes, uint64_t value, unsigned width) {
  for (unsigned b = 0; b < width; b++)
    *bytes++ = (uint8_t)(value >> (8 * b));
  return bytes;
}

uint64_t td_thg_header_sum(const uint8_t *bytes, uint32_t stream_count) {
  return XXH64(bytes, (size_t)td_thg_header_bytes(stream_count) - TD_THG_SUM_BYTES, 0);
}

void td_thg_header_encode(const struct td_thg_header *header, uint8_t *bytes) {
  uint8_t *at = bytes;
  memcpy(at, td_thg_magic, sizeof td_thg_magic);
  at = store(at + sizeof td_thg_magic, header->version, 4);
  at = store(at, header->stream_count, 4);
  at = store(at, header->file_bytes, 8);
  at = store(at, header->object_count, 8);
  at = store(at, header->ref_count, 8);
  at = store(at, header->root_count, 8);
  at = store(at, header->shape_count, 8);
  for (uint32_t s = 0; s < header->stream_count; s++) {
    const struct td_thg_entry *entry = &header->entries[s];
    at = store(at, entry->stream, 8);
    at = store(at, entry->stored_bytes, 8);
    at = store(at, entry->raw_bytes, 8);
    at = store(at, entry->sum, 8);
  }
  store(at, td_thg_header_sum(bytes, header->stream_count), 8);
}

void td_thg_header_decode(struct td_thg_header *header, const uint8_t *bytes) {
  header->version = (uint32_t)td_thg_load(bytes + 8, 4);
  header->stream_count = (uint32_t)td_thg_load(bytes + 12, 4);
  header->file_bytes = td_thg_load(bytes + 16, 8);
  header->object_count = td_thg_load(bytes + 24, 8);
  header->ref_count = td_thg_load(bytes + 32, 8);
  header->root_count = td_thg_load(bytes + 40, 8);
  header->shape_count = td_thg_load(bytes + 48, 8);
  for (uint32_t s = 0; s < header->stream_count; s++) {
    const uint8_t *at = bytes + TD_THG_FIXED_BYTES + (size_t)s * TD_THG_ENTRY_BYTES;
    header->entries[s] = (struct td_thg_entry){
        .stream = (uint32_t)td_thg_load(at, 4),
        .stored_bytes = td_thg_load(at + 8, 8),
        .raw_bytes = td_thg_load(at + 16, 8),
        .sum = td_thg_load(at + 24, 8),
    };
  }
}

uint64_t td_thg_allowance(uint64_t file_bytes, uint64_t base) {
  uint64_t bytes;
  if (__builtin_mul_overflow(file_bytes, TD_THG_ALLOWANCE_RATIO, &bytes) ||
      __builtin_add_overflow(bytes, base, &bytes))
    return UINT64_MAX;
  return bytes;
}

/* A byte of a bitmap can stand for seven slots; a reader remembers eight bytes for each, beside the
 * bitmap itself. */
uint64_t td_thg_memory_bytes(const struct td_thg_header *header, uint64_t shape_bytes) {
  return header->object_count * 20 + header->ref_count * 4 + header->root_count * 4 +
         shape_bytes * 64;
}
