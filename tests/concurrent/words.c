/* SPDX-License-Identifier: MIT */
/* Markers, and who finds the order in which finalizers run, meet words that lead into free blocks
 * while the program makes these something else, again and again where there are young collections.
 * Under ThreadSanitizer: without a race. */
#include "heap/space/find.h"
#include "tests/concurrent/nodes.h"
#include "tests/wrap.h"

enum { WORDS = 1 << 16, APART = 1000, CYCLES = 8, LONGEST = 1 << 20 };

/* What the collecting thread looks up beside the program was there before. */
WRAP(uintptr_t, td_space_find, const struct td_space *space, uintptr_t word, enum td_from from) {
  bool is_beside = space->marks[0] != 0 && !tide_current(h.heap);
  CHECK(!is_beside || td_space_was_used(space, td_block_of(space, word)));
  return __real_td_space_find(space, word, from);
}

static void make_of_all_lengths(void) {
  for (size_t bytes = sizeof(struct node); bytes < LONGEST; bytes *= 3)
    CHECK(tide_alloc(h.m, TIDE_LAYOUT_REFS, bytes));
}

static __attribute__((noinline)) uintptr_t *make_words(size_t count) {
  uintptr_t *words = tide_alloc_array(h.m, TIDE_LAYOUT_CONSERVATIVE, count, sizeof *words);
  CHECK(words);
  for (size_t i = 0; i < count; i++)
    words[i] = (uintptr_t)roots + (i - count / 2) * APART;
  return words;
}

static void do_nothing(void *object, void *context) {}

static __attribute__((noinline)) void make_dying(void) {
  for (unsigned i = 0; i < 4; i++)
    CHECK(tide_finalizer_add(h.m, make_words(WORDS / 32), do_nothing, NULL) == TIDE_OK);
}

static void collect_beside(void) {
  make_many();
  CHECK(tide_collect(h.m) == TIDE_OK);      /* that is free now, */
  put(0, (struct node *)make_words(WORDS)); /* and words lead there. */
  make_dying();
  held_begin(&h);
  h.holds = false;
  sem_post(&h.go);
  for (uint64_t before = held_collections(&h); held_collections(&h) == before;)
    make_of_all_lengths();
  put(0, NULL);
  (void)tide_finalizers_run(h.m, SIZE_MAX);
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
