/* SPDX-License-Identifier: MIT */
/* Epochs come round three times, while objects of all lengths die and their memory becomes other
 * objects': no byte of an earlier round is taken for a mark. */
#include "tests/concurrent/nodes.h"
#include "tests/random.h"

enum { COLLECTIONS = 3 * 128, OBJECTS = 2000, LONGEST = 3000 };

static void collect_beside(uint32_t *random) {
  const uint64_t before = held_collections(&h);
  CHECK(tide_collect_begin(h.m) == TIDE_OK);
  for (size_t i = 0; i < OBJECTS || held_collections(&h) == before; i++) {
    const size_t longest = random_next(random) % 50 ? 64 : LONGEST;
    const size_t words = 2 + random_next(random) % longest;
    put(random_next(random) % ROOTS, tide_alloc(h.m, TIDE_LAYOUT_REFS, words * sizeof(void *)));
  }
}

int main(void) {
  uint32_t random = 1;
  nodes_open((size_t)64 << 20);
  for (unsigned i = 0; i < COLLECTIONS; i++) {
    struct tide_error error = {.status = TIDE_OK};
    collect_beside(&random);
    if (tide_check_heap(h.m, &error) == TIDE_OK) continue;
    fprintf(stderr, "after %u collections: %s\n", i + 1, error.text);
    return 1;
  }
  CHECK(stats_of(h.heap).concurrent_collections >= COLLECTIONS / 2);
  held_close(&h);
  return 0;
}
