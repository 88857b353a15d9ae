/* SPDX-License-Identifier: MIT */
/* The two halves of a visit: testing what was thrown, and scanning what is new. */
#ifndef TD_MARKER_REGION_SIFT_H
#define TD_MARKER_REGION_SIFT_H

#include "marker/region/throw.h"

/* A visit of one region, which this marker owns. */
struct td_visit_state {
  struct td_visitor *visitor;
  struct td_view v;
  uint64_t first;   /* the first granule of the region */
  uint64_t objects; /* marked */
  uint64_t sifted;  /* references that were tested */
};

/* Marks the objects to which the references lead, or into which conservative words point, and that
 * were not marked. Those that have to be scanned become fresh; returns whether there are any.
 * Destroys the references. */
bool td_sift(struct td_visit_state *s, struct td_chunk *chunk, uint32_t count);
/* Scans fresh objects, and deferred ones of the region, and throws what they refer to. If chunks
 * become scarce, the fresh objects that remain are deferred. */
void td_scan_fresh(struct td_visit_state *s);
/* Returns whether chunks are so scarce that references should be tested before more are thrown. */
bool td_chunks_are_scarce(const struct td_visitor *visitor);

#endif
