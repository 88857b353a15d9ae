#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "workloads/thg_error.h"
#include "inspect/thg/format.h"
#include "workloads/thg_memory.h"
#include "workloads/thg_recent.h"

struct reader {
  const uint8_t *bytes;
  uint64_t length;
  const char *name;
  struct td_thg *graph;
  struct td_thg_error *error;
  struct td_thg_header header;
  ZSTD_DCtx *zstd;
  uint8_t *raw; /* [raw_capacity] */
  size_t raw_capacity;
};

/* One stream being taken apart. */
struct column {
  struct reader *reader;
  const struct td_thg_entry *entry;
  uint64_t offset; /* of the stream in the file, for messages */
  ZSTD_inBuffer in;
  const uint8_t *next, *end; /* of the bytes at hand, in reader->raw */
  uint64_t raw_left;         /* bytes still to be decompressed */
  bool at_frame_end;
};

static bool bad(struct reader *r, uint64_t offset, const char *what) {
  return td_thg_fail(r->error, TD_THG_BAD_INPUT, offset, "%s: offset %" PRIu64 ": %s", r->name,
                     offset, what);
}

static bool bad_column(struct column *c, const char *what) {
  return bad(c->reader, c->offset, what);
}

/* ---- Header ------------------------------------------------------------------------------- */

static bool check_counts(struct reader *r) {
  const struct td_thg_header *h = &r->header;
  if (h->object_count >= TD_THG_NULL) return bad(r, 24, "too many objects");
  if (h->root_count > UINT32_MAX) return bad(r, 40, "too many roots");
  if (h->shape_count > h->object_count) return bad(r, 48, "more shapes than objects");
  uint64_t needed = h->object_count * 20 + h->root_count * 4;
  uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
  if (h->ref_count > (UINT64_MAX - needed) / 4 || needed + h->ref_count * 4 > memory) {
    return td_thg_fail(r->error, TD_THG_NO_RESOURCES, 24,
                       "%s: offset 24: %" PRIu64 " objects and %" PRIu64
                       " references need more memory than this machine has",
                       r->name, h->object_count, h->ref_count);
  }
  return true;
}

static bool check_directory(struct reader *r) {
  uint64_t offset = td_thg_header_bytes(r->header.stream_count);
  for (uint32_t s = 0; s < r->header.stream_count; s++) {
    const struct td_thg_entry *entry = &r->header.entries[s];
    uint64_t at = TD_THG_FIXED_BYTES + (uint64_t)s * TD_THG_ENTRY_BYTES;
    if (entry->stored_bytes > r->length - offset) {
      return bad(r, at, "a stream reaches past the end of the file");
    }
    if (entry->raw_bytes / TD_THG_EXPANSION_MAX > entry->stored_bytes) {
      return bad(r, at, "a stream claims to hold more than it can");
    }
    if (XXH64(r->bytes + offset, (size_t)entry->stored_bytes, 0) != entry->sum) {
      return bad(r, offset, "a stream is damaged: its checksum differs");
    }
    offset += entry->stored_bytes;
  }
  return offset == r->length ? true : bad(r, offset, "bytes behind the last stream");
}

static bool read_header(struct reader *r) {
  if (r->length < TD_THG_FIXED_BYTES + TD_THG_SUM_BYTES ||
      memcmp(r->bytes, td_thg_magic, sizeof td_thg_magic) != 0) {
    return bad(r, 0, "not a .thg graph file");
  }
  uint64_t version = td_thg_load(r->bytes + 8, 4);
  if (version != TD_THG_VERSION) {
    return td_thg_fail(r->error, TD_THG_BAD_INPUT, 8,
                       "%s: offset 8: version %" PRIu64 "; this program reads version %u", r->name,
                       version, TD_THG_VERSION);
  }
  uint32_t streams = (uint32_t)td_thg_load(r->bytes + 12, 4);
  if (streams > TD_THG_STREAMS_MAX || td_thg_header_bytes(streams) > r->length) {
    return bad(r, 12, "the directory does not fit the file");
  }
  uint64_t sum_at = td_thg_header_bytes(streams) - TD_THG_SUM_BYTES;
  if (td_thg_load(r->bytes + sum_at, 8) != td_thg_header_sum(r->bytes, streams)) {
    return bad(r, sum_at, "the header is damaged: its checksum differs");
  }
  td_thg_header_decode(&r->header, r->bytes);
  if (r->header.file_bytes != r->length) {
    return td_thg_fail(r->error, TD_THG_BAD_INPUT, r->length,
                       "%s: offset %" PRIu64 ": the file should be %" PRIu64 " bytes long", r->name,
                       r->length, r->header.file_bytes);
  }
  return check_counts(r) && check_directory(r);
}

