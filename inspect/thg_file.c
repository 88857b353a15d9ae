/* Streams and header of a graph file. */
#include "inspect/thg_file.h"

#include <stdlib.h>
#include <string.h>

#define FIXED_BYTES 56u
#define ENTRY_BYTES 32u
#define SUM_BYTES 8u
#define HEADER_BYTES (FIXED_BYTES + TD_THG_COLUMNS * ENTRY_BYTES + SUM_BYTES)
#define BLOCK_HEADER_BYTES 3u
#define BLOCK_BYTES ((size_t)128 << 10) /* the longest that zstd admits */
#define VARINT_BYTES_MAX 10u

/* zstd: magic number, then a frame without size and checksum, then a window of 128 KiB. */
static const uint8_t frame_header[] = {0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38};
enum block_type { BLOCK_RAW = 0, BLOCK_REPEATED = 1 };

bool td_thg_file_begin(struct td_thg_file *out, FILE *file) {
  static const uint8_t nothing[HEADER_BYTES];
  *out = (struct td_thg_file){.file = file};
  out->block = malloc(BLOCK_HEADER_BYTES + BLOCK_BYTES);
  if (!out->block) return false;
  fwrite(nothing, sizeof nothing, 1, file);
  return true;
}

void td_thg_file_free(struct td_thg_file *out) {
  free(out->block);
  out->block = NULL;
}

static void write_bytes(struct td_thg_file *out, const uint8_t *bytes, size_t count) {
  fwrite(bytes, 1, count, out->file);
  td_xxh64_add(&out->sum, bytes, count);
  out->entries[out->columns - 1].stored_bytes += count;
}

static void write_block(struct td_thg_file *out, bool last) {
  uint8_t *content = out->block + BLOCK_HEADER_BYTES;
  bool repeated = out->used > 1 && memcmp(content, content + 1, out->used - 1) == 0;
  uint32_t type = repeated ? BLOCK_REPEATED : BLOCK_RAW, header = (uint32_t)last | type << 1;
  header |= (uint32_t)out->used << 3;
  for (unsigned i = 0; i < BLOCK_HEADER_BYTES; i++)
    out->block[i] = (uint8_t)(header >> (8 * i));
  out->entries[out->columns - 1].raw_bytes += out->used;
  write_bytes(out, out->block, BLOCK_HEADER_BYTES + (repeated ? 1 : out->used));
  out->used = 0;
}

void td_thg_file_open(struct td_thg_file *out, enum td_thg_column column) {
  out->entries[out->columns++].number = column;
  td_xxh64_begin(&out->sum);
  write_bytes(out, frame_header, sizeof frame_header);
}

void td_thg_file_put(struct td_thg_file *out, uint64_t number) {
  if (out->used + VARINT_BYTES_MAX > BLOCK_BYTES) write_block(out, false);
  uint8_t *at = out->block + BLOCK_HEADER_BYTES + out->used, *from = at;
  for (; number >= 0x80; number >>= 7)
    *at++ = (uint8_t)(number | 0x80);
  *at++ = (uint8_t)number;
  out->used += (size_t)(at - from);
}

void td_thg_file_put_text(struct td_thg_file *out, const char *text) {
  size_t bytes = strlen(text);
  if (out->used + bytes > BLOCK_BYTES) return; /* ours are short */
  memcpy(out->block + BLOCK_HEADER_BYTES + out->used, text, bytes);
  out->used += bytes;
}

void td_thg_file_close(struct td_thg_file *out) {
  write_block(out, true);
  out->entries[out->columns - 1].sum = td_xxh64_value(&out->sum);
}

static uint8_t *store(uint8_t *at, uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; i++)
    *at++ = (uint8_t)(value >> (8 * i));
  return at;
}

bool td_thg_file_end(struct td_thg_file *out, const struct td_thg_counts *counts) {
  static const uint8_t magic[8] = {0x89, 'T', 'H', 'G', '\r', '\n', 0x1a, '\n'};
  uint8_t header[HEADER_BYTES], *at = header + sizeof magic;
  uint64_t file_bytes = HEADER_BYTES;
  for (unsigned i = 0; i < out->columns; i++)
    file_bytes += out->entries[i].stored_bytes;
  memcpy(header, magic, sizeof magic);
  at = store(at, 1, 4); /* version */
  at = store(at, out->columns, 4);
  at = store(at, file_bytes, 8);
  at = store(at, counts->objects, 8);
  at = store(at, counts->slots, 8);
  at = store(at, counts->roots, 8);
  at = store(at, counts->shapes, 8);
  for (unsigned i = 0; i < out->columns; i++) {
    at = store(at, out->entries[i].number, 8);
    at = store(at, out->entries[i].stored_bytes, 8);
    at = store(at, out->entries[i].raw_bytes, 8);
    at = store(at, out->entries[i].sum, 8);
  }
  td_xxh64_begin(&out->sum);
  td_xxh64_add(&out->sum, header, (size_t)(at - header));
  store(at, td_xxh64_value(&out->sum), 8);
  return fseek(out->file, 0, SEEK_SET) == 0 && fwrite(header, sizeof header, 1, out->file) == 1;
}
