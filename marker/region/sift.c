/* SPDX-License-Identifier: MIT */
#include "marker/region/throw.h"

#include "marker/region/fresh.h"

/* Asks for the mark bytes. They are in the cache if the visit has tested many references, and often
 * are not at its beginning. */
static void fetch_marks(const uint8_t *marks, const uint16_t *references, uint32_t count) {
#pragma GCC unroll 4
  for (uint32_t i = 0; i < count; i++)
    __builtin_prefetch(&marks[references[i]], 1);
}

/* Moves the references that do not lead to marked objects to the front and returns how many there
 * are. Whether a reference is kept cannot be predicted, so there is no branch. Deferred objects are
 * marked: where chunks are scarce there are many, and to leave them to the loop that branches made
 * visits up to a tenth dearer. */
static uint32_t drop_marked(const uint8_t *marks, uint8_t epoch, uint16_t *references,
                            uint32_t count) {
  uint32_t kept = 0;
#pragma GCC unroll 4
  for (uint32_t i = 0; i < count; i++) {
    uint16_t granule = references[i];
    uint8_t mark = td_mark_load(&marks[granule]);
    references[kept] = granule;
    kept += (mark & (TD_DEFERRED - 1)) != epoch;
  }
  return kept;
}

/* No object begins where a conservative word leads. Returns whether it leads into a cell of this
 * region, whose granule is *granule then. A cell of another region is thrown there. */
static __attribute__((noinline, cold)) bool look_inside(struct td_visit_state *s,
                                                        uint32_t *granule) {
  const struct td_view *v = &s->v;
  uintptr_t address = td_view_object(v, s->first + *granule);
  uintptr_t cell = td_view_inside(v->space, address);
  if (!cell) return false;
  uint64_t from = td_view_granule(v, cell);
  if (from >= s->first) {
    *granule = (uint32_t)(from - s->first);
    return true;
  }
  td_visitor_throw(s->visitor, cell);
  return false;
}

bool td_sift(struct td_visit_state *s, struct td_chunk *chunk, uint32_t count) {
  const struct td_regions *regions = s->visitor->regions;
  const uint64_t from = td_regions_chunk_start(regions, s->first >> regions->shift, chunk);
  const uint32_t before = (uint32_t)(from - s->first); /* modulo 2^32: it may be negative */
  uint16_t *const references = chunk->at;
  const uintptr_t start = td_view_object(&s->v, s->first);
  uint8_t *const marks = td_view_mark(&s->v, start);
  const struct td_block *const blocks = td_view_block(&s->v, start);
  const uint8_t epoch = s->v.epoch, white = s->v.white;
  uint64_t *const fresh = s->visitor->fresh, *const summary = s->visitor->summary;
  uint32_t objects = 0, leaves = 0;
  uint8_t *const marks_from = td_view_mark(&s->v, td_view_object(&s->v, from));
  fetch_marks(marks_from, references, count);
  uint32_t kept = drop_marked(marks_from, epoch, references, count);
  for (uint32_t i = 0; i < kept; i++) {
    uint32_t granule = before + references[i];
    uint8_t mark = td_mark_load(&marks[granule]);
    if ((mark & (TD_DEFERRED - 1)) == epoch) continue; /* met twice */
    if (__builtin_expect(mark != white, 0)) {
      if (!look_inside(s, &granule) || td_mark_load(&marks[granule]) != white) continue;
    }
    td_mark_store(&marks[granule], epoch);
    objects++;
    if (blocks[granule >> TD_BLOCK_GRANULES_LOG2].kind == TD_KIND_LEAF)
      leaves++;
    else
      td_fresh_add(fresh, summary, granule);
  }
  s->objects += objects;
  s->sifted += count;
  return objects > leaves;
}
