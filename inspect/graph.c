/* SPDX-License-Identifier: MIT */
/* The live heap as a graph file, column by column: docs/thg-format.md describes it.
 *
 * The heap is walked once for each column that has an entry per object. What an object looks like
 * follows from its layout, except for two kinds whose references must be asked for: objects with a
 * trace function, and ephemerons. They are asked anew for each column. A function that does not
 * report the same each time would make columns that do not fit each other, so what the columns are
 * derived from is compared. */
#include "inspect/writers.h"

#include <stdlib.h>
#include <string.h>

#include "inspect/thg/writer.h"

#define BITMAP_BITS 64u

struct shape {
  enum td_thg_shape_kind kind;
  uint64_t prefix; /* PREFIX */
  /* BITMAP: `words` words, in `map` if it is one only. */
  const uint64_t *bits;
  uint64_t map, words;
  uint64_t slots;      /* LEAF and BITMAP */
  uint64_t last_bytes; /* of the last object that has it, in the column of sizes */
};

/* Targets of an object whose references must be asked for. */
struct found {
  uint32_t *at;
  size_t count, capacity;
};

struct writer {
  struct tide_walk *walk;
  struct td_outcome *outcome;
  struct td_thg_writer out;
  struct found found;
  struct shape *shapes;
  size_t shape_count, shape_capacity;
  uint32_t *of_layout; /* 1 + number of the shape of a layout, 0: not asked for yet */
  uint64_t slots;
  uint64_t digest; /* of shapes and sizes so far in this column */
  uint64_t roots;
  uint32_t last_root;
  /* The object whose targets are being written, and the next slot of it. */
  const struct shape *shape;
  uint32_t object;
  uint64_t slot;
};

/* What the columns say of an object. */
struct description {
  enum tide_layout_kind kind;
  size_t shape;
  uint64_t bytes, slots;
};

static bool is_fine(const struct writer *w) {
  return w->outcome->status == TIDE_OK && w->out.failure == TD_THG_WRITER_FINE;
}

/* ---- Shapes ---- */

static bool equal(const struct shape *a, const struct shape *b) {
  return a->kind == b->kind && a->prefix == b->prefix && a->bits == b->bits && a->map == b->map &&
         a->words == b->words;
}

/* Returns a full array with room for more, NULL if there is no memory: then it stays as it is. */
static void *longer(struct writer *w, void *at, size_t *capacity, size_t bytes_each) {
  size_t wanted = *capacity ? 2 * *capacity : 64;
  void *larger = realloc(at, wanted * bytes_each);
  if (larger)
    *capacity = wanted;
  else
    td_outcome_fail_memory(w->outcome);
  return larger;
}

static bool intern(struct writer *w, const struct shape *wanted, size_t *number) {
  for (*number = 0; *number < w->shape_count; ++*number)
    if (equal(&w->shapes[*number], wanted)) return true;
  if (w->shape_count == w->shape_capacity) {
    struct shape *larger = longer(w, w->shapes, &w->shape_capacity, sizeof *larger);
    if (!larger) return false;
    w->shapes = larger;
  }
  w->shapes[w->shape_count++] = *wanted;
  return true;
}

static struct shape bitmap_shape(const uint64_t *bits, uint64_t words) {
  struct shape shape = {.kind = TD_THG_BITMAP, .words = words};
  for (uint64_t i = 0; i < words; i++)
    shape.slots += (uint64_t)__builtin_popcountll(bits[i]);
  if (words == 1)
    shape.map = bits[0];
  else
    shape.bits = bits;
  return shape;
}

/* Weak references are leaves. */
static struct shape shape_of_layout(const struct tide_layout_info *info) {
  switch (info->kind) {
  case TIDE_KIND_BITMAP:
    return bitmap_shape(info->bits, (info->words + BITMAP_BITS - 1) / BITMAP_BITS);
  case TIDE_KIND_REFERENCES:
  case TIDE_KIND_CONSERVATIVE:
    return (struct shape){.kind = TD_THG_PREFIX};
  case TIDE_KIND_PREFIXED:
    return (struct shape){.kind = TD_THG_PREFIX, .prefix = info->prefix_words};
  default:
    return (struct shape){.kind = TD_THG_LEAF};
  }
}