/* ---- Columns ------------------------------------------------------------------------------ */

static bool open_column(struct reader *r, enum td_thg_stream stream, struct column *c) {
  uint64_t offset = td_thg_header_bytes(r->header.stream_count);
  for (uint32_t s = 0; s < r->header.stream_count; s++) {
    const struct td_thg_entry *entry = &r->header.entries[s];
    if (entry->stream == stream) {
      *c = (struct column){
          .reader = r,
          .entry = entry,
          .offset = offset,
          .in = {.src = r->bytes + offset, .size = (size_t)entry->stored_bytes},
          .next = r->raw,
          .end = r->raw,
          .raw_left = entry->raw_bytes,
      };
      ZSTD_DCtx_reset(r->zstd, ZSTD_reset_session_only);
      return true;
    }
    offset += entry->stored_bytes;
  }
  return td_thg_fail(r->error, TD_THG_BAD_INPUT, TD_THG_FIXED_BYTES, "%s: no stream %d", r->name,
                     stream);
}

/* Decompress the next piece.  Returns false when there is none, or after an error. */
static bool refill(struct column *c) {
  struct reader *r = c->reader;
  ZSTD_outBuffer out = {.dst = r->raw, .size = r->raw_capacity};
  while (out.pos == 0) {
    if (c->at_frame_end) return bad_column(c, "a stream ends too early");
    size_t result = ZSTD_decompressStream(r->zstd, &out, &c->in);
    if (ZSTD_isError(result)) return bad_column(c, ZSTD_getErrorName(result));
    c->at_frame_end = result == 0;
    if (!c->at_frame_end && out.pos == 0 && c->in.pos == c->in.size) {
      return bad_column(c, "a stream is cut short");
    }
  }
  if (out.pos > c->raw_left) return bad_column(c, "a stream holds more than it says");
  c->raw_left -= out.pos;
  c->next = r->raw;
  c->end = r->raw + out.pos;
  return true;
}

