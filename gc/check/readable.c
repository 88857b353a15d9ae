/* SPDX-License-Identifier: MIT */
/* Looking at registered roots through the system, which survives memory that is gone. */
#include "gc/check/readable.h"

#include <stdlib.h>

#include "gc/roots/set.h"

/* The page that was found readable last. Roots mostly lie side by side. */
struct known {
  uintptr_t page;
};

static bool is_readable(struct known *known, uintptr_t address) {
  uintptr_t page = address & ~(uintptr_t)(td_plat_page_bytes() - 1);
  if (page == known->page) return true;
  if (!td_plat_readable(address & ~(uintptr_t)7)) return false;
  known->page = page;
  return true;
}

static void demand(struct known *known, uintptr_t start, size_t bytes, const char *function) {
  size_t step = td_plat_page_bytes();
  for (uintptr_t at = start, end = start + bytes; at < end; at = (at & ~(step - 1)) + step) {
    if (is_readable(known, at)) continue;
    td_plat_say(
        "tidemark: TIDE_VERIFY: the root at %#zx, registered by %s, cannot be read at %#zx: its "
        "memory went without a call of tide_root_remove…\n",
        (size_t)start, function, (size_t)at);
    abort();
  }
}

static void demand_ranges(struct known *known, const struct td_registry *ranges,
                          const char *function) {
  const struct td_root_range *range = ranges->at;
  for (size_t i = 0; i < ranges->count; i++)
    demand(known, range[i].start, range[i].bytes, function);
}

void td_roots_demand_readable(const struct tide_heap *heap) {
  const struct td_registry *registered = heap->roots->registered;
  const uintptr_t *slots = registered[TD_REGISTERED_SLOT].at;
  struct known known = {.page = 0};
  for (size_t i = 0; i < registered[TD_REGISTERED_SLOT].count; i++)
    demand(&known, slots[i], sizeof(void *), "tide_root_add");
  demand_ranges(&known, &registered[TD_REGISTERED_RANGE], "tide_root_add_range");
  demand_ranges(&known, &registered[TD_REGISTERED_CONSERVATIVE], "tide_root_add_conservative");
}
