/* The live heap as a graph file, column by column: docs/thg-format.md describes it.
 *
 * The heap is walked once for each column that has an entry per object. What an object looks like
 * follows from its layout; only those with a trace function must be asked, and each time anew: a
 * function that does not answer the same would make columns that do not fit each other, so what
 * they are derived from is compared. */
#include <stdlib.h>

#include "inspect/snapshot.h"
#include "inspect/thg_file.h"
#include "tide/stats.h"
#include "heap/find.h"
#include "heap/walk.h"

#define WORD_BYTES sizeof(uintptr_t)
#define SIZE_MOST (UINT64_C(1) << 40)
#define BITMAP_BITS 64u

enum shape_kind { SHAPE_LEAF = 0, SHAPE_BITMAP = 1, SHAPE_PREFIX = 2 };

struct shape {
  enum shape_kind kind;
  uint64_t prefix; /* PREFIX */
  /* BITMAP: `words` words, in `map` if it is one only. */
  const uint64_t *bits;
  uint64_t map, words;
  uint64_t last_bytes; /* of the last object that has it, in the column of sizes */
};

struct writer {
  struct td_scanner scanner; /* first */
  struct td_snapshot *snapshot;
  struct td_thg_file out;
  struct td_worklist found; /* what the trace function of an object reports */
  bool incomplete;          /* it has no room for all */
  struct shape *shapes;
  size_t shape_count, shape_capacity;
  uint32_t *of_layout; /* 1 + number of the shape of a layout, 0: not asked for yet */
  uint64_t object;     /* number of the next */
  uint64_t slots;
  uint64_t digest; /* of shapes and sizes so far in this column */
  uint64_t roots, last_root;
};

/* What the columns say of an object. */
struct description {
  size_t shape;
  uint64_t bytes, slots;
};

/* ---- Shapes ---- */

static bool equal(const struct shape *a, const struct shape *b) {
  return a->kind == b->kind && a->prefix == b->prefix && a->bits == b->bits && a->map == b->map &&
         a->words == b->words;
}

static bool intern(struct writer *w, const struct shape *wanted, size_t *number) {
  for (*number = 0; *number < w->shape_count; ++*number)
    if (equal(&w->shapes[*number], wanted)) return true;
  if (w->shape_count == w->shape_capacity) {
    size_t capacity = w->shape_capacity ? 2 * w->shape_capacity : 64;
    struct shape *larger = realloc(w->shapes, capacity * sizeof *larger);
    if (!larger) {
      td_snapshot_fail(w->snapshot, TIDE_ERROR_MEMORY, "not enough memory");
      return false;
    }
    w->shapes = larger;
    w->shape_capacity = capacity;
  }
  w->shapes[w->shape_count++] = *wanted;
  return true;
}

static struct shape bitmap_shape(const uint64_t *bits, uint64_t words) {
  while (words && bits[words - 1] == 0)
    words--;
  if (words == 0) return (struct shape){.kind = SHAPE_LEAF};
  if (words == 1) return (struct shape){.kind = SHAPE_BITMAP, .map = bits[0], .words = 1};
  return (struct shape){.kind = SHAPE_BITMAP, .bits = bits, .words = words};
}

/* Weak references are leaves, and an ephemeron is its value: its key lives, or it would be empty.
 */
static struct shape shape_of_layout(const struct td_layout *layout) {
  static const uint64_t value_only = UINT64_C(1)
                                     << offsetof(struct td_ephemeron_object, value) / WORD_BYTES;
  switch (layout->kind) {
  case TD_KIND_BITMAP:
    return bitmap_shape(&layout->map, 1);
  case TD_KIND_BITMAP_LONG:
    return bitmap_shape(layout->bits, (layout->words + 63u) / 64);
  case TD_KIND_REFS:
  case TD_KIND_CONSERVATIVE:
    return (struct shape){.kind = SHAPE_PREFIX};
  case TD_KIND_PREFIXED:
    return (struct shape){.kind = SHAPE_PREFIX, .prefix = layout->map};
  case TD_KIND_EPHEMERON:
    return bitmap_shape(&value_only, 1);
  default:
    return (struct shape){.kind = SHAPE_LEAF};
  }
}

/* Nothing says where in its object a trace function found what it reports. Up to 64 references are
 * put into the first words; more into the last ones, with as many nulls before them as keep the
 * shapes few. */
static struct shape shape_of_traced(uint64_t words, uint64_t references) {
  uint64_t rest = words - references;
  if (references == 0) return (struct shape){.kind = SHAPE_LEAF};
  if (references <= BITMAP_BITS)
    return (struct shape){
        .kind = SHAPE_BITMAP, .map = UINT64_MAX >> (BITMAP_BITS - references), .words = 1};
  unsigned low = rest < 8 ? 0 : 61u - (unsigned)__builtin_clzll(rest);
  return (struct shape){.kind = SHAPE_PREFIX, .prefix = rest >> low << low};
}

