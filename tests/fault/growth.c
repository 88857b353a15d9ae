/* SPDX-License-Identifier: MIT */
/* The engine chase-lev, whose queues grow while the world is stopped, when the system refuses: a
 * queue is full then, and marking goes on from there, so nothing is lost. With memory it never is
 * full. */
#include "tests/fault/refuse_library.h"
#include "tests/stress/driver.h"
#include "tide/advanced.h"

enum { WIDE = 3000 };

struct node {
  struct node *next;
  uint64_t number;
};

/* One object that leads to WIDE others at once: more than a small queue holds. They do not lie in
 * the order of its slots, or they would be scanned where they are met. */
static void *make_wide(struct tide_heap *heap, struct tide_mutator *m) {
  size_t offset = offsetof(struct node, next);
  tide_layout layout = tide_layout_offsets(heap, sizeof(struct node), &offset, 1, NULL);
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
  calls = refused = 0;
  refuse_at = 1;
  refuse_later = true;
  counting = !with_memory;
  CHECK(tide_collect(m) == TIDE_OK);
  counting = false;
}

static struct tide_heap *make_heap(void) {
  struct tide_advanced_options advanced;
  struct tide_options options;
  tide_advanced_options_init(&advanced);
  advanced.engine = "chase-lev";
  advanced.queue_blocks = advanced.queue_block_items = 2;
  tide_options_init(&options);
  options.advanced = &advanced;
  options.markers = 1;
  return tide_heap_create(&options, NULL);
}

int main(void) {
  struct tide_attach_options attach;
  tide_attach_options_init(&attach);
  attach.stack = TIDE_STACK_PRECISE;
  struct tide_heap *heap = make_heap();
  struct tide_mutator *m = tide_attach(heap, &attach, NULL);
  CHECK(m);
  CHECK(make_wide(heap, m));
  struct tide_cycle_stats stats;
  struct tide_marker_stats marker;
  for (int round = 0; round < 4; round++) {
    collect(m, round % 2 != 0);
    tide_cycle_stats(heap, &stats);
    CHECK(tide_marker_stats(heap, &marker, 1) > 0);
    CHECK(stats.objects == 1 + WIDE);
    /* The third collection finds the memory that the second one needed. */
    CHECK((marker.overflows > 0) == (round == 0));
    CHECK((refused > 0) == (round == 0));
    struct tide_check check;
    CHECK(tide_check_marks(m, &check) == TIDE_OK && check.objects == 1 + WIDE);
  }
  CHECK(tide_detach(m) == TIDE_OK);
  CHECK(tide_heap_destroy(heap) == TIDE_OK);
  return 0;
}