/* Nothing says where in its object a trace function found what it reports. Up to 64 references are
 * put into the first words. More are followed by nulls, as many as keep the shapes few. */
static struct shape shape_of_found(uint64_t words, uint64_t references) {
  uint64_t rest = words - references;
  if (references == 0) return (struct shape){.kind = TD_THG_LEAF};
  uint64_t map = UINT64_MAX >> (references < BITMAP_BITS ? BITMAP_BITS - references : 0);
  if (references <= BITMAP_BITS) return bitmap_shape(&map, 1);
  unsigned low = rest < 8 ? 0 : 61u - (unsigned)__builtin_clzll(rest);
  return (struct shape){.kind = TD_THG_PREFIX, .prefix = rest >> low << low};
}

/* ---- Objects ---- */

static bool find(struct tide_walk *walk, const struct tide_walk_reference *reference,
                 void *context) {
  struct writer *w = context;
  struct found *found = &w->found;
  if (reference->kind == TIDE_REFERENCE_KEY) return true; /* it lives without the ephemeron */
  if (found->count == found->capacity) {
    uint32_t *larger = longer(w, found->at, &found->capacity, sizeof *larger);
    if (!larger) return false;
    found->at = larger;
  }
  found->at[found->count++] = (uint32_t)tide_walk_number(walk, reference->target);
  return true;
}

static bool must_be_asked(enum tide_layout_kind kind) {
  return kind == TIDE_KIND_TRACED || kind == TIDE_KIND_REPEATED || kind == TIDE_KIND_EPHEMERON;
}

static bool shape_of(struct writer *w, const struct tide_walk_object *object,
                     struct description *d) {
  struct tide_layout_info info = {.kind = TIDE_KIND_LEAF};
  tide_walk_layout(w->walk, object->layout, &info);
  d->kind = info.kind;
  if (must_be_asked(info.kind)) {
    w->found.count = 0;
    tide_walk_references(w->walk, object->address, find, w);
    uint64_t words = d->bytes / TD_THG_WORD_BYTES;
    if (w->found.count > words) {
      words = w->found.count;
      d->bytes = words * TD_THG_WORD_BYTES;
    }
    struct shape shape = shape_of_found(words, w->found.count);
    return intern(w, &shape, &d->shape);
  }
  struct shape shape = {.kind = TD_THG_LEAF}; /* also where the prefix is all there is */
  bool short_prefix =
      info.kind == TIDE_KIND_PREFIXED && info.prefix_words >= d->bytes / TD_THG_WORD_BYTES;
  if (short_prefix) return intern(w, &shape, &d->shape);
  if (w->of_layout[object->layout] == 0) {
    shape = shape_of_layout(&info);
    if (!intern(w, &shape, &d->shape)) return false;
    w->of_layout[object->layout] = (uint32_t)d->shape + 1;
  }
  d->shape = w->of_layout[object->layout] - 1u;
  return true;
}

static bool describe(struct writer *w, const struct tide_walk_object *object,
                     struct description *d) {
  *d = (struct description){.bytes = object->bytes};
  if (!shape_of(w, object, d)) return false;
  const struct shape *shape = &w->shapes[d->shape];
  if (d->bytes > TD_THG_SIZE_MAX || shape->prefix > UINT32_MAX)
    td_outcome_fail(w->outcome, TIDE_ERROR_LIMIT, "an object is larger than the format admits");
  d->slots =
      shape->kind == TD_THG_PREFIX ? d->bytes / TD_THG_WORD_BYTES - shape->prefix : shape->slots;
  w->digest = (w->digest ^ d->shape) * UINT64_C(0x9e3779b97f4a7c15) + d->bytes;
  return is_fine(w);
}

