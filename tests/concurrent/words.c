/* SPDX-License-Identifier: MIT */
/* Markers meet words that lead into free blocks while the program makes these something else, again
 * and again where there are young collections. Under ThreadSanitizer: without a race. */
#include "tests/concurrent/nodes.h"

enum { WORDS = 1 << 16, APART = 1000, CYCLES = 8, LONGEST = 1 << 20 };

static void make_of_all_lengths(void) {
  for (size_t bytes = sizeof(struct node); bytes < LONGEST; bytes *= 3)
    CHECK(tide_alloc(h.m, TIDE_LAYOUT_REFS, bytes));
}

static void collect_beside(void) {
  make_many();
  CHECK(tide_collect(h.m) == TIDE_OK); /* that is free now, */
  uintptr_t *words = tide_alloc_array(h.m, TIDE_LAYOUT_CONSERVATIVE, WORDS, sizeof *words);
  CHECK(words);
  put(0, (struct node *)words);
  for (size_t i = 0; i < WORDS; i++) /* and words lead there. */
    words[i] = (uintptr_t)roots + (i - WORDS / 2) * APART;
  held_begin(&h);
  h.holds = false;
  sem_post(&h.go);
  for (uint64_t before = held_collections(&h); held_collections(&h) == before;)
    make_of_all_lengths();
  put(0, NULL);
}

int main(void) {
  nodes_open((size_t)256 << 20);
  const bool has_young = tide_heap_set_young(h.heap, TIDE_YOUNG_ALWAYS) == TIDE_OK;
  for (unsigned cycle = 0; cycle < CYCLES; cycle++) {
    if (has_young) tide_heap_set_young(h.heap, cycle % 2 ? TIDE_YOUNG_ALWAYS : TIDE_YOUNG_NEVER);
    collect_beside();
  }
  CHECK(stats_of(h.heap).concurrent_collections >= CYCLES / 2);
  held_close(&h);
  return 0;
}
