/* SPDX-License-Identifier: MIT */
/* The memory for marking by regions, when the system refuses. Each allocation and mapping is
 * refused in turn, and then with all behind it: those that a heap's markers ask for, of which
 * nothing stays then, and those of a heap's first collection, which marks without regions. */
#include "heap/create.h"
#include "marker/marker.h"
#include "tests/fault/refuse_library.h"
#include "tests/stress/driver.h"

#define RANGE ((size_t)1 << 30)

static struct td_space space;

/* In bytes; how much of it is used does not matter. */
static size_t address_space(void) {
  unsigned long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  CHECK(file && fscanf(file, "%lu", &pages) == 1);
  fclose(file);
  return (size_t)pages * td_plat_page_bytes();
}

static struct td_markers *create(uint64_t number, bool later, struct tide_error *error) {
  struct td_marker_config config = {.markers = 2};
  refuse_from(number, later);
  struct td_markers *set = td_markers_create(&space, &config, error);
  counting = false;
  return set;
}

static void refuse_each(bool later) {
  unsigned markers = 0, tables = 0;
  struct td_markers *set;
  for (unsigned n = 1;; n++) {
    struct tide_error error = {0};
    set = create(n, later, &error);
    if (refused == 0) break;
    CHECK(!set && error.status == TIDE_ERROR_MEMORY && taken == 0);
    markers += strcmp(error.text, "no memory for the markers") == 0;
    tables += strcmp(error.text, "no memory for the markers' tables") == 0;
  }
  CHECK(set);
  CHECK(markers == 3 && tables > 0); /* what they share, the regions' two */
  td_markers_destroy(set);
}

/* ---- A collection ---- */

enum { OBJECTS = 5000, TABLES = 5 }; /* chunks; of two visitors: fresh objects, open chunks */

/* Returns how many calls the heap's first collection makes. */
static uint64_t collect_first(uint64_t number, bool later) {
  struct tide_heap *heap = HEAP(.reserve_bytes = RANGE, .heap_max_bytes = RANGE, .markers = 2);
  struct tide_mutator *m = ATTACH(heap, .stack = TIDE_STACK_PRECISE);
  void **head = tide_handle(m, NULL);
  for (int i = 0; i < OBJECTS; i++) {
    void **link = tide_alloc(m, TIDE_LAYOUT_REFS, 16);
    CHECK(link);
    link[0] = *head;
    *head = link;
  }
  for (int turn = 0; turn < 2; turn++) {
    if (turn == 0) refuse_from(number, later);
    CHECK(tide_collect(m) == TIDE_OK);
    counting = false;
    CHECK(cycle_of(heap).objects == OBJECTS);
  }
  heap_end(heap, m);
  return calls;
}

int main(void) {
  struct tide_error error;
  CHECK(td_space_init(&space, false, 2 * RANGE, RANGE, &error));
  for (int later = 0; later < 2; later++)
    refuse_each(later);
  td_space_deinit(&space);

  const uint64_t all = collect_first(0, false);
  CHECK(all >= TABLES);
  size_t before = address_space();
  for (uint64_t n = 1; n <= all; n++)
    for (int later = 0; later < 2; later++)
      collect_first(n, later);
  CHECK(address_space() < before + RANGE / 4); /* a pool alone takes a part in 32, each time */
  return 0;
}
