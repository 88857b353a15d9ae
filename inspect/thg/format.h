/* SPDX-License-Identifier: MIT */
/* The .thg format: numbers that writers and readers share. docs/thg-format.md describes it.
 *
 * The library's writer (inspect/graph.c) and the program's writer and reader (workloads/thg_*.c)
 * use this folder. It depends on nothing else of the project. */
#ifndef TD_INSPECT_THG_FORMAT_H
#define TD_INSPECT_THG_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TD_THG_VERSION 1u
#define TD_THG_FIXED_BYTES 56u /* header up to the directory */
#define TD_THG_ENTRY_BYTES 32u /* of the directory */
#define TD_THG_SUM_BYTES 8u    /* checksum behind the directory */
#define TD_THG_STREAMS_MAX 32u
#define TD_THG_ABOUT_MAX 4096u
#define TD_THG_VARINT_MAX 10u /* bytes of a number below 2^64 */

#define TD_THG_NULL UINT32_MAX /* in place of an object's number: the slot holds null */
#define TD_THG_WORD_BYTES 8u

/* The largest object the format admits: no dump has come near, and sums of sizes cannot wrap. */
#define TD_THG_SIZE_MAX (UINT64_C(1) << 40)

/* Of the raw stream. A heap has some hundred shapes; a file that claims millions would make its
 * reader remember targets for each of their slots. */
#define TD_THG_SHAPES_BYTES_MAX (UINT64_C(4) << 20)

/* A zstd block of at most 128 KiB takes at least 4 bytes, so nothing honest expands further. */
#define TD_THG_EXPANSION_MAX 32768u

/* The first byte is not ASCII and the line ends are of both kinds, so that a copy in text mode is
 * noticed. */
extern const uint8_t td_thg_magic[8];

enum td_thg_shape_kind {
  TD_THG_LEAF = 0,   /* no references */
  TD_THG_BITMAP = 1, /* word i is a reference if bit i of the bitmap is set */
  TD_THG_PREFIX = 2, /* prefix_words words without references, then references to the end */
};

enum td_thg_stream {
  TD_THG_STREAM_SHAPES = 1,
  TD_THG_STREAM_SHAPE_OF = 2,
  TD_THG_STREAM_SIZES = 3,
  TD_THG_STREAM_TARGETS = 4,
  TD_THG_STREAM_ROOTS = 5,
  TD_THG_STREAM_ABOUT = 6,
  TD_THG_STREAM_COUNT = 6,
  TD_THG_STREAM_PADDING = 7, /* nothing to read; see td_thg_allowance */
};

/* How a target is written. */
enum {
  TD_THG_CODE_NULL = 0,
  TD_THG_CODE_LATEST = 1,
  TD_THG_CODE_BEFORE = 2,
  TD_THG_CODE_DELTA = 3
};

struct td_thg_entry {
  uint32_t stream;
  uint64_t stored_bytes;
  uint64_t raw_bytes;
  uint64_t sum; /* XXH64 of the stored bytes */
};

struct td_thg_header {
  uint32_t version;
  uint32_t stream_count;
  uint64_t file_bytes;
  uint64_t object_count;
  uint64_t ref_count;
  uint64_t root_count;
  uint64_t shape_count;
  struct td_thg_entry entries[TD_THG_STREAMS_MAX];
};

/* Bytes of header, directory and checksum. */
static inline uint64_t td_thg_header_bytes(uint32_t stream_count) {
  return TD_THG_FIXED_BYTES + (uint64_t)stream_count * TD_THG_ENTRY_BYTES + TD_THG_SUM_BYTES;
}

/* A file of a few kilobytes can describe a graph of gigabytes. So readers grant a file no more
 * memory than its length can justify; real graphs need 10 to 20 times the length of their files.
 * Writers lengthen a file that compresses better than that by a stream of zeros. */
#define TD_THG_ALLOWANCE_BASE (UINT64_C(256) << 20)
#define TD_THG_ALLOWANCE_RATIO 256u

/* Returns the memory that a file of that length is granted, UINT64_MAX where that overflows. */
uint64_t td_thg_allowance(uint64_t file_bytes, uint64_t base);

/* Returns the memory that a reader needs for a graph with these counts and that many bytes of
 * shapes. The counts are below 2^50. */
uint64_t td_thg_memory_bytes(const struct td_thg_header *header, uint64_t shape_bytes);

/* Writes td_thg_header_bytes(header->stream_count) bytes, the checksum included. */
void td_thg_header_encode(const struct td_thg_header *header, uint8_t *bytes);

/* The other way, without the checksum: fixed part and directory. The caller has made sure that the
 * bytes are there and that stream_count is at most TD_THG_STREAMS_MAX. */
void td_thg_header_decode(struct td_thg_header *header, const uint8_t *bytes);

uint64_t td_thg_header_sum(const uint8_t *bytes, uint32_t stream_count);
uint64_t td_thg_load(const uint8_t *bytes, unsigned width);

/* Small numbers of either sign as small numbers without. */
static inline uint64_t td_thg_zigzag(int64_t value) {
  return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}

static inline int64_t td_thg_unzigzag(uint64_t value) {
  return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

/* The latest two distinct targets of one slot of one shape: most slots repeat themselves.
 * Both begin as object 0. */
struct td_thg_recent {
  uint32_t latest;
  uint32_t before;
};

static inline void td_thg_remember(struct td_thg_recent *recent, uint32_t target) {
  if (recent->latest == target) return;
  recent->before = recent->latest;
  recent->latest = target;
}

#endif
