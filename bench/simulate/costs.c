/* SPDX-License-Identifier: MIT */
#include "bench/simulate/costs.h"

#include <math.h>
#include <string.h>

#define ENTRY(name, value, source, meaning) {#name, meaning, value, TD_COST_##source},
const struct td_cost_entry td_cost_entries[TD_COST_COUNT] = {TD_COSTS(ENTRY)};

void td_costs_init(struct td_costs *costs) {
  for (unsigned i = 0; i < TD_COST_COUNT; i++)
    costs->at[i] = td_cost_entries[i].value;
}

enum td_cost td_cost_find(const char *name, size_t length) {
  unsigned i = 0;
  while (i < TD_COST_COUNT && (strncmp(td_cost_entries[i].name, name, length) != 0 ||
                               td_cost_entries[i].name[length] != '\0'))
    i++;
  return (enum td_cost)i;
}

/* What divides, and what makes time go on at all, must not be 0. */
bool td_cost_is_valid(enum td_cost cost, double value) {
  bool positive = cost == TD_COST_node_gbs || cost == TD_COST_pause_ns ||
                  cost == TD_COST_slice_ns || cost == TD_COST_pace ||
                  cost == TD_COST_instruction_ns;
  return isfinite(value) && value >= (positive ? 1e-3 : 0) && value <= 1e9;
}
