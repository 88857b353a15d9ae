/* SPDX-License-Identifier: MIT */
#include "workloads/thg_read.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inspect/thg/format.h"
#include "workloads/allowance.h"
#include "workloads/thg_column.h"
#include "workloads/thg_memory.h"
#include "workloads/thg_recent.h"

struct reader {
  struct td_thg_bytes file;
  struct td_thg_header header;
  struct td_thg_unpacker unpacker;
  struct td_thg *graph;
};

static bool no_memory(struct reader *r, const char *what) {
  return td_thg_fail_memory(r->file.error, r->file.name, what);
}

static void open_column(struct reader *r, enum td_thg_stream stream, struct td_thg_column *c) {
  td_thg_column_open(c, &r->file, &r->header, stream, &r->unpacker);
}

static bool read_bitmap(struct td_thg_column *c, struct td_thg_shape *shape, uint64_t words) {
  /* Each word takes a byte or more of the column. */
  if (words == 0 || words > c->entry->raw_bytes) return td_thg_column_bad(c, "a bitmap's length");
  shape->bitmap = td_new_array(words, sizeof *shape->bitmap);
  if (!shape->bitmap) return td_thg_fail_memory(c->file->error, c->file->name, "a shape");
  shape->bitmap_words = (uint32_t)words;
  for (uint64_t w = 0; w < words; w++) {
    if (!td_thg_column_get(c, &shape->bitmap[w])) return false;
  }
  return shape->bitmap[words - 1] != 0 ? true : td_thg_column_bad(c, "a bitmap ends in nothing");
}

static bool read_shape(struct td_thg_column *c, struct td_thg_shape *shape) {
  uint64_t kind;
  uint64_t value;
  if (!td_thg_column_get(c, &kind)) return false;
  if (kind > TD_THG_PREFIX) return td_thg_column_bad(c, "an unknown kind of shape");
  shape->kind = (enum td_thg_shape_kind)kind;
  if (kind == TD_THG_LEAF) return true;
  if (!td_thg_column_get(c, &value)) return false;
  if (value > UINT32_MAX) return td_thg_column_bad(c, "a shape out of range");
  if (kind == TD_THG_BITMAP) return read_bitmap(c, shape, value);
  shape->prefix_words = (uint32_t)value;
  return true;
}

static bool read_shapes(struct reader *r) {
  struct td_thg_column c;
  struct td_thg *graph = r->graph;
  open_column(r, TD_THG_STREAM_SHAPES, &c);
  graph->shapes = td_new_array(r->header.shape_count, sizeof *graph->shapes);
  if (!graph->shapes) return no_memory(r, "its shapes");
  while (graph->shape_count < r->header.shape_count) {
    if (!read_shape(&c, &graph->shapes[graph->shape_count++])) return false;
  }
  return td_thg_column_close(&c);
}

static bool read_shape_of(struct reader *r) {
  struct td_thg_column c;
  uint64_t shape;
  struct td_thg *graph = r->graph;
  open_column(r, TD_THG_STREAM_SHAPE_OF, &c);
  graph->shape_of = td_new_array(r->header.object_count, sizeof *graph->shape_of);
  if (!graph->shape_of) return no_memory(r, "its objects");
  while (graph->object_count < r->header.object_count) {
    if (!td_thg_column_get(&c, &shape)) return false;
    if (shape >= graph->shape_count) return td_thg_column_bad(&c, "an object of no shape");
    graph->shape_of[graph->object_count++] = (uint32_t)shape;
  }
  return td_thg_column_close(&c);
}

/* What reading sizes needs to know of a shape, found once. */
struct facts {
  uint64_t size_min;
  uint64_t last;  /* size of the latest object of the shape */
  uint64_t slots; /* of a bitmap */
};

/* Reads an object's size; where its references end follows from that. */
static bool read_size(struct reader *r, struct td_thg_column *c, uint32_t i, struct facts *facts) {
  struct td_thg *graph = r->graph;
  const struct td_thg_shape *shape = &graph->shapes[graph->shape_of[i]];
  uint64_t code;
  if (!td_thg_column_get(c, &code)) return false;
  uint64_t size = facts->last + (uint64_t)td_thg_unzigzag(code);
  if (size < facts->size_min || size > TD_THG_SIZE_MAX) {
    return td_thg_column_bad(c, "an object's size does not fit its shape");
  }
  facts->last = size;
  graph->size[i] = size;
  uint64_t slots = shape->kind == TD_THG_BITMAP ? facts->slots : td_thg_slots(shape, size);
  graph->first_ref[i + 1] = graph->first_ref[i] + slots;
  if (graph->first_ref[i + 1] > r->header.ref_count) {
    return td_thg_column_bad(c, "more references than the header says");
  }
  return true;
}

static bool read_all_sizes(struct reader *r, struct facts *facts) {
  struct td_thg_column c;
  const struct td_thg *graph = r->graph;
  open_column(r, TD_THG_STREAM_SIZES, &c);
  for (uint32_t i = 0; i < graph->object_count; i++) {
    if (!read_size(r, &c, i, &facts[graph->shape_of[i]])) return false;
  }
  if (graph->first_ref[graph->object_count] != r->header.ref_count) {
    return td_thg_column_bad(&c, "fewer references than the header says");
  }
  return td_thg_column_close(&c);
}

