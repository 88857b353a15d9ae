/* SPDX-License-Identifier: MIT */
/* The engine chase-lev, whose queues grow while the world is stopped, when the system refuses: a
 * queue is full then, and marking goes on from there, so nothing is lost. With memory it never is
 * full. */
#include "tests/fault/refuse_library.h"
#include "tests/stress/list.h"
#include "tide/advanced.h"

enum { WIDE = 3000 };

/* One object that leads to WIDE others at once: more than a small queue holds. They do not lie in
 * the order of its slots, or they would be scanned where they are met. */
static void *make_wide(struct tide_heap *heap, struct tide_mutator *m) {
  const tide_layout layout = list_layout(heap);
  void **wide = tide_handle(m, tide_alloc(m, TIDE_LAYOUT_REFS, WIDE * sizeof(void *)));
  CHECK(wide && *wide);
  for (int i = 0; i < WIDE; i++) {
    void **slot = (void **)*wide + i * 701 % WIDE;
    *slot = tide_alloc(m, layout, sizeof(struct node));
    CHECK(*slot);
  }
  return *wide;
}

static void collect(struct tide_mutator *m, bool with_memory) {
  refuse_from(1, true);
  counting = !with_memory;
  CHECK(tide_collect(m) == TIDE_OK);
  counting = false;
}

int main(void) {
  struct tide_heap *heap =
      HEAP(.advanced = ADVANCED(.engine = "chase-lev", .queue_blocks = 2, .queue_block_items = 2),
           .markers = 1);
  struct tide_mutator *m = ATTACH(heap, .stack = TIDE_STACK_PRECISE);
  CHECK(make_wide(heap, m));
  struct tide_marker_stats marker;
  for (int round = 0; round < 4; round++) {
    collect(m, round % 2 != 0);
    CHECK(tide_marker_stats(heap, &marker, 1) > 0);
    CHECK(cycle_of(heap).objects == 1 + WIDE);
    CHECK((marker.overflows > 0) == (round % 2 == 0));
    CHECK((refused > 0) == (round % 2 == 0));
    struct tide_check check;
    CHECK(tide_check_marks(m, &check) == TIDE_OK && check.objects == 1 + WIDE);
  }
  heap_end(heap, m);
  return 0;
}
