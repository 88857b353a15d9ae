/* SPDX-License-Identifier: MIT */
/* Graph files that are cut short, changed, or made to mislead. */
#include "tests/unit/workloads/thg_sample.h"

#include <zstd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "inspect/thg/format.h"

static bool is_refused_graph(const struct bytes *b) {
  struct td_thg graph;
  struct td_thg_error error = {0};
  if (td_thg_read_bytes(b->data, b->length, "damaged", &graph, &error)) {
    cr_assert(td_thg_check(&graph, &error), "%s", error.text);
    td_thg_free(&graph);
    return false;
  }
  cr_assert_neq(error.kind, TD_THG_OK);
  cr_assert_eq(strncmp(error.text, "damaged: ", 9), 0, "%s", error.text);
  cr_assert_null(graph.size);
  return true;
}

Test(thg_damaged, cut_and_changed) {
  SCOPED_GRAPH graph = sample_graph();
  SCOPED_BYTES b = file_bytes(&graph);
  cut_at_every_byte(&b, b.length, is_refused_graph);
  cr_assert_eq(flip_every_bit(&b, is_refused_graph), b.length * 8);
  put_big(&b, 0, 1);
  cr_assert(is_refused_graph(&b), "a byte too many");
}

/* Make all checksums right again, as somebody would who means harm. */
static void mend_sums(struct bytes *b) {
  struct td_thg_header header;
  if (td_thg_load(b->data + 12, 4) > TD_THG_STREAMS_MAX) return;
  td_thg_header_decode(&header, b->data);
  uint64_t offset = td_thg_header_bytes(header.stream_count);
  for (uint32_t s = 0; s < header.stream_count; s++) {
    struct td_thg_entry *entry = &header.entries[s];
    if (offset > b->length || entry->stored_bytes > b->length - offset) break;
    entry->sum = XXH64(b->data + offset, entry->stored_bytes, 0);
    offset += entry->stored_bytes;
  }
  if (td_thg_header_bytes(header.stream_count) <= b->length) {
    uint8_t kept[12];
    memcpy(kept, b->data, sizeof kept); /* magic and version, which are not in the struct */
    td_thg_header_encode(&header, b->data);
    memcpy(b->data, kept, sizeof kept);
  }
}

static bool is_refused_with_mended_sums(const struct bytes *b) {
  SCOPED_BYTES mended = {0};
  put_bytes(&mended, b->data, b->length);
  mend_sums(&mended);
  bool refused = is_refused_graph(&mended);
  return refused;
}

Test(thg_damaged, every_bit_flipped_and_sums_mended) {
  SCOPED_GRAPH graph = sample_graph();
  SCOPED_BYTES b = file_bytes(&graph);
  cr_assert_gt(flip_every_bit(&b, is_refused_with_mended_sums), b.length * 4,
               "zstd's own checksums notice nothing");
}

/* A file with the given raw streams, each in a frame of its own, and counts as claimed. */
struct claim {
  struct td_thg_header header;
  struct bytes streams;
};

static void add_stream(struct claim *c, const void *raw, size_t length) {
  uint8_t packed[4096];
  size_t stored = ZSTD_compress(packed, sizeof packed, raw, length, 1);
  cr_assert_not(ZSTD_isError(stored));
  struct td_thg_entry *entry = &c->header.entries[c->header.stream_count];
  *entry = (struct td_thg_entry){.stream = ++c->header.stream_count,
                                 .stored_bytes = stored,
                                 .raw_bytes = length,
                                 .sum = XXH64(packed, stored, 0)};
  put_bytes(&c->streams, packed, stored);
}

static void assert_claim(struct claim *c, const char *wanted) {
  SCOPED_BYTES b = {0};
  SCOPED_GRAPH graph;
  struct td_thg_error error = {0};
  uint8_t header[4096];
  size_t header_bytes = (size_t)td_thg_header_bytes(c->header.stream_count);
  c->header.version = TD_THG_VERSION;
  c->header.file_bytes = header_bytes + c->streams.length;
  td_thg_header_encode(&c->header, header);
  put_bytes(&b, header, header_bytes);
  put_bytes(&b, c->streams.data, c->streams.length);
  bool read = td_thg_read_bytes(b.data, b.length, "claim", &graph, &error);
  cr_assert_eq(read, wanted == NULL, "%s", error.text);
  if (wanted) cr_assert(strstr(error.text, wanted), "\"%s\" lacks \"%s\"", error.text, wanted);
  free(c->streams.data);
}

enum { SHAPES, SHAPE_OF, SIZES, TARGETS, ROOTS, RAW_STREAMS };
struct raw {
  const char *text[RAW_STREAMS];
  size_t length[RAW_STREAMS];
};
/* One leaf of 8 bytes; one object that is a slot; the same, by a bitmap that is still to come. */
static const struct raw leaf = {{"\0", "\0", "\x10", "", "\0"}, {1, 1, 1, 0, 1}};
static const struct raw slot = {{"\2\0", "\0", "\x10", "\1", "\0"}, {2, 1, 1, 1, 1}};
static const struct raw mapped = {{"\1\0", "\0", "\x10", "", "\0"}, {2, 1, 1, 0, 1}};

static struct raw with(struct raw raw, unsigned stream, const char *text, size_t length) {
  raw.text[stream] = text;
  raw.length[stream] = length;
  return raw;
}

static struct claim make_claim(uint64_t objects, uint64_t refs, uint64_t roots, uint64_t shapes,
                               struct raw raw) {
  struct claim c = {
      .header = {
          .object_count = objects, .ref_count = refs, .root_count = roots, .shape_count = shapes}};
  for (unsigned stream = 0; stream < RAW_STREAMS; stream++)
    add_stream(&c, raw.text[stream], raw.length[stream]);
  add_stream(&c, "", 0);
  return c;
}

