/* SPDX-License-Identifier: MIT */
/* Objects many GiB long with few references in them: the memory is never written, so that the
 * machine needs none of it. Where it does not let a heap be so large, the test is skipped.
 *
 *   sparse [GIB]      of the longest object */
#include "tests/marking/rig.h"

#define SKIPPED 77
#define GIB ((size_t)1 << 30)
#define WORDS_PER_GIB (GIB / sizeof(void *))
#define STEPS 16u /* references in a long object: at either end and between */

static struct rig r;

static bool may_be_so_large(size_t bytes) {
  struct tide_error error;
  struct tide_heap *heap = tide_heap_create(&OPTIONS(.heap_max_bytes = bytes), &error);
  if (!heap) {
    printf("skipped: %s\n", error.text);
    return false;
  }
  CHECK(tide_heap_destroy(heap) == TIDE_OK);
  return true;
}

static void **long_object(tide_layout layout, size_t bytes) {
  void **object = (void **)tide_alloc(r.m, layout, bytes);
  if (!object) {
    printf("skipped: %s\n", tide_status_text(tide_alloc_status(r.m)));
    exit(SKIPPED);
  }
  CHECK(tide_handle(r.m, object));
  return object;
}

/* The step-th of the words that hold a reference: the first one may, the last one, and others in
 * between, never at the same place of a page. */
static size_t place(size_t words, size_t first, unsigned step) {
  return step + 1 == STEPS ? words - 1 : first + (words - first) / STEPS * step + step * 13;
}

/* References to `STEPS` lists of two objects each. `offset`: they point so far into them. */
static void fill(void **object, size_t words, size_t first, size_t offset) {
  for (unsigned step = 0; step < STEPS; step++) {
    void **node = (void **)new_object(r.m, TIDE_LAYOUT_REFS, 16);
    object[place(words, first, step)] = (char *)node + offset;
    void *leaf = new_object(r.m, TIDE_LAYOUT_LEAF, 40);
    node[1] = leaf;
  }
}

/* No serial marking, which would read all the memory again: the number is known. */
static void collect(unsigned markers, uint64_t objects) {
  rig_configure(&r, "bwos", markers);
  CHECK(tide_collect(r.m) == TIDE_OK && tide_count_marked(r.m) == objects);
}

int main(int count, char **arguments) {
  size_t gib = argument(count, arguments, 1, 4);
  if (!may_be_so_large((gib + 5) * GIB)) return SKIPPED;
  rig_open(&r, (gib + 5) * GIB, 0, 0);
  tide_layout prefixed = tide_layout_prefixed(r.heap, 5, NULL);
  CHECK(prefixed != TIDE_LAYOUT_INVALID);
  void **refs = long_object(TIDE_LAYOUT_REFS, gib * GIB);
  void **words = long_object(TIDE_LAYOUT_CONSERVATIVE, 2 * GIB + 8);
  void **behind = long_object(prefixed, GIB / 4);
  void **leaf = long_object(TIDE_LAYOUT_LEAF, GIB / 2);
  fill(refs, gib * WORDS_PER_GIB, 0, 0);
  fill(words, 2 * WORDS_PER_GIB + 1, 0, 9);
  fill(behind, WORDS_PER_GIB / 4, 5, 0);
  /* Words that are no slots: what they point at is not to be marked. */
  behind[0] = leaf[0] = leaf[WORDS_PER_GIB / 2 - 1] = tide_alloc(r.m, TIDE_LAYOUT_LEAF, 24);
  CHECK(behind[0]);
  collect(1, 4 + 3 * 2 * STEPS);
  /* Only the middle of the longest object still holds on to one of them. */
  refs[place(gib * WORDS_PER_GIB, 0, 0)] = NULL;
  refs[place(gib * WORDS_PER_GIB, 0, STEPS - 1)] = NULL;
  words[place(2 * WORDS_PER_GIB + 1, 0, STEPS - 1)] = NULL;
  collect(2, 4 + 3 * 2 * STEPS - 6);
  rig_close(&r);
  return 0;
}
