/* SPDX-License-Identifier: MIT */
#include "workloads/catalogue.h"

static const struct td_graph_kind *const kinds[] = {
    &td_graph_tree,     &td_graph_forest, &td_graph_random,  &td_graph_clustered,
    &td_graph_powerlaw, &td_graph_list,   &td_graph_lists,   &td_graph_comb,
    &td_graph_star,     &td_graph_wide,   &td_graph_array,   &td_graph_map,
    &td_graph_dag,      &td_graph_ast,    &td_graph_records, &td_graph_file,
};
#define KIND_COUNT (sizeof kinds / sizeof kinds[0])

const struct td_graph_kind *td_graph_kind_at(size_t index) {
  return index < KIND_COUNT ? kinds[index] : NULL;
}
