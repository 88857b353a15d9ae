#include "marker/region/sift.h"

#include "marker/region/fresh.h"

/* Asks for the mark bytes. They are in the cache if the visit has tested many references, and often
 * are not at its beginning. */
static void fetch_marks(const uint8_t *marks, const uint32_t *references, uint32_t count) {
#pragma GCC unroll 4
  for (uint32_t i = 0; i < count; i++)
    __builtin_prefetch(&marks[references[i]], 1);
}

/* Moves the references that do not lead to marked objects to the front and returns how many there
 * are. Whether a reference is kept cannot be predicted, so there is no branch. Deferred objects are
 * marked: where chunks are scarce there are many, and to leave them to the loop that branches made
 * visits up to a tenth dearer. */
static uint32_t drop_marked(const uint8_t *marks, uint8_t epoch, uint32_t *references,
                            uint32_t count) {
  uint32_t kept = 0;
#pragma GCC unroll 4
  for (uint32_t i = 0; i < count; i++) {
    uint32_t granule = references[i];
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

bool td_sift(struct td_visit_state *s, uint32_t *references, uint32_t count) {
  const uintptr_t start = td_view_object(&s->v, s->first);
  uint8_t *const marks = td_view_mark(&s->v, start);
  const struct td_block *const blocks = td_view_block(&s->v, start);
  const uint8_t epoch = s->v.epoch, white = s->v.white;
  uint64_t *const fresh = s->visitor->fresh, *const summary = s->visitor->summary;
  uint32_t objects = 0, leaves = 0;
  fetch_marks(marks, references, count);
  uint32_t kept = drop_marked(marks, epoch, references, count);
  for (uint32_t i = 0; i < kept; i++) {
    uint32_t granule = references[i];
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