static bool read_sizes(struct reader *r) {
  struct td_thg *graph = r->graph;
  graph->size = td_new_array(graph->object_count, sizeof *graph->size);
  graph->first_ref = td_new_array((uint64_t)graph->object_count + 1, sizeof *graph->first_ref);
  struct facts *facts = td_new_array(graph->shape_count, sizeof *facts);
  bool done = false;
  if (!graph->size || !graph->first_ref || !facts) {
    no_memory(r, "its objects");
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

static bool read_target(struct td_thg_column *c, uint32_t source, uint32_t object_count,
                        struct td_thg_recent *recent, uint32_t *target) {
  uint64_t code;
  if (!td_thg_column_get(c, &code)) return false;
  if (code == TD_THG_CODE_NULL) {
    *target = TD_THG_NULL;
    return true;
  }
  uint64_t found = code == TD_THG_CODE_LATEST ? recent->latest : recent->before;
  if (code >= TD_THG_CODE_DELTA) {
    code -= TD_THG_CODE_DELTA;
    found = (code & 1 ? recent->latest : source) + (uint64_t)td_thg_unzigzag(code >> 1);
  }
  if (found >= object_count) return td_thg_column_bad(c, "a reference to no object");
  *target = (uint32_t)found;
  td_thg_remember(recent, *target);
  return true;
}

static bool read_all_targets(struct reader *r, const struct td_thg_memory *memory) {
  struct td_thg_column c;
  struct td_thg *graph = r->graph;
  open_column(r, TD_THG_STREAM_TARGETS, &c);
  for (uint32_t i = 0; i < graph->object_count; i++) {
    struct td_thg_recent *recent = memory->recent + memory->first[graph->shape_of[i]];
    bool is_bitmap = graph->shapes[graph->shape_of[i]].kind == TD_THG_BITMAP;
    while (graph->ref_count < graph->first_ref[i + 1]) {
      uint32_t *target = &graph->refs[graph->ref_count++];
      if (!read_target(&c, i, graph->object_count, recent, target)) return false;
      recent += is_bitmap;
    }
  }
  return td_thg_column_close(&c);
}

static bool read_targets(struct reader *r) {
  struct td_thg_memory memory;
  r->graph->refs = td_new_array(r->header.ref_count, sizeof *r->graph->refs);
  if (!r->graph->refs) return no_memory(r, "its references");
  bool done = td_thg_memory_new(&memory, r->graph->shapes, r->graph->shape_count)
                  ? read_all_targets(r, &memory)
                  : no_memory(r, "its references");
  td_thg_memory_free(&memory);
  return done;
}

static bool read_roots(struct reader *r) {
  struct td_thg_column c;
  uint64_t before = 0;
  uint64_t code;
  struct td_thg *graph = r->graph;
  open_column(r, TD_THG_STREAM_ROOTS, &c);
  graph->roots = td_new_array(r->header.root_count, sizeof *graph->roots);
  if (!graph->roots) return no_memory(r, "its roots");
  while (graph->root_count < r->header.root_count) {
    if (!td_thg_column_get(&c, &code)) return false;
    before += (uint64_t)td_thg_unzigzag(code);
    if (before >= graph->object_count) return td_thg_column_bad(&c, "a root that is no object");
    graph->roots[graph->root_count++] = (uint32_t)before;
  }
  return td_thg_column_close(&c);
}

static bool read_about(struct reader *r) {
  struct td_thg_column c;
  open_column(r, TD_THG_STREAM_ABOUT, &c);
  uint64_t length = c.entry->raw_bytes;
  if (length > TD_THG_ABOUT_MAX) return td_thg_column_bad(&c, "the description is too long");
  if (length == 0) return td_thg_column_close(&c);
  r->graph->about = calloc((size_t)length + 1, 1);
  if (!r->graph->about) return no_memory(r, "its description");
  for (uint64_t i = 0; i < length; i++) {
    if (c.next == c.end && !td_thg_column_refill(&c)) return false;
    r->graph->about[i] = (char)*c.next++;
  }
  return td_thg_column_close(&c);
}

/* The header has been read, so every count is one that its column can hold and that the file may
 * take memory for: arrays are as long as the header says. */
static bool read_graph(struct reader *r) {
  return read_shapes(r) && read_shape_of(r) && read_sizes(r) && read_targets(r) && read_roots(r) &&
         read_about(r);
}

bool td_thg_read_bytes(const void *bytes, uint64_t length, const char *name, struct td_thg *graph,
                       struct td_thg_error *error) {
  struct reader r = {
      .file = {.at = bytes, .length = length, .name = name, .error = error},
      .graph = graph,
  };
  memset(graph, 0, sizeof *graph);
  if (!td_thg_header_read(&r.file, &r.header)) return false;
  if (!td_thg_unpacker_new(&r.unpacker)) return no_memory(&r, "decompressing");
  bool done = read_graph(&r);
  td_thg_unpacker_free(&r.unpacker);
  if (!done) td_thg_free(graph);
  return done;
}

/* Returns the bytes of the whole file, which is small beside the graph in it.  It is read and not
 * mapped: if it is cut short meanwhile, that is an error and not a bus error. */
static uint8_t *load(int file, const char *path, uint64_t *length, struct td_thg_error *error) {
  struct stat status;
  if (fstat(file, &status) != 0) {
    td_thg_fail_open(error, path, errno);
    return NULL;
  }
  if (!S_ISREG(status.st_mode)) {
    td_thg_fail(error, TD_THG_BAD_INPUT, 0, "%s: not a regular file", path);
    return NULL;
  }
  uint64_t expected = (uint64_t)status.st_size;
  if (!td_allowance_covers(path, expected, "the file itself", expected, error)) return NULL;
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
  /* Without O_NONBLOCK a pipe would make us wait until its other end is opened. */
  int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return td_thg_fail_open(error, path, errno);
  uint64_t length = 0;
  uint8_t *bytes = load(file, path, &length, error);
  close(file);
  if (!bytes) return false;
  bool done = td_thg_read_bytes(bytes, length, path, graph, error);
  free(bytes);
  return done;
}
