/* SPDX-License-Identifier: MIT */
/* Throwing references to the regions that they lead to, and the two halves of a visit: testing what
 * was thrown, and scanning what is new. */
#ifndef TD_MARKER_REGION_THROW_H
#define TD_MARKER_REGION_THROW_H

#include "heap/view.h"
#include "marker/scan/scan.h"
#include "marker/region/regions.h"

/* What throwing needs, for a local variable: the loops that throw keep it in registers. */
struct td_throwing {
  struct td_visitor *visitor;
  uint16_t **open;
  uintptr_t base;
  uint64_t granules;
  unsigned shift; /* log2 of the granules of a part */
};

static inline struct td_throwing td_throwing_of(struct td_visitor *visitor,
                                                const struct td_view *v) {
  return (struct td_throwing){.visitor = visitor,
                              .open = visitor->open,
                              .base = v->base,
                              .granules = v->granules,
                              .shift = visitor->regions->shift - visitor->regions->parts};
}

/* The open chunk of a part is full, or there is none. Returns where a reference to the granule
 * goes; NULL if there is no memory: then the reference has been deferred. */
uint16_t *td_visitor_next_chunk(struct td_visitor *visitor, uint64_t granule);

/* A marker must call it before it pushes, and before it claims a region in which nothing waits:
 * others may push there meanwhile, and rely on the owner to look at all regions again. */
void td_regions_announce(struct td_regions *regions);

/* Gives all open chunks to their regions. */
void td_visitor_close(struct td_visitor *visitor);

/* Does nothing with a word that is no reference. */
TD_INLINE void td_throw(const struct td_throwing *t, uintptr_t word) {
  uint64_t granule = td_granule_of(t->base, word);
  if (granule >= t->granules) return;
  uint16_t **open = &t->open[granule >> t->shift];
  uint16_t *at = *open;
  if (__builtin_expect(((uintptr_t)at & (sizeof(struct td_chunk) - 1)) == 0, 0)) {
    at = td_visitor_next_chunk(t->visitor, granule);
    if (!at) return;
  }
  *at = (uint16_t)granule;
  *open = at + 1;
  __builtin_prefetch(at + TD_CACHE_LINE / sizeof *at, 1); /* the line after this one */
}

/* Returns the chunk that an open pointer writes to. */
static inline struct td_chunk *td_open_chunk(uint16_t *at) {
  return (struct td_chunk *)((uintptr_t)(at - 1) & ~(sizeof(struct td_chunk) - 1));
}

/* ---- A visit ---- */

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