static void assert_raw(uint64_t objects, uint64_t refs, uint64_t roots, uint64_t shapes,
                       struct raw raw, const char *wanted) {
  struct claim c = make_claim(objects, refs, roots, shapes, raw);
  assert_claim(&c, wanted);
}

Test(thg_damaged, claims_of_the_header) {
  assert_raw(1, 0, 1, 1, leaf, NULL);
  assert_raw(2, 0, 1, 1, leaf, "column shape of is too short: 2 numbers in 1 bytes");
  assert_raw(1, 0, 2, 1, leaf, "column roots is too short: 2 numbers in 1 bytes");
  assert_raw(1, 0, 0, 1, leaf, "too long");
  assert_raw(1, 1, 1, 1, leaf, "column targets is too short: 1 numbers in 0 bytes");
  assert_raw(1, 0, 1, 2, leaf, "more shapes than objects");
  assert_raw(UINT32_MAX, 0, 1, 1, leaf, "too many objects");
  assert_raw(UINT64_MAX, 0, 1, 1, leaf, "too many objects");
  assert_raw(1, 0, UINT64_MAX, 1, leaf, "too many roots");
  assert_raw(1, UINT64_MAX, 1, 1, leaf, "column targets is too short");
  assert_raw(UINT32_MAX - 1, 0, 1, 1, leaf, "column shape of is too short");
  assert_raw(1, 1, 1, 1, with(leaf, TARGETS, "\0", 1), "fewer references");
  assert_raw(1, 0, 1, 1, with(leaf, TARGETS, (char[11]){0}, 11),
             "column targets is too long: 0 numbers in 11 bytes");
}

Test(thg_damaged, claims_of_the_streams) {
  static const struct {
    unsigned stream;
    const char *text;
    size_t length;
    const char *wanted;
  } cases[] = {
      {SHAPE_OF, "\1", 1, "an object of no shape"},
      {SIZES, "\0", 1, "size does not fit"},
      {SIZES, "\x0f", 1, "size does not fit"}, /* -8 */
      {SIZES, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, "size does not fit"},
      {SIZES, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10, "a number is too long"},
      {ROOTS, "\2", 1, "a root that is no object"},
      {ROOTS, "\1", 1, "a root that is no object"},
      {SHAPE_OF, "", 0, "column shape of is too short"},
      {SHAPE_OF, "\x80", 1, "column shape of: ends too early"},
      {SHAPES, "\7", 1, "an unknown kind of shape"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_raw(1, 0, 1, 1, with(leaf, cases[i].stream, cases[i].text, cases[i].length),
               cases[i].wanted);
}

Test(thg_damaged, shapes_and_references_that_mislead) {
  static const char none[] = "a reference to no object";
  assert_raw(1, 1, 1, 1, slot, NULL);
  assert_raw(1, 1, 1, 1, with(slot, TARGETS, "\2", 1), NULL);   /* object 0 from the start */
  assert_raw(1, 1, 1, 1, with(slot, TARGETS, "\x07", 1), none); /* source + 1 */
  assert_raw(1, 1, 1, 1, with(slot, TARGETS, "\x05", 1), none); /* source - 1 */
  struct raw before = with(slot, TARGETS, "\x06", 1);           /* latest - 1 */
  assert_raw(1, 1, 1, 1, before, none);
  /* A size of 2^40 claims 2^37 references. */
  assert_raw(1, 1, 1, 1, with(before, SIZES, "\x80\x80\x80\x80\x80\x40", 6),
             "more references than the header says");
  /* Bitmaps: of no word, of more words than there are bytes, with nothing in the last. */
  assert_raw(1, 0, 1, 1, mapped, "a bitmap's length");
  assert_raw(1, 0, 1, 1, with(mapped, SHAPES, "\1\x7f", 2), "a bitmap's length");
  assert_raw(1, 0, 1, 1, with(mapped, SHAPES, "\1\1\0", 3), "a bitmap ends in nothing");
  struct raw fourth = with(mapped, SHAPES, "\1\1\4", 3);
  assert_raw(1, 0, 1, 1, fourth, "size does not fit");
  fourth = with(with(fourth, SIZES, "\x30", 1), TARGETS, "\0", 1);
  assert_raw(1, 1, 1, 1, fourth, NULL);
}

/* A stream that claims to hold, or does hold, far more than its bytes can. */
Test(thg_damaged, bombs) {
  struct claim c = make_claim(1, 0, 1, 1, leaf);
  c.header.entries[1].raw_bytes = UINT64_C(1) << 40;
  assert_claim(&c, "claims to hold more than it can");
  c = make_claim(1, 0, 1, 1, leaf);
  c.header.entries[1].raw_bytes = 2;
  assert_claim(&c, "too long");
  c = make_claim(1, 0, 1, 1, with(leaf, SHAPE_OF, "\0\0", 2));
  c.header.entries[1].raw_bytes = 1;
  assert_claim(&c, "column shape of: holds more than it says");
  /* Sixteen million zeros in some hundred bytes, where one is announced. */
  enum { ZEROS = 16 << 20 };
  FREED char *zeros = calloc(ZEROS, 1);
  assert_raw(1, 0, 1, 1, with(leaf, SHAPE_OF, zeros, ZEROS), "too long");
}

Test(thg_damaged, streams_left_out_or_unknown) {
  struct claim c = make_claim(1, 0, 1, 1, leaf);
  c.header.entries[3].stream = 99;
  assert_claim(&c, "no column targets");
  /* A stream nobody knows is passed over, for versions to come. */
  c = make_claim(1, 0, 1, 1, leaf);
  add_stream(&c, "later", 5);
  assert_claim(&c, NULL);
}
