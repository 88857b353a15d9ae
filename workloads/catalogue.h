/* SPDX-License-Identifier: MIT */
/* The table of all graphs.  Each is defined in one of the shape_*.c. */
#ifndef TD_WORKLOADS_CATALOGUE_H
#define TD_WORKLOADS_CATALOGUE_H

#include "workloads/kind.h"

extern const struct td_graph_kind td_graph_tree, td_graph_forest, td_graph_random,
    td_graph_clustered, td_graph_powerlaw, td_graph_dag, td_graph_list, td_graph_lists,
    td_graph_comb, td_graph_star, td_graph_wide, td_graph_array, td_graph_map, td_graph_ast,
    td_graph_records, td_graph_file;

/* Returns the kind of graph with that index from 0; NULL past the last. */
const struct td_graph_kind *td_graph_kind_at(size_t index);

#endif