static bool put_shape_of(struct tide_walk *walk, const struct tide_walk_object *object,
                         void *context) {
  (void)walk;
  struct writer *w = context;
  struct description d;
  if (!describe(w, object, &d)) return false;
  td_thg_put(&w->out, d.shape);
  w->slots += d.slots;
  return true;
}

static bool put_size(struct tide_walk *walk, const struct tide_walk_object *object, void *context) {
  (void)walk;
  struct writer *w = context;
  struct description d;
  if (!describe(w, object, &d)) return false;
  td_thg_put_size(&w->out, d.bytes, &w->shapes[d.shape].last_bytes);
  return true;
}

/* ---- References ---- */

/* Which of the slots that the shape has is this word? */
static uint64_t slot_of(const struct shape *shape, uint64_t word) {
  if (shape->kind == TD_THG_PREFIX) return word - shape->prefix;
  uint64_t slot = 0, below = ((uint64_t)1 << (word % BITMAP_BITS)) - 1;
  for (uint64_t i = 0; i < word / BITMAP_BITS; i++)
    slot += (uint64_t)__builtin_popcountll(shape->bits[i]);
  uint64_t last = shape->bits ? shape->bits[word / BITMAP_BITS] : shape->map;
  return slot + (uint64_t)__builtin_popcountll(last & below);
}

/* The walk leaves out what is no reference: the file says null there. */
static void put_nulls(struct writer *w, uint64_t until) {
  for (; w->slot < until; w->slot++)
    td_thg_put_target(&w->out, w->object, TD_THG_NULL, NULL);
}

static bool put_reference(struct tide_walk *walk, const struct tide_walk_reference *reference,
                          void *context) {
  struct writer *w = context;
  put_nulls(w, slot_of(w->shape, reference->offset / TD_THG_WORD_BYTES));
  td_thg_put_target(&w->out, w->object, (uint32_t)tide_walk_number(walk, reference->target), NULL);
  w->slot++;
  return true;
}

static void put_found(struct writer *w) {
  for (; w->slot < w->found.count; w->slot++)
    td_thg_put_target(&w->out, w->object, w->found.at[w->slot], NULL);
}

static bool put_targets(struct tide_walk *walk, const struct tide_walk_object *object,
                        void *context) {
  struct writer *w = context;
  struct description d;
  if (!describe(w, object, &d)) return false;
  w->shape = &w->shapes[d.shape];
  w->object = (uint32_t)object->number;
  w->slot = 0;
  if (must_be_asked(d.kind))
    put_found(w);
  else if (d.slots)
    tide_walk_references(walk, object->address, put_reference, w);
  put_nulls(w, d.slots);
  return is_fine(w);
}

static bool put_root(struct tide_walk *walk, const struct tide_walk_root *root, void *context) {
  struct writer *w = context;
  td_thg_put_root(&w->out, (uint32_t)tide_walk_number(walk, root->target), &w->last_root);
  w->roots++;
  return is_fine(w);
}

/* ---- Columns ---- */

static void put_column(struct writer *w, enum td_thg_stream stream, tide_walk_object_fn visit) {
  uint64_t before = w->digest;
  w->digest = 0;
  td_thg_writer_open(&w->out, stream);
  tide_walk_objects(w->walk, visit, w);
  td_thg_writer_close(&w->out);
  if (is_fine(w) && stream != TD_THG_STREAM_SHAPE_OF && w->digest != before)
    td_outcome_fail_unsteady(w->outcome);
}

static void put_roots(struct writer *w) {
  td_thg_writer_open(&w->out, TD_THG_STREAM_ROOTS);
  if (tide_walk_roots(w->walk, put_root, w) != TIDE_OK) td_outcome_fail_memory(w->outcome);
  td_thg_writer_close(&w->out);
  if (w->roots > UINT32_MAX)
    td_outcome_fail(w->outcome, TIDE_ERROR_LIMIT, "more roots than the format admits");
}

