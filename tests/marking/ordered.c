/* SPDX-License-Identifier: MIT */
/* Arrays whose objects lie in the order of the slots, and are of all kinds: leaves, arrays, objects
 * with many slots, with a trace function, marked ones, the array itself. What they refer to is more
 * than the queue holds. The marks are those of a serial marking. */
#include "tests/marking/rig.h"

enum { SLOTS = 5000, CHILDREN = 4, KINDS = 8 };

static struct rig r;
static void **array;
static tide_layout one, conservative, many, traced;

static void *alloc(tide_layout layout, size_t words) {
  return rig_cell(&r, layout, words * sizeof(void *));
}

static void trace_first(void *object, size_t bytes, struct tide_tracer *tracer, void *context) {
  tide_trace(tracer, *(void **)object);
}

/* An object and its children, which are in slots[0 .. 3]. */
static void **with_children(tide_layout layout) {
  void **object = alloc(layout, CHILDREN);
  CHECK(tide_handle(r.m, object));
  for (size_t c = 0; c < CHILDREN; c++)
    object[c] = alloc(TIDE_LAYOUT_REFS, 2);
  return object;
}

static void **odd_one(size_t i) {
  const size_t kind = i / 16 % KINDS;
  if (kind == 0) return alloc(TIDE_LAYOUT_LEAF, 2);
  if (kind == 4) return i > 20 ? array[i - 20] : NULL;
  if (kind == 5) return array;
  if (kind == 6) return NULL;
  void **object = kind == 1   ? alloc(many, 40)
                  : kind == 2 ? alloc(traced, 2)
                  : kind == 3 ? alloc(TIDE_LAYOUT_REFS, 200)
                              : alloc(one, 3);
  object[kind == 1 ? 39 : 0] = array;
  return object;
}

/* Fills the slots [from, to); every `step`-th holds something else. Handles keep what is new. */
static void fill(size_t from, size_t to, size_t step) {
  for (size_t i = from; i < to; i++) {
    size_t scope = tide_scope_open(r.m);
    array[i] = i % step == step - 1 ? odd_one(i) : with_children(i / 256 % 2 ? one : conservative);
    CHECK(tide_scope_close(r.m, scope) == TIDE_OK);
  }
}

static void check(const char *what) {
  static const char *const engines[] = {"bwos", "abp"};
  for (size_t e = 0; e < 2; e++)
    for (unsigned markers = RIG_MARKERS_LEAST; markers <= 4; markers *= 2) {
      rig_configure(&r, engines[e], markers);
      CHECK(rig_collect(&r, what) > 0);
    }
  rig_configure(&r, "bwos", 1);
  rig_collect(&r, what);
  CHECK(r.marker[0].overflows == 0);
}

int main(void) {
  rig_open(&r, (size_t)256 << 20, 0, 0);
  uint64_t map_of_four = 15, map_of_many = ~UINT64_C(0) >> 24;
  one = tide_layout_bitmap(r.heap, &map_of_four, 4, NULL);
  many = tide_layout_bitmap(r.heap, &map_of_many, 40, NULL);
  conservative = tide_layout_bitmap_conservative(r.heap, &map_of_four, 4, NULL);
  traced = tide_layout_traced(r.heap, trace_first, NULL, NULL);
  CHECK(tide_root_add(r.heap, &array) == TIDE_OK);
  for (size_t slots = 127; slots <= SLOTS; slots += slots < 130 ? 1 : 1217) {
    array = alloc(TIDE_LAYOUT_REFS, slots);
    fill(0, slots, slots + 1);
    check("an array of objects with four slots");
    fill(slots / 3, slots, 16);
    check("among them others");
  }
  rig_close(&r);
  return 0;
}
