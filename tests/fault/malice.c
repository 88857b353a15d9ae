/* SPDX-License-Identifier: MIT */
/* Small files made to take much memory or time.  Memory is counted as it is taken, and work by what
 * it leaves behind, never by the clock. */
#include "tests/fault/live.h"

#include <inttypes.h>
#include <zlib.h>
#include <zstd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "tests/unit/workloads/hprof_dump.h"
#include "workloads/allowance.h"
#include "workloads/import_ids.h"
#include "inspect/thg/format.h"

/* ---- Graph files whose columns repeat a byte ---------------------------------------------- */

/* A column: some bytes of its own, then one byte again and again.  zstd stores 128 KiB of those in
 * four bytes. */
struct column {
  const char *head;
  size_t head_bytes;
  uint8_t byte;
  uint64_t times;
};

static void put_block(struct bytes *b, unsigned type, size_t size, bool is_last) {
  uint32_t header = (uint32_t)is_last | type << 1 | (uint32_t)size << 3;
  for (unsigned i = 0; i < 3; i++)
    put_bytes(b, &(uint8_t){(uint8_t)(header >> (8 * i))}, 1);
}

static void put_column(struct td_thg_header *header, struct bytes *b, const struct column *c) {
  static const uint8_t frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38};
  size_t start = b->length;
  put_bytes(b, frame, sizeof frame);
  put_block(b, 0, c->head_bytes, c->times == 0);
  put_bytes(b, c->head, c->head_bytes);
  for (uint64_t left = c->times; left > 0;) {
    uint64_t size = left < 128 << 10 ? left : 128 << 10;
    left -= size;
    put_block(b, 1, (size_t)size, left == 0);
    put_bytes(b, &c->byte, 1);
  }
  header->entries[header->stream_count] = (struct td_thg_entry){
      .stream = header->stream_count + 1,
      .stored_bytes = b->length - start,
      .raw_bytes = c->head_bytes + c->times,
      .sum = XXH64(b->data + start, b->length - start, 0),
  };
  header->stream_count++;
}

/* The counts are the header's; columns in the order of their streams, the description empty. */
static struct bytes make_file(struct td_thg_header header, const struct column columns[5]) {
  struct bytes streams = {0}, file = {0};
  uint8_t head[4096];
  for (int c = 0; c < 5; c++)
    put_column(&header, &streams, &columns[c]);
  put_column(&header, &streams, &(struct column){.head = ""});
  size_t head_bytes = (size_t)td_thg_header_bytes(header.stream_count);
  header.version = TD_THG_VERSION;
  header.file_bytes = head_bytes + streams.length;
  td_thg_header_encode(&header, head);
  put_bytes(&file, head, head_bytes);
  put_bytes(&file, streams.data, streams.length);
  free(streams.data);
  return file;
}

/* `count` objects of one slot each, all null. */
static struct bytes many_objects(uint64_t count) {
  const struct column columns[5] = {{"\2\0", 2, 0, 0},
                                    {"", 0, 0, count},
                                    {"\x10", 1, 0, count - 1},
                                    {"", 0, 0, count},
                                    {"\0", 1, 0, 0}};
  return make_file(
      (struct td_thg_header){
          .object_count = count, .ref_count = count, .root_count = 1, .shape_count = 1},
      columns);
}

static bool read_file_bytes(const struct bytes *file, struct td_thg_error *error) {
  struct td_thg graph;
  *error = (struct td_thg_error){0};
  live_begin();
  bool was_read = td_thg_read_bytes(file->data, file->length, "small", &graph, error);
  if (was_read) td_thg_free(&graph);
  return was_read;
}

Test(malice, more_objects_than_the_file_can_justify) {
  SCOPED_BYTES file = many_objects(100000000);
  struct td_thg_error error;
  cr_assert_leq(file.length, 10000);
  cr_assert_not(read_file_bytes(&file, &error));
  cr_assert_eq(error.kind, TD_THG_BAD_INPUT);
  cr_assert(
      strstr(error.text, "small: 100000000 objects and 100000000 references (column targets)"),
      "%s", error.text);
  cr_assert(strstr(error.text, "256 MiB and 256 times its length"), "%s", error.text);
  cr_assert_leq(live_most, 1 << 20, "%zu bytes", live_most);
}

