/* SPDX-License-Identifier: MIT */
/* Epochs come round, while objects of all lengths die and their memory becomes other objects': no
 * byte of an earlier round is taken for a mark.
 *
 *   epochs [COLLECTIONS]     of which 120 are a round, or 58 where objects are born young */
#include "tests/concurrent/nodes.h"
#include "tests/random.h"

enum { OBJECTS = 2000, LONGEST = 3000 };

static void collect_beside(uint32_t *random) {
  const uint64_t before = held_collections(&h);
  CHECK(tide_collect_begin(h.m) == TIDE_OK);
  for (size_t i = 0; i < OBJECTS || held_collections(&h) == before; i++) {
    const size_t longest = random_next(random) % 50 ? 64 : LONGEST;
    const size_t words = 2 + random_next(random) % longest;
    put(random_next(random) % ROOTS, tide_alloc(h.m, TIDE_LAYOUT_REFS, words * sizeof(void *)));
  }
}

int main(int count, char **arguments) {
  const uint64_t collections = argument(count, arguments, 1, 400);
  uint32_t random = 1;
  nodes_open((size_t)64 << 20);
  for (uint64_t i = 0; i < collections; i++) {
    struct tide_error error = {.status = TIDE_OK};
    collect_beside(&random);
    if (tide_check_heap(h.m, &error) == TIDE_OK) continue;
    fprintf(stderr, "after %" PRIu64 " collections: %s\n", i + 1, error.text);
    return 1;
  }
  CHECK(stats_of(h.heap).concurrent_collections >= collections / 2);
  held_close(&h);
  return 0;
}
