/* SPDX-License-Identifier: MIT */
/* The memory for marking by regions, when the system refuses. Each allocation and mapping that a
 * heap's markers ask for is refused in turn, and then with all behind it. There are no markers
 * then, the error names what there was no memory for, and nothing of it stays. */
#include "heap/create.h"
#include "marker/marker.h"
#include "tests/fault/refuse_library.h"
#include "tests/stress/driver.h"

void __real_free(void *piece);
void __wrap_free(void *piece);

void __wrap_free(void *piece) {
  taken -= counting && piece;
  __real_free(piece);
}

/* Their description; the regions and the pool, each reserved. */
enum { REGION_CALLS = 3 };
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
  calls = refused = 0;
  taken = 0;
  refuse_at = number;
  refuse_later = later;
  counting = true;
  struct td_markers *set = td_markers_create(&space, &config, error);
  counting = false;
  return set;
}

static void refuse_each(bool later) {
  unsigned regions = 0, tables = 0;
  struct td_markers *set;
  for (unsigned n = 1;; n++) {
    struct tide_error error = {0};
    set = create(n, later, &error);
    if (refused == 0) break;
    CHECK(!set && error.status == TIDE_ERROR_MEMORY && taken == 0);
    regions += strcmp(error.text, "no address space for the regions") == 0;
    tables += strcmp(error.text, "no memory for the markers' tables") == 0;
  }
  CHECK(set);
  CHECK(regions == REGION_CALLS && tables > 0);
  td_markers_destroy(set);
}

int main(void) {
  struct tide_error error;
  CHECK(td_space_init(&space, false, 2 * RANGE, RANGE, &error));
  refuse_each(false);
  size_t before = address_space();
  for (int i = 0; i < 20; i++)
    refuse_each(i % 2);
  CHECK(address_space() < before + RANGE / 4); /* a pool alone takes a part in 32, each time */
  td_space_deinit(&space);
  return 0;
}
