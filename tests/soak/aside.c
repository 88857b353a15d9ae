/* SPDX-License-Identifier: MIT */
/* A short-lived heap, with all that the library takes for it: addresses, keys, threads, files. */
#include "tests/soak/aside.h"

#include "tests/stress/driver.h"
#include "tide/inspect.h"

enum { OBJECTS = 5000 };

static void write_files(struct tide_mutator *m, const char *folder, uint64_t round) {
  char path[512];
  struct tide_error error;
  snprintf(path, sizeof path, "%s/soak-%" PRIu64, folder, round);
  CHECK(tide_heap_snapshot(m, path, &error) == TIDE_OK);
  CHECK(unlink(path) == 0);
  enum tide_status status = tide_heap_snapshot_thg(m, path, &error);
  CHECK(status == TIDE_OK || status == TIDE_ERROR_UNSUPPORTED);
  CHECK(status != TIDE_OK || unlink(path) == 0);
}

void soak_aside(const char *folder, uint64_t round) {
  struct tide_heap *heap = HEAP(.heap_max_bytes = (size_t)16 << 20, .markers = 2);
  struct tide_mutator *m = ATTACH(heap);
  void **list = NULL;
  for (int i = 0; i < OBJECTS; i++) {
    void **fresh = tide_alloc(m, TIDE_LAYOUT_REFS, 64);
    CHECK(fresh);
    tide_write(m, fresh, fresh, list);
    list = fresh;
  }
  write_files(m, folder, round);
  int length = 0;
  for (void **at = list; at; at = *at)
    length++;
  CHECK(length == OBJECTS);
  heap_end(heap, m);
}
