/* SPDX-License-Identifier: MIT */
/* The live heap as a V8 heap snapshot. */
#ifndef TD_INSPECT_DEVTOOLS_H
#define TD_INSPECT_DEVTOOLS_H

#include <stdio.h>

#include "inspect/base/outcome.h"
#include "tide/inspect.h"

void td_devtools_write(struct tide_walk *walk, FILE *file, struct td_outcome *outcome);

#endif