static uint64_t slots_of(const struct shape *shape, uint64_t bytes) {
  uint64_t slots = shape->words == 1 ? (uint64_t)__builtin_popcountll(shape->map) : 0;
  if (shape->kind == SHAPE_PREFIX) return bytes / WORD_BYTES - shape->prefix;
  for (uint64_t i = 0; shape->bits && i < shape->words; i++)
    slots += (uint64_t)__builtin_popcountll(shape->bits[i]);
  return slots;
}

/* ---- Objects ---- */

static void found(struct td_scanner *scanner, uintptr_t target) {
  struct writer *w = (struct writer *)scanner;
  if (td_snapshot_number(w->snapshot, target) == TD_NO_NUMBER) return;
  w->incomplete |= !td_worklist_push(&w->found, target);
}

static bool shape_of(struct writer *w, uintptr_t object, tide_layout number,
                     struct description *d) {
  const struct td_layout *layout = &w->snapshot->heap->space.layouts.at[number];
  uint64_t words = d->bytes / WORD_BYTES;
  if (layout->kind == TD_KIND_TRACED) {
    w->found.count = 0;
    td_scan_object(&w->scanner, object);
    if (w->incomplete) td_snapshot_fail(w->snapshot, TIDE_ERROR_MEMORY, "not enough memory");
    if (w->found.count > words) d->bytes = w->found.count * WORD_BYTES;
    struct shape shape = shape_of_traced(d->bytes / WORD_BYTES, w->found.count);
    return intern(w, &shape, &d->shape);
  }
  struct shape shape = {.kind = SHAPE_LEAF}; /* also where the prefix is all there is */
  bool short_prefix = layout->kind == TD_KIND_PREFIXED && layout->map >= words;
  if (short_prefix) return intern(w, &shape, &d->shape);
  if (w->of_layout[number] == 0) {
    shape = shape_of_layout(layout);
    if (!intern(w, &shape, &d->shape)) return false;
    w->of_layout[number] = (uint32_t)d->shape + 1;
  }
  d->shape = w->of_layout[number] - 1u;
  return true;
}

static bool describe(struct writer *w, uintptr_t object, size_t bytes, tide_layout layout,
                     struct description *d) {
  *d = (struct description){.bytes = bytes};
  if (!shape_of(w, object, layout, d)) return false;
  const struct shape *shape = &w->shapes[d->shape];
  if (d->bytes > SIZE_MOST || shape->prefix > UINT32_MAX)
    td_snapshot_fail(w->snapshot, TIDE_ERROR_LIMIT, "an object is larger than the format admits");
  d->slots = slots_of(shape, d->bytes);
  w->digest = (w->digest ^ d->shape) * UINT64_C(0x9e3779b97f4a7c15) + d->bytes;
  return w->snapshot->status == TIDE_OK;
}

static bool put_shape_of(uintptr_t object, size_t bytes, tide_layout layout, void *context) {
  struct writer *w = context;
  struct description d;
  if (!describe(w, object, bytes, layout, &d)) return false;
  td_thg_file_put(&w->out, d.shape);
  w->slots += d.slots;
  return !td_snapshot_file_failed(w->snapshot);
}

static bool put_size(uintptr_t object, size_t bytes, tide_layout layout, void *context) {
  struct writer *w = context;
  struct description d;
  if (!describe(w, object, bytes, layout, &d)) return false;
  td_thg_file_put(&w->out, td_thg_file_zigzag(d.bytes - w->shapes[d.shape].last_bytes));
  w->shapes[d.shape].last_bytes = d.bytes;
  return !td_snapshot_file_failed(w->snapshot);
}

/* ---- References ---- */

/* Of the codes that the format has, those that need no memory: null, and the distance. */
static void put_target(struct writer *w, uintptr_t target) {
  uint64_t number = target ? td_snapshot_number(w->snapshot, target) : TD_NO_NUMBER;
  bool null = number == TD_NO_NUMBER;
  td_thg_file_put(&w->out, null ? 0 : 3 + 2 * td_thg_file_zigzag(number - w->object));
}

static void put_bitmap(struct writer *w, const uintptr_t *at, uint64_t bits) {
  for (; bits; bits &= bits - 1)
    put_target(w, at[__builtin_ctzll(bits)]);
}

