/* SPDX-License-Identifier: MIT */
/* What the program gives back while a collection marks beside it stays until the next one, and is
 * zeroed at once all the same. What it leads to lives until then. */
#include <stdatomic.h>
#include <string.h>

#include "tests/concurrent/held.h"
#include "tide/layout.h"

enum { OBJECTS = 100, LONG = 1 << 20, SHORT = 100000 };

static struct held h;
static tide_layout told_layout;
static atomic_uint told;

static bool is_zero(const char *bytes, size_t from, size_t to) {
  for (size_t i = from; i < to; i++)
    if (bytes[i]) return false;
  return true;
}

static void tell(void *object, size_t bytes, void *context) {
  CHECK(is_zero(object, 0, bytes));
  atomic_fetch_add(&told, 1);
}

static void **handle(void *object) {
  CHECK(object);
  return (void **)tide_handle(h.m, object);
}

static void freed_objects_are_told_empty(void) {
  void **objects[OBJECTS], **child = handle(tide_alloc(h.m, TIDE_LAYOUT_LEAF, 64));
  memset(*child, 7, 64);
  for (unsigned i = 0; i < OBJECTS; i++) {
    objects[i] = handle(tide_alloc(h.m, told_layout, 64));
    ((void **)*objects[i])[3] = *child;
  }
  *child = NULL;
  held_begin(&h);
  void **taken = handle(((void **)*objects[0])[3]);
  for (unsigned i = 0; i < OBJECTS; i++) {
    CHECK(tide_free(h.m, *objects[i]) == TIDE_OK);
    *objects[i] = NULL;
  }
  held_end(&h);
  for (unsigned i = 0; i < 100000; i++)
    CHECK(tide_alloc(h.m, TIDE_LAYOUT_LEAF, 64));
  CHECK(((char *)*taken)[63] == 7);
  *taken = NULL;
  CHECK(tide_collect(h.m) == TIDE_OK);
  (void)tide_reclaim(h.m, SIZE_MAX);
  CHECK(atomic_load(&told) == OBJECTS);
}

static void what_is_cut_off_is_zero(tide_layout layout) {
  void **object = handle(tide_alloc(h.m, layout, LONG));
  memset(*object, layout == TIDE_LAYOUT_LEAF ? 7 : 0, LONG);
  ((void **)*object)[SHORT / 8 + 1] = tide_alloc(h.m, TIDE_LAYOUT_LEAF, 64);
  held_begin(&h);
  CHECK(tide_resize_in_place(h.m, *object, SHORT - 3));
  CHECK(is_zero(*object, SHORT - 3, LONG));
  held_end(&h);
  CHECK(tide_resize_in_place(h.m, *object, LONG) && is_zero(*object, SHORT - 3, LONG));
  CHECK(layout != TIDE_LAYOUT_LEAF || ((char *)*object)[SHORT - 4] == 7);
  *object = NULL;
}

int main(void) {
  held_open(&h, &OPTIONS(.heap_max_bytes = (size_t)256 << 20));
  what_is_cut_off_is_zero(TIDE_LAYOUT_LEAF);
  what_is_cut_off_is_zero(TIDE_LAYOUT_REFS);
  what_is_cut_off_is_zero(TIDE_LAYOUT_CONSERVATIVE);
  told_layout = tide_layout_on_reclaim(h.heap, TIDE_LAYOUT_REFS, tell, NULL, NULL);
  freed_objects_are_told_empty();
  held_close(&h);
  return 0;
}
