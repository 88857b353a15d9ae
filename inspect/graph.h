/* SPDX-License-Identifier: MIT */
/* The live heap as a graph file (.thg). */
#ifndef TD_INSPECT_GRAPH_H
#define TD_INSPECT_GRAPH_H

#include <stdio.h>

#include "inspect/base/outcome.h"
#include "tide/inspect.h"

void td_graph_write(struct tide_walk *walk, FILE *file, struct td_outcome *outcome);

#endif