static void put_slots(struct writer *w, uintptr_t object, tide_layout layout,
                      const struct description *d) {
  const struct td_space *space = &w->snapshot->heap->space;
  const struct shape *shape = &w->shapes[d->shape];
  const uintptr_t *at = (const uintptr_t *)object;
  enum td_kind kind = (enum td_kind)space->layouts.at[layout].kind;
  if (kind == TD_KIND_TRACED) {
    for (uint64_t i = 0; i < d->slots; i++)
      put_target(w, i < w->found.count ? w->found.at[i] : 0);
    return;
  }
  if (shape->kind == SHAPE_BITMAP) {
    for (uint64_t i = 0; i < shape->words; i++)
      put_bitmap(w, at + i * BITMAP_BITS, shape->bits ? shape->bits[i] : shape->map);
    return;
  }
  for (uint64_t i = 0; i < d->slots; i++) {
    uintptr_t word = at[shape->prefix + i];
    put_target(w, kind == TD_KIND_CONSERVATIVE ? td_space_find(space, word) : word);
  }
}

static bool put_targets(uintptr_t object, size_t bytes, tide_layout layout, void *context) {
  struct writer *w = context;
  struct description d;
  if (!describe(w, object, bytes, layout, &d)) return false;
  put_slots(w, object, layout, &d);
  w->object++;
  return !td_snapshot_file_failed(w->snapshot);
}

static void put_root(struct td_scanner *scanner, uintptr_t target) {
  struct writer *w = (struct writer *)scanner;
  uint64_t number = td_snapshot_number(w->snapshot, target);
  if (number == TD_NO_NUMBER) return;
  td_thg_file_put(&w->out, td_thg_file_zigzag(number - w->last_root));
  w->last_root = number;
  w->roots++;
}

/* ---- Columns ---- */

static void put_column(struct writer *w, enum td_thg_column column, td_space_visit visit) {
  uint64_t before = w->digest;
  w->digest = 0;
  td_thg_file_open(&w->out, column);
  td_space_walk(&w->snapshot->heap->space, visit, w);
  td_thg_file_close(&w->out);
  if (column != TD_THG_SHAPE_OF && w->digest != before) td_snapshot_fail_unsteady(w->snapshot);
}

static void put_roots(struct writer *w) {
  td_thg_file_open(&w->out, TD_THG_ROOTS);
  w->scanner.reference = put_root;
  td_snapshot_scan_roots(w->snapshot, &w->scanner);
  td_thg_file_close(&w->out);
  if (w->roots > UINT32_MAX)
    td_snapshot_fail(w->snapshot, TIDE_ERROR_LIMIT, "more roots than the format admits");
}

static void put_shapes(struct writer *w) {
  td_thg_file_open(&w->out, TD_THG_SHAPES);
  for (size_t i = 0; i < w->shape_count; i++) {
    const struct shape *shape = &w->shapes[i];
    td_thg_file_put(&w->out, shape->kind);
    if (shape->kind == SHAPE_PREFIX) td_thg_file_put(&w->out, shape->prefix);
    if (shape->kind == SHAPE_BITMAP) td_thg_file_put(&w->out, shape->words);
    for (uint64_t b = 0; b < shape->words; b++)
      td_thg_file_put(&w->out, shape->bits ? shape->bits[b] : shape->map);
  }
  td_thg_file_close(&w->out);
}

static void put_about(struct writer *w) {
  td_thg_file_open(&w->out, TD_THG_ABOUT);
  td_thg_file_put_text(&w->out, "heap of a program, written by Tidemark ");
  td_thg_file_put_text(&w->out, tide_version());
  td_thg_file_close(&w->out);
}

static void put_all(struct writer *w) {
  put_column(w, TD_THG_SHAPE_OF, put_shape_of);
  put_column(w, TD_THG_SIZES, put_size);
  put_column(w, TD_THG_TARGETS, put_targets);
  put_roots(w);
  put_shapes(w);
  put_about(w);
  struct td_thg_counts counts = {w->snapshot->count, w->slots, w->roots, w->shape_count};
  if (!td_thg_file_end(&w->out, &counts) && !td_snapshot_file_failed(w->snapshot))
    td_snapshot_fail(w->snapshot, TIDE_ERROR_SYSTEM, "cannot go back to the file's beginning");
}

void td_snapshot_thg(struct td_snapshot *snapshot) {
  struct writer w = {.snapshot = snapshot};
  td_scanner_init(&w.scanner, &snapshot->heap->space, found);
  w.of_layout = calloc(TIDE_LAYOUT_MAX, sizeof *w.of_layout);
  if (snapshot->count >= UINT32_MAX)
    td_snapshot_fail(snapshot, TIDE_ERROR_LIMIT, "more objects than the format admits");
  else if (!w.of_layout || !td_thg_file_begin(&w.out, snapshot->file))
    td_snapshot_fail(snapshot, TIDE_ERROR_MEMORY, "not enough memory");
  else
    put_all(&w);
  td_thg_file_free(&w.out);
  td_worklist_free(&w.found);
  free(w.shapes);
  free(w.of_layout);
}
