/* SPDX-License-Identifier: MIT */
/* Importing an HPROF dump: two passes over the source, memory in proportion to the graph.
 *
 * The first pass notes every object's identifier and size, the second fills in references.
 * Objects are numbered in the order of their identifiers, which in HotSpot are addresses. */
#ifndef TD_WORKLOADS_HPROF_H
#define TD_WORKLOADS_HPROF_H

#include "workloads/import_source.h"
#include "workloads/import_summary.h"
#include "workloads/thg.h"

/* Returns whether the bytes begin as an HPROF dump does. */
bool td_hprof_is(const uint8_t *bytes, size_t length);

/* Fills *graph and adds to *summary; on failure the caller frees the graph. */
bool td_hprof_import(struct td_import_source *source, struct td_thg *graph,
                     struct td_import_summary *summary);

#endif
