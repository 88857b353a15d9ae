/* SPDX-License-Identifier: MIT */
/* Marking by regions, for graphs whose references lead far.
 *
 * A reference that is found is not tested. It is thrown: its granule is appended to the open chunk
 * that this marker has for the region it leads to. A full chunk is pushed to the region. Later some
 * marker claims the region, sifts all references that wait there, which finds the new objects, and
 * scans these in the order of their addresses. What they refer to is thrown in turn. Why that pays
 * stands in docs/marking.md.
 *
 * Not templates: visits use no queue. marker/loop/by_region.h connects them with the loop. */
#ifndef TD_MARKER_REGION_REGIONS_H
#define TD_MARKER_REGION_REGIONS_H

#include "heap/space/space.h"
#include "marker/base/tuning.h"
#include "marker/region/chunks.h"

struct td_marker;
struct td_markers;

/* What the markers of a heap share. */
struct td_regions {
  struct td_region *at;       /* as many as the smallest regions of the heap's range */
  size_t room, reached_bytes; /* of that table: all of it, and what can be written */
  /* Constant while marking. Tests make them small. */
  struct td_region_limits {
    unsigned shift_least; /* log2 of the granules of the smallest regions, at least 12: a block */
    uint64_t cached;      /* granules of the longest heap that the last-level cache holds */
    size_t pool_least;    /* waiting references may take this many bytes, */
    uint32_t pool_part;   /* or this part of the heap, whichever is more: 32 is a 32nd */
  } limits;
  /* Constant while marking. */
  unsigned shift; /* log2 of the granules of a region */
  unsigned parts; /* log2 of the number of its parts: see TD_CHUNK_SHIFT */
  /* An array of that many slots leads to TD_MANY_A_LINE objects for each cache line of marks: it
   * takes a 32nd of the heap. UINT64_MAX if the last-level cache holds the heap. */
  uint64_t wide_slots;
  /* Regions up to the frontier. Helpers that watch for work read it while the next collection
   * begins: see td_markers.root_slices. */
  _Atomic(uint32_t) count;
  struct td_chunks pool;
  /* 1 once a chunk may have been pushed in this collection; until then no marker needs to look. A
   * marker sets it before it pushes or visits, so it never overlooks what it answers for. */
  _Alignas(TD_CACHE_LINE) _Atomic(uint32_t) used;
};

/* What a marker has for its visits. */
struct td_visitor {
  struct td_marker *marker;
  struct td_regions *regions;
  /* Where the next reference to each part of a region goes: into a chunk of this marker. A pointer
   * to the end of a chunk, or NULL, says that another chunk is needed. */
  uint16_t **open;
  size_t open_bytes, reached_bytes; /* as of the regions */
  uint64_t *fresh;                  /* a bit for each granule of the region that is being visited */
  uint64_t *summary;                /* a bit for each word of `fresh` */
  uint32_t *list;                   /* granules of objects that are scanned next, in order */
  struct td_stock stock;
  uint32_t part;   /* the part of a region that is scanned first */
  uint32_t cursor; /* the region that is looked at next */
};

static inline uint32_t td_regions_count(const struct td_regions *regions) {
  return atomic_load_explicit(&regions->count, memory_order_relaxed); /* relaxed: see above */
}

/* Returns how many parts all regions have. */
static inline uint32_t td_regions_parts(const struct td_regions *regions) {
  return td_regions_count(regions) << regions->parts;
}

/* Returns the granule from which the references of a chunk are counted. In regions smaller than a
 * part, it lies before the region. */
static inline uint64_t td_regions_chunk_start(const struct td_regions *regions, uint64_t region,
                                              const struct td_chunk *chunk) {
  uint64_t part = (region << regions->shift >> TD_CHUNK_SHIFT) + chunk->part;
  return part << TD_CHUNK_SHIFT;
}

/* Return NULL if there is no memory. */
struct td_regions *td_regions_make(const struct td_space *space);
struct td_visitor *td_visitor_make(struct td_marker *marker);
void td_regions_free(struct td_regions *regions);
void td_visitor_free(struct td_visitor *visitor);
/* Before a collection, both. */
void td_regions_begin(struct td_regions *regions, const struct td_space *space);
void td_visitor_begin(struct td_visitor *visitor);

/* Throws an object whose mark has not been looked at. */
void td_visitor_throw(struct td_visitor *visitor, uintptr_t object);
/* Visits regions, until none has a reference that waits and that this marker could reach, or few
 * wait in each and they do not become more. Afterwards the marker has no open chunks. */
void td_visitor_run(struct td_visitor *visitor);
/* Returns whether there is more than one region to choose from. */
static inline bool td_regions_are_several(const struct td_regions *regions) {
  return td_regions_count(regions) > 1;
}

/* Returns whether a chunk waits in a region without an owner. */
bool td_regions_wait(const struct td_regions *regions);

/* Takes one waiting chunk out of a region without an owner and writes the addresses of the objects
 * to `objects`, which has room for TD_CHUNK_REFERENCES. Returns how many; 0 if there is none.
 * `many` says whether more chunks waited there. */
uint32_t td_visitor_unload(struct td_visitor *visitor, uintptr_t *objects, bool *many);

#ifdef TD_DEBUG
#define TD_REGIONS_CHECKED true
#else
#define TD_REGIONS_CHECKED false
#endif
/* The collecting thread, after a phase: no region is owned or has chunks, and no chunk is in use.
 * Debug builds abort if that does not hold. */
void td_regions_check(const struct td_markers *set);

#endif
