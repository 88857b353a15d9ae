/* SPDX-License-Identifier: MIT */
#include "marker/region/check.h"

#include <assert.h>

#include "marker/base/state.h"
#include "marker/region/fresh.h"

void td_visitor_check(const struct td_visitor *visitor) {
  size_t words = (size_t)1 << visitor->regions->shift >> TD_FRESH_WORD;
  for (size_t i = 0; i < words; i++)
    assert(visitor->fresh[i] == 0);
  for (size_t i = 0; i < words / 64; i++)
    assert(visitor->summary[i] == 0);
}

void td_regions_check(const struct td_markers *set) {
  const struct td_regions *regions = set->regions;
  uint32_t used = 0;
  for (uint32_t r = 0; r < td_regions_count(regions); r++)
    assert(td_region_look(&regions->at[r]) == 0);
  for (unsigned i = 0; i < set->limit; i++) {
    const struct td_visitor *visitor = set->marker[i]->visitor;
    /* relaxed: td_term_over has acquired it: [term.leave]. */
    used += atomic_load_explicit(&visitor->stock.balance, memory_order_relaxed);
    for (uint32_t part = 0; part < td_regions_parts(regions); part++)
      assert(!visitor->open[part]);
  }
  assert(used == 0);
}