static void put_shapes(struct writer *w) {
  td_thg_writer_open(&w->out, TD_THG_STREAM_SHAPES);
  for (size_t i = 0; i < w->shape_count; i++) {
    const struct shape *shape = &w->shapes[i];
    td_thg_put_shape(&w->out, shape->kind, shape->prefix, shape->bits ? shape->bits : &shape->map,
                     shape->words);
  }
  td_thg_writer_close(&w->out);
}

static void put_about(struct writer *w) {
  td_thg_writer_open(&w->out, TD_THG_STREAM_ABOUT);
  td_thg_put_text(&w->out, "heap of a program, written by Tidemark ");
  td_thg_put_text(&w->out, tide_version());
  td_thg_writer_close(&w->out);
}

static void put_all(struct writer *w) {
  put_column(w, TD_THG_STREAM_SHAPE_OF, put_shape_of);
  put_column(w, TD_THG_STREAM_SIZES, put_size);
  put_column(w, TD_THG_STREAM_TARGETS, put_targets);
  put_roots(w);
  put_shapes(w);
  put_about(w);
  w->out.header.object_count = tide_walk_count(w->walk);
  w->out.header.ref_count = w->slots;
  w->out.header.root_count = w->roots;
  w->out.header.shape_count = w->shape_count;
  td_thg_writer_end(&w->out);
}

static void tell_failure(const struct writer *w) {
  switch (w->out.failure) {
  case TD_THG_WRITER_FINE:
    break;
  case TD_THG_WRITER_FILE:
    td_outcome_fail_file(w->outcome, w->out.reason);
    break;
  case TD_THG_WRITER_MEMORY:
    td_outcome_fail_memory(w->outcome);
    break;
  case TD_THG_WRITER_LIMIT:
    td_outcome_fail(w->outcome, TIDE_ERROR_LIMIT, w->out.why);
    break;
  }
}

/* ---- A sink that needs no compressor ----
 *
 * The format wants each stream as a zstd frame. A frame need not compress: these are made of raw
 * blocks, and of blocks that repeat one byte (RFC 8878, 3.1.1.2). The program compresses such a
 * file when asked to. */

#define BLOCK_HEADER_BYTES 3u

enum block_type { BLOCK_RAW = 0, BLOCK_REPEATED = 1 };

static void pack(void *context, struct td_thg_writer *writer, const uint8_t *raw, size_t bytes,
                 bool first, bool last) {
  /* Magic number, a frame without size and checksum, a window of 128 KiB. */
  static const uint8_t frame_header[] = {0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38};
  (void)context;
  if (first) td_thg_writer_store(writer, frame_header, sizeof frame_header);
  bool repeated = bytes > 1 && memcmp(raw, raw + 1, bytes - 1) == 0;
  uint32_t type = repeated ? BLOCK_REPEATED : BLOCK_RAW;
  uint32_t header = (uint32_t)last | type << 1 | (uint32_t)bytes << 3;
  uint8_t stored[BLOCK_HEADER_BYTES];
  for (unsigned i = 0; i < BLOCK_HEADER_BYTES; i++)
    stored[i] = (uint8_t)(header >> (8 * i));
  td_thg_writer_store(writer, stored, sizeof stored);
  td_thg_writer_store(writer, raw, repeated ? 1 : bytes);
}

static const struct td_thg_sink raw_frames = {pack, NULL};

/* ---- All of it ---- */

void td_graph_write(struct tide_walk *walk, FILE *file, struct td_outcome *outcome) {
  if (tide_walk_count(walk) >= TD_THG_NULL) {
    td_outcome_fail(outcome, TIDE_ERROR_LIMIT, "more objects than the format admits");
    return;
  }
  struct writer w = {.walk = walk, .outcome = outcome};
  w.of_layout = calloc(TIDE_LAYOUT_MAX, sizeof *w.of_layout);
  if (!w.of_layout) {
    td_outcome_fail_memory(outcome);
    return;
  }
  td_thg_writer_begin(&w.out, file, &raw_frames);
  put_all(&w);
  tell_failure(&w);
  td_thg_writer_free(&w.out);
  free(w.found.at);
  free(w.shapes);
  free(w.of_layout);
}
