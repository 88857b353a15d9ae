/* SPDX-License-Identifier: MIT */
/* A program writes more slots of a long old array than the list of them has room for, and the list
 * grows, or finds no memory. What the first slot leads to fills the marker's buffer, so that it
 * defers objects while it marks. */
#include "gc/arrays/pages.h"
#include "tests/stress/driver.h"
#include "tests/wrap.h"
#include "tide/layout.h"

enum { SLOTS = 1 << 19, APART = 64, ELEMENTS = 2000, ROUNDS = 4 };

struct element {
  void **one;
  uint64_t number;
};

static bool refuses;

WRAP(void *, td_pages_room, void *old, const void *first, size_t *capacity, size_t count,
     size_t least, size_t bytes_each) {
  if (refuses && count > *capacity) return NULL;
  return __real_td_pages_room(old, first, capacity, count, least, bytes_each);
}

static struct tide_mutator *m;
static tide_layout element;
static uint64_t **array; /* a root */

static void fill(size_t first) {
  for (size_t i = first; i < SLOTS; i += APART) {
    uint64_t *number = new_object(m, TIDE_LAYOUT_LEAF, 32);
    *number = i;
    tide_write(m, array, &array[i], number);
  }
  struct element *elements = tide_alloc_array(m, element, ELEMENTS, sizeof *elements);
  CHECK(elements);
  tide_write(m, array, &array[first + 1], elements);
  for (size_t i = 0; i < ELEMENTS; i++)
    tide_write(m, elements, &elements[i].one, tide_alloc(m, TIDE_LAYOUT_REFS, 32));
}

static void check(struct tide_heap *heap, size_t first) {
  CHECK(tide_check_heap(m, NULL) == TIDE_OK);
  for (size_t i = 0; i < 200000; i++) /* in the place of what died */
    *(uint64_t *)tide_alloc(m, TIDE_LAYOUT_LEAF, 32) = UINT64_MAX;
  for (size_t i = first; i < SLOTS; i += APART)
    CHECK(*array[i] == i);
  const struct element *elements = (const struct element *)(void *)array[first + 1];
  for (size_t i = 0; i < ELEMENTS; i++)
    CHECK(tide_object_bytes(heap, elements[i].one) == 32);
}

int main(void) {
  struct tide_heap *heap =
      heap_of(&OPTIONS(.write_barrier = true, .collects = TIDE_COLLECTS_WHEN_ASKED));
  m = ATTACH(heap);
  const size_t reference = offsetof(struct element, one);
  element = tide_layout_offsets(heap, sizeof(struct element), &reference, 1, NULL);
  CHECK(tide_root_add(heap, &array) == TIDE_OK);
  CHECK(tide_heap_set_young(heap, TIDE_YOUNG_ALWAYS) == TIDE_OK);
  array = tide_alloc_array(m, TIDE_LAYOUT_REFS, SLOTS, sizeof *array);
  CHECK(array && tide_collect(m) == TIDE_OK);
  for (size_t round = 0; round < ROUNDS; round++) {
    fill(round);
    refuses = round % 2 != 0;
    CHECK(tide_collect_young(m) == TIDE_OK);
    refuses = false;
    check(heap, round);
  }
  array = NULL;
  heap_end(heap, m);
  return 0;
}
