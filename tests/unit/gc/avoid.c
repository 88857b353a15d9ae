/* SPDX-License-Identifier: MIT */
/* Integers in conservative roots that look like addresses of free memory. */
#include "tests/unit/gc/common.h"

enum { INTEGERS = 512 };

static uintptr_t integers[INTEGERS];

static struct world world_with_integers(size_t limit, size_t from, size_t step) {
  struct world w = WORLD(.heap_max_bytes = limit);
  uintptr_t base = (uintptr_t)tide_alloc(w.m, w.pair, sizeof(struct pair)) & ~(uintptr_t)0xffff;
  for (size_t i = 0; i < INTEGERS; i++)
    integers[i] = base + from + i * step;
  cr_assert_eq(tide_root_add_conservative(w.heap, integers, sizeof integers), TIDE_OK);
  cr_assert_eq(tide_collect(w.m), TIDE_OK);
  return w;
}

#ifndef TD_SANITIZE_address /* memory of dead objects is poisoned, and nothing else is avoided */

static void drop_chains(struct world *w, unsigned chains, unsigned length) {
  for (unsigned i = 0; i < chains; i++) {
    void **chain = tide_handle(w->m, NULL);
    for (unsigned k = 0; k < length; k++)
      *chain = pair_new(w, *chain, NULL, k);
    *chain = NULL;
  }
}

Test(avoid, integers_that_have_gone_are_forgotten) {
  SCOPED_WORLD w = world_with_integers(64 * MIB, 65536, 4000);
  memset(integers, 0, sizeof integers);
  drop_chains(&w, 100, 1000);
  cr_assert_eq(live_after_collect(&w), 0);
  expect_order(&w);
}

Test(avoid, long_objects_lie_elsewhere) {
  SCOPED_WORLD w = world_with_integers(64 * MIB, 65536, 8192); /* in the first 4 MiB */
  for (int i = 0; i < 20; i++)
    cr_assert_not_null(tide_alloc(w.m, TIDE_LAYOUT_REFS, MIB));
  cr_assert_eq(live_after_collect(&w), 0);
}

#endif

/* All of a small heap is pointed at. */
Test(avoid, memory_that_is_pointed_at_is_used_before_there_is_none) {
  SCOPED_WORLD w = world_with_integers(8 * MIB, 0, 8 * MIB / INTEGERS);
  void **kept = tide_handle(w.m, NULL);
  for (int i = 0; i < 5; i++) {
    void **array = tide_alloc_array(w.m, TIDE_LAYOUT_REFS, MIB / sizeof(void *), sizeof(void *));
    cr_assert_not_null(array);
    array[0] = *kept;
    *kept = (void *)array;
  }
}