static bool get_slowly(struct column *c, uint64_t *value) {
  uint64_t number = 0;
  for (unsigned shift = 0;; shift += 7) {
    if (c->next == c->end && !refill(c)) return false;
    uint64_t byte = *c->next++;
    if (shift == 63 && byte > 1) return bad_column(c, "a number is too long");
    number |= (byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  *value = number;
  return true;
}

static inline bool get(struct column *c, uint64_t *value) {
  if (c->next < c->end && *c->next < 0x80) {
    *value = *c->next++;
    return true;
  }
  return get_slowly(c, value);
}

/* The stream must end where its numbers do. */
static bool close_column(struct column *c) {
  if (c->next != c->end || c->raw_left != 0) return bad_column(c, "a stream is too long");
  if (!c->at_frame_end) {
    /* What is left can only be the frame's end; it must bring no more bytes. */
    uint8_t none;
    ZSTD_outBuffer out = {.dst = &none, .size = sizeof none};
    size_t result = ZSTD_decompressStream(c->reader->zstd, &out, &c->in);
    if (ZSTD_isError(result)) return bad_column(c, ZSTD_getErrorName(result));
    if (result != 0 || out.pos != 0) return bad_column(c, "a stream does not end");
  }
  return c->in.pos == c->in.size ? true : bad_column(c, "bytes behind a stream's end");
}

/* ---- Streams ------------------------------------------------------------------------------ */

static bool read_bitmap(struct column *c, struct td_thg_shape *shape, uint64_t words) {
  /* Each word takes a byte or more of the stream. */
  if (words == 0 || words > c->entry->raw_bytes) return bad_column(c, "a bitmap's length");
  shape->bitmap = td_new_array(words, sizeof *shape->bitmap);
  if (!shape->bitmap) return td_thg_fail_memory(c->reader->error, c->reader->name, "a shape");
  shape->bitmap_words = (uint32_t)words;
  for (uint64_t w = 0; w < words; w++) {
    if (!get(c, &shape->bitmap[w])) return false;
  }
  return shape->bitmap[words - 1] != 0 ? true : bad_column(c, "a bitmap ends in nothing");
}

static bool read_shape(struct column *c, struct td_thg_shape *shape) {
  uint64_t kind;
  uint64_t value;
  if (!get(c, &kind)) return false;
  if (kind > TD_THG_PREFIX) return bad_column(c, "an unknown kind of shape");
  shape->kind = (enum td_thg_shape_kind)kind;
  if (kind == TD_THG_LEAF) return true;
  if (!get(c, &value)) return false;
  if (value > UINT32_MAX) return bad_column(c, "a shape out of range");
  if (kind == TD_THG_BITMAP) return read_bitmap(c, shape, value);
  shape->prefix_words = (uint32_t)value;
  return true;
}

static bool read_shapes(struct reader *r) {
  struct column c;
  uint64_t capacity = 0;
  struct td_thg *graph = r->graph;
  if (!open_column(r, TD_THG_STREAM_SHAPES, &c)) return false;
  if (c.entry->raw_bytes > TD_THG_SHAPES_BYTES_MAX) return bad_column(&c, "too many shapes");
  while (graph->shape_count < r->header.shape_count) {
    if (!td_grow((void **)&graph->shapes, &capacity, graph->shape_count, sizeof *graph->shapes)) {
      return td_thg_fail_memory(r->error, r->name, "its shapes");
    }
    struct td_thg_shape *shape = &graph->shapes[graph->shape_count++];
    memset(shape, 0, sizeof *shape);
    if (!read_shape(&c, shape)) return false;
  }
  return close_column(&c);
}

static bool read_shape_of(struct reader *r) {
  struct column c;
  uint64_t capacity = 0;
  uint64_t shape;
  struct td_thg *graph = r->graph;
  if (!open_column(r, TD_THG_STREAM_SHAPE_OF, &c)) return false;
  while (graph->object_count < r->header.object_count) {
    if (!td_grow((void **)&graph->shape_of, &capacity, graph->object_count,
                 sizeof *graph->shape_of)) {
      return td_thg_fail_memory(r->error, r->name, "its objects");
    }
    if (!get(&c, &shape)) return false;
    if (shape >= graph->shape_count) return bad_column(&c, "an object of no shape");
    graph->shape_of[graph->object_count++] = (uint32_t)shape;
  }
  return close_column(&c);
}

/* What reading sizes needs to know of a shape, found once. */
struct facts {
  uint64_t size_min;
  uint64_t last;  /* size of the latest object of the shape */
  uint64_t slots; /* of a bitmap */
};

/* Sizes, and from them where each object's references begin.  All arrays here are as long as
 * shape_of, which has been read. */
static bool read_size(struct column *c, uint32_t i, struct facts *facts) {
  struct td_thg *graph = c->reader->graph;
  const struct td_thg_shape *shape = &graph->shapes[graph->shape_of[i]];
  uint64_t code;
  if (!get(c, &code)) return false;
  uint64_t size = facts->last + (uint64_t)td_thg_unzigzag(code);
  if (size < facts->size_min || size > TD_THG_SIZE_MAX) {
    return bad_column(c, "an object's size does not fit its shape");
  }
  facts->last = size;
  graph->size[i] = size;
  uint64_t slots = shape->kind == TD_THG_BITMAP ? facts->slots : td_thg_slots(shape, size);
  graph->first_ref[i + 1] = graph->first_ref[i] + slots;
  if (graph->first_ref[i + 1] > c->reader->header.ref_count) {
    return bad_column(c, "more references than the header says");
  }
  return true;
}

static bool read_all_sizes(struct reader *r, struct facts *facts) {
  struct column c;
  const struct td_thg *graph = r->graph;
  if (!open_column(r, TD_THG_STREAM_SIZES, &c)) return false;
  for (uint32_t i = 0; i < graph->object_count; i++) {
    if (!read_size(&c, i, &facts[graph->shape_of[i]])) return false;
  }
  if (graph->first_ref[graph->object_count] != r->header.ref_count) {
    return bad_column(&c, "fewer references than the header says");
  }
  return close_column(&c);
}

static bool read_sizes(struct reader *r) {
  struct td_thg *graph = r->graph;
  graph->size = td_new_array(graph->object_count, sizeof *graph->size);
  graph->first_ref = td_new_array((uint64_t)graph->object_count + 1, sizeof *graph->first_ref);
  struct facts *facts = td_new_array(graph->shape_count, sizeof *facts);
  bool done = false;
  if (!graph->size || !graph->first_ref || !facts) {
    td_thg_fail_memory(r->error, r->name, "its objects");
  } else {
    for (uint32_t s = 0; s < graph->shape_count; s++) {
      facts[s].size_min = td_thg_size_min(&graph->shapes[s]);
      facts[s].slots = td_thg_slots(&graph->shapes[s], 0);
    }
    done = read_all_sizes(r, facts);
  }
  free(facts);
  return done;
}

static bool read_target(struct column *c, uint32_t source, struct td_thg_recent *recent,
                        uint32_t *target) {
  uint64_t code;
  if (!get(c, &code)) return false;
  if (code == TD_THG_CODE_NULL) {
    *target = TD_THG_NULL;
    return true;
  }
  uint64_t found = code == TD_THG_CODE_LATEST ? recent->latest : recent->before;
  if (code >= TD_THG_CODE_DELTA) {
    code -= TD_THG_CODE_DELTA;
    found = (code & 1 ? recent->latest : source) + (uint64_t)td_thg_unzigzag(code >> 1);
  }
  if (found >= c->reader->graph->object_count) return bad_column(c, "a reference to no object");
  *target = (uint32_t)found;
  td_thg_remember(recent, *target);
  return true;
}

static bool read_all_targets(struct reader *r, const struct td_thg_memory *memory) {
  struct column c;
  uint64_t capacity = 0;
  struct td_thg *graph = r->graph;
  if (!open_column(r, TD_THG_STREAM_TARGETS, &c)) return false;
  for (uint32_t i = 0; i < graph->object_count; i++) {
    struct td_thg_recent *recent = memory->recent + memory->first[graph->shape_of[i]];
    bool is_bitmap = graph->shapes[graph->shape_of[i]].kind == TD_THG_BITMAP;
    while (graph->ref_count < graph->first_ref[i + 1]) {
      if (!td_grow((void **)&graph->refs, &capacity, graph->ref_count, sizeof *graph->refs)) {
        return td_thg_fail_memory(r->error, r->name, "its references");
      }
      if (!read_target(&c, i, recent, &graph->refs[graph->ref_count])) return false;
      graph->ref_count++;
      recent += is_bitmap;
    }
  }
  return close_column(&c);
}

static bool read_targets(struct reader *r) {
  struct td_thg_memory memory;
  bool done = td_thg_memory_new(&memory, r->graph->shapes, r->graph->shape_count)
                  ? read_all_targets(r, &memory)
                  : td_thg_fail_memory(r->error, r->name, "its references");
  td_thg_memory_free(&memory);
  return done;
}

static bool read_roots(struct reader *r) {
  struct column c;
  uint64_t capacity = 0;
  uint64_t before = 0;
  uint64_t code;
  struct td_thg *graph = r->graph;
  if (!open_column(r, TD_THG_STREAM_ROOTS, &c)) return false;
  while (graph->root_count < r->header.root_count) {
    if (!td_grow((void **)&graph->roots, &capacity, graph->root_count, sizeof *graph->roots)) {
      return td_thg_fail_memory(r->error, r->name, "its roots");
    }
    if (!get(&c, &code)) return false;
    before += (uint64_t)td_thg_unzigzag(code);
    if (before >= graph->object_count) return bad_column(&c, "a root that is no object");
    graph->roots[graph->root_count++] = (uint32_t)before;
  }
  return close_column(&c);
}

static bool read_about(struct reader *r) {
  struct column c;
  if (!open_column(r, TD_THG_STREAM_ABOUT, &c)) return false;
  uint64_t length = c.entry->raw_bytes;
  if (length > TD_THG_ABOUT_MAX) return bad_column(&c, "the description is too long");
  if (length == 0) return close_column(&c);
  r->graph->about = calloc((size_t)length + 1, 1);
  if (!r->graph->about) return td_thg_fail_memory(r->error, r->name, "its description");
  for (uint64_t i = 0; i < length; i++) {
    if (c.next == c.end && !refill(&c)) return false;
    r->graph->about[i] = (char)*c.next++;
  }
  return close_column(&c);
}

static bool read_graph(struct reader *r) {
  return read_header(r) && read_shapes(r) && read_shape_of(r) && read_sizes(r) && read_targets(r) &&
         read_roots(r) && read_about(r);
}

bool td_thg_read_bytes(const void *bytes, uint64_t length, const char *name, struct td_thg *graph,
                       struct td_thg_error *error) {
  struct reader r = {
      .bytes = bytes, .length = length, .name = name, .graph = graph, .error = error};
  memset(graph, 0, sizeof *graph);
  r.raw_capacity = ZSTD_DStreamOutSize();
  r.raw = malloc(r.raw_capacity);
  r.zstd = ZSTD_createDCtx();
  bool done = r.raw && r.zstd ? read_graph(&r) : td_thg_fail_memory(error, name, "decompressing");
  ZSTD_freeDCtx(r.zstd);
  free(r.raw);
  if (!done) td_thg_free(graph);
  return done;
}

/* The whole file, which is small beside the graph in it.  Read and not mapped, so that a file cut
 * short meanwhile is an error, not a bus error. */
static uint8_t *load(int file, const char *path, uint64_t *length, struct td_thg_error *error) {
  struct stat status;
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    td_thg_fail(error, TD_THG_BAD_INPUT, 0, "%s: not a regular file", path);
    return NULL;
  }
  uint64_t expected = (uint64_t)status.st_size;
  uint8_t *bytes = td_new_array(expected, 1);
  if (!bytes) {
    td_thg_fail_memory(error, path, "the file");
    return NULL;
  }
  *length = 0;
  while (*length < expected) {
    ssize_t got = read(file, bytes + *length, (size_t)(expected - *length));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      td_thg_fail(error, TD_THG_BAD_INPUT, *length, "%s: offset %" PRIu64 ": cannot read: %s", path,
                  *length, strerror(errno));
      free(bytes);
      return NULL;
    }
    if (got == 0) break;
    *length += (uint64_t)got;
  }
  return bytes;
}

bool td_thg_read(const char *path, struct td_thg *graph, struct td_thg_error *error) {
  memset(graph, 0, sizeof *graph);
  if (!path) return td_thg_fail(error, TD_THG_BAD_INPUT, 0, "no graph file named");
  /* Not to wait for somebody to open the other end of a pipe; files don't care. */
  int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) {
    return td_thg_fail(error, TD_THG_BAD_INPUT, 0, "%s: cannot read: %s", path, strerror(errno));
  }
  uint64_t length = 0;
  uint8_t *bytes = load(file, path, &length, error);
  close(file);
  if (!bytes) return false;
  bool done = td_thg_read_bytes(bytes, length, path, graph, error);
  free(bytes);
  return done;
}