/* A small file may still hold some ten million objects, and takes what was said and no more. */
Test(malice, as_many_objects_as_it_can_justify) {
  SCOPED_BYTES file = many_objects(4000000);
  struct td_thg_error error;
  cr_assert(read_file_bytes(&file, &error), "%s", error.text);
  cr_assert_leq(live_most, 4000000 * UINT64_C(24) + (1 << 20), "%zu bytes", live_most);
}

/* Words of 0x7f: seven slots for each byte, and the reader remembers two targets for each. */
Test(malice, bitmaps_of_many_slots) {
  enum { WORDS = 1 << 20 };
  const struct column columns[5] = {{"\1\x80\x80\x40", 4, 0x7f, WORDS},
                                    {"", 0, 0, 1},
                                    {"\x80\x80\x80\x80\x08", 5, 0, 0},
                                    {"", 0, 0, WORDS * 7},
                                    {"\0", 1, 0, 0}};
  SCOPED_BYTES file = make_file(
      (struct td_thg_header){
          .object_count = 1, .ref_count = WORDS * 7, .root_count = 1, .shape_count = 1},
      columns);
  struct td_thg_error error;
  cr_assert(read_file_bytes(&file, &error), "%s", error.text);
  cr_assert_leq(live_most, WORDS * UINT64_C(92) + (1 << 20), "%zu bytes", live_most);
}

/* ---- Identifiers that meet in one place of a table ---------------------------------------- */

/* What a multiplication by the golden ratio and a shift sends to the low twenty bits 0. */
static uint64_t next_colliding(uint64_t *state) {
  uint64_t inverse = 1;
  const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);
  for (int i = 0; i < 6; i++)
    inverse *= 2 - golden * inverse; /* Newton's method modulo a power of two */
  for (;;) {
    uint64_t high = ++*state;
    uint64_t key = (high << 32 | (high & 0xfffff)) * inverse;
    if (key < UINT64_C(1) << 55 && key > 0) return key << 9 | 1;
  }
}

/* The longest search in a table with linear probing is as long as its longest full stretch. */
static uint64_t longest_stretch(const struct td_import_ids *ids) {
  uint64_t longest = 0, current = 0;
  for (uint64_t slot = 0; slot <= ids->table_mask; slot++) {
    current = ids->table[slot] ? current + 1 : 0;
    if (current > longest) longest = current;
  }
  return longest;
}

Test(malice, identifiers_that_collide) {
  enum { COUNT = 20000 };
  static uint64_t identifiers[COUNT];
  uint64_t state = 0, where;
  for (int i = 0; i < COUNT; i++)
    identifiers[i] = next_colliding(&state);
  struct td_import_ids ids;
  cr_assert_eq(td_ids_build(&ids, identifiers, COUNT, &where), TD_IDS_OK);
  cr_assert_eq(ids.chunk_count, COUNT, "each is alone in its chunk");
  cr_assert_leq(longest_stretch(&ids), 500);
  td_ids_free(&ids);
}

/* ---- gzip --------------------------------------------------------------------------------- */

/* A gzip file of `head`, then one byte `times` times, then `tail`. */
static struct bytes pack(const struct bytes *head, int byte, uint64_t times,
                         const struct bytes *tail) {
  static uint8_t piece[1 << 20], out[1 << 16];
  struct bytes packed = {0};
  z_stream z = {0};
  cr_assert_eq(deflateInit2(&z, 6, Z_DEFLATED, MAX_WBITS + 16, 9, Z_DEFAULT_STRATEGY), Z_OK);
  memset(piece, byte, sizeof piece);
  uint64_t left = times;
  for (int part = 0; part < 3; part += part != 1 || left == 0) {
    bool is_middle = part == 1;
    const struct bytes *end = part == 0 ? head : tail;
    uint64_t size = is_middle ? (left < sizeof piece ? left : sizeof piece) : end->length;
    z.next_in = is_middle ? piece : end->data;
    z.avail_in = (uInt)size;
    if (is_middle) left -= size;
    do {
      z.next_out = out;
      z.avail_out = sizeof out;
      deflate(&z, part == 2 ? Z_FINISH : Z_NO_FLUSH);
      put_bytes(&packed, out, sizeof out - z.avail_out);
    } while (z.avail_out == 0);
  }
  deflateEnd(&z);
  return packed;
}

static bool import_bytes(const struct bytes *bytes, struct td_thg_error *error) {
  struct td_thg graph;
  *error = (struct td_thg_error){0};
  live_begin();
  bool done = td_import_bytes(bytes->data, bytes->length, "packed", &graph, NULL, error);
  if (done) td_thg_free(&graph);
  return done;
}

