/* SPDX-License-Identifier: MIT */
/* A change of engine or markers that the system refuses halfway. Each allocation and mapping that
 * it asks for is refused in turn, and then with all behind it. All must be as before, down to the
 * memory in use: the next collection marks everything with the old engine and the old number of
 * markers, and the same change works once there is memory. */
#include "tests/fault/refuse_library.h"
#include "tests/stress/driver.h"
#include "tide/advanced.h"

enum { NODES = 50000 };

struct change {
  const char *engine; /* NULL: the number of markers changes */
  unsigned markers;
};

static enum tide_status apply(struct tide_heap *heap, const struct change *change,
                              struct tide_error *error) {
  return change->engine ? tide_heap_set_engine(heap, change->engine, error)
                        : tide_heap_set_markers(heap, change->markers, error);
}

static void expect(struct tide_mutator *m, const char *engine, unsigned markers) {
  struct tide_check check;
  CHECK(tide_collect(m) == TIDE_OK);
  CHECK(tide_check_marks(m, &check) == TIDE_OK && check.objects == NODES);
  const struct tide_cycle_stats stats = cycle_of(tide_heap_of(m));
  CHECK(strcmp(stats.engine, engine) == 0);
  CHECK(stats.markers == markers && stats.available == markers);
}

/* Returns how many calls were refused in turn. */
static unsigned refuse_each(struct tide_mutator *m, const struct change *change, bool later) {
  struct tide_heap *heap = tide_heap_of(m);
  for (unsigned n = 1;; n++) {
    struct tide_error error = {0};
    refuse_from(n, later);
    enum tide_status status = apply(heap, change, &error);
    counting = false;
    if (refused == 0) {
      CHECK(status == TIDE_OK);
      return n - 1;
    }
    CHECK(status == TIDE_ERROR_MEMORY && error.status == status && error.text[0]);
    CHECK(taken == 0);
    expect(m, "bwos", 2);
    CHECK(tide_timeline_read(heap, NULL, 0, NULL) == 0);
  }
}

static struct tide_mutator *open_heap(void) {
  struct tide_heap *heap =
      HEAP(.heap_max_bytes = 32u << 20, .markers = 2, .advanced = ADVANCED(.engine = "bwos"));
  struct tide_mutator *m = ATTACH(heap, .stack = TIDE_STACK_PRECISE);
  CHECK(tide_timeline_begin(heap, 1000) == TIDE_OK);
  size_t offset = 0;
  tide_layout node = tide_layout_offsets(heap, 16, &offset, 1, NULL);
  void **head = tide_handle(m, NULL);
  for (int i = 0; i < NODES; i++) {
    void **fresh = tide_alloc(m, node, 16);
    CHECK(fresh);
    *fresh = *head;
    *head = fresh;
  }
  expect(m, "bwos", 2);
  return m;
}

static void try_change(struct change change, bool later) {
  struct tide_mutator *m = open_heap();
  struct tide_heap *heap = tide_heap_of(m);
  unsigned count = refuse_each(m, &change, later);
  printf("%s: %u calls refused in turn%s\n", change.engine ? change.engine : "markers", count,
         later ? ", with all behind them" : "");
  CHECK(count >= 2);
  expect(m, change.engine ? change.engine : "bwos", change.engine ? 2 : change.markers);
  heap_end(heap, m);
}

int main(void) {
  const struct change changes[] = {{NULL, 5}, {"chase-lev", 0}, {"abp", 0}};
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    try_change(changes[i], false);
    try_change(changes[i], true);
  }
  return 0;
}
