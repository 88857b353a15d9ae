/* SPDX-License-Identifier: MIT */
/* What writes the live heap, each as a file of its own format. */
#ifndef TD_INSPECT_WRITERS_H
#define TD_INSPECT_WRITERS_H

#include <stdio.h>

#include "inspect/base/outcome.h"
#include "tide/inspect.h"

void td_devtools_write(struct tide_walk *walk, FILE *file, struct td_outcome *outcome); /* V8's */
void td_graph_write(struct tide_walk *walk, FILE *file, struct td_outcome *outcome);    /* .thg */

#endif