/* A primitive array of zeros: nothing to keep, but much to unpack. */
static struct bytes packed_array(uint32_t count) {
  SCOPED_DUMP d = {.id = 4, .is_segments = true};
  SCOPED_BYTES tail = {0};
  begin_dump(&d, "JAVA PROFILE 1.0.2");
  put_record(&d, 0x1c, count + 14);
  put_big(&d.bytes, 0x23, 1);
  put_id(&d, 8);
  put_big(&d.bytes, 0, 4);
  put_big(&d.bytes, count, 4);
  put_big(&d.bytes, TD_HPROF_BYTE, 1);
  put_big(&tail, 0x2c, 1);
  put_big(&tail, 0, 4);
  put_big(&tail, 0, 4);
  struct bytes packed = pack(&d.bytes, 0, count, &tail);
  return packed;
}

Test(malice, gzip_that_expands_without_end) {
  struct td_thg_error error;
  SCOPED_BYTES packed = packed_array(50 << 20);
  cr_assert(import_bytes(&packed, &error), "%s", error.text);
  free(packed.data);
  packed = packed_array(400 << 20);
  cr_assert_leq(packed.length, 600 << 10);
  cr_assert_not(import_bytes(&packed, &error));
  cr_assert_eq(error.kind, TD_THG_BAD_INPUT);
  cr_assert(strstr(error.text, "expand to more than"), "%s", error.text);
  cr_assert(strstr(error.text, "gunzip"), "%s", error.text);
  cr_assert_leq(live_most, 8 << 20, "%zu bytes", live_most);
}

/* Roots of four bytes each, the smallest records: they may not take more than is allowed. */
Test(malice, gzip_of_many_small_records) {
  SCOPED_DUMP d = {.id = 4, .is_segments = true};
  SCOPED_BYTES tail = {0};
  const uint32_t bytes = 100 << 20;
  begin_dump(&d, "JAVA PROFILE 1.0.2");
  put_record(&d, 0x1c, bytes);
  put_big(&tail, 0x2c, 1);
  put_big(&tail, 0, 4);
  put_big(&tail, 0, 4);
  /* Tag 0x05 and the identifier 0x05050505. */
  SCOPED_BYTES packed = pack(&d.bytes, 5, bytes, &tail);
  struct td_thg_error error;
  cr_assert_not(import_bytes(&packed, &error));
  cr_assert_eq(error.kind, TD_THG_BAD_INPUT);
  cr_assert(strstr(error.text, "roots"), "%s", error.text);
  cr_assert_leq(live_most, td_allowance_bytes(packed.length), "%zu bytes", live_most);
}

/* ---- JSON --------------------------------------------------------------------------------- */

static struct bytes snapshot_with(const char *head, const char *piece, size_t times,
                                  const char *tail) {
  struct bytes b = {0};
  put_bytes(&b, head, strlen(head));
  for (size_t i = 0; i < times; i++)
    put_bytes(&b, piece, strlen(piece));
  put_bytes(&b, tail, strlen(tail));
  return b;
}

#define META                                                                                       \
  "{\"snapshot\":{\"meta\":{\"node_fields\":[\"id\",\"self_size\",\"edge_count\"],"                \
  "\"edge_fields\":[\"type\",\"to_node\"]}"

Test(malice, brackets_nested_without_end) {
  SCOPED_BYTES b = snapshot_with("{\"x\":", "[", 1 << 20, "");
  struct td_thg_error error;
  cr_assert_not(import_bytes(&b, &error));
  cr_assert(strstr(error.text, "nested too deeply"), "%s", error.text);
  cr_assert_leq(live_most, 1 << 20);
}

/* A count is only a claim: nothing is taken for nodes and edges that have not been seen. */
Test(malice, counts_that_promise_everything) {
  struct bytes b = snapshot_with(META ",\"node_count\":999999999999,\"edge_count\":999999999999},"
                                      "\"nodes\":[1,999999999999,4000000000,",
                                 "2,0,0,", 1000, "3,0,0],\"edges\":[0,0]}");
  struct td_thg_error error;
  cr_assert_not(import_bytes(&b, &error));
  cr_assert_eq(error.kind, TD_THG_BAD_INPUT);
  cr_assert_leq(live_most, 1 << 20);
  free(b.data);
}
