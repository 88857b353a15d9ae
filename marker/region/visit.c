/* SPDX-License-Identifier: MIT */
/* Which region is visited next, and when visiting ends. */
#include <assert.h>

#include "marker/base/idle.h"
#include "marker/region/fresh.h"
#include "marker/region/throw.h"

#define RECRUIT_VISITS 16u     /* visits after which a sleeping marker is woken */
#define ROUND_VISITS 64u       /* visits of a round, or as many as there are regions */
#define NARROW_REFERENCES 512u /* fewer in a visit, on average, do not pay */

/* Most chunks were filled by another core. */
static void fetch_chunk(const struct td_chunk *chunk) {
  for (size_t line = 0; line < sizeof *chunk; line += TD_CACHE_LINE)
    __builtin_prefetch((const char *)chunk + line);
}

/* Tests what waits in this marker's own chunks. Returns whether there is something to scan. */
static bool sift_open(struct td_visit_state *s, uint32_t r) {
  struct td_visitor *visitor = s->visitor;
  const unsigned parts = visitor->regions->parts;
  bool found = false;
  for (uint32_t i = r << parts; i < (r + 1) << parts; i++) {
    uint16_t *at = visitor->open[i];
    if (!at) continue;
    struct td_chunk *chunk = td_open_chunk(at);
    visitor->open[i] = chunk->at;
    found |= td_sift(s, chunk, (uint32_t)(at - chunk->at));
  }
  return found;
}

/* The owner is about to leave a region: no object waits to be scanned. Debug builds abort if one
 * does. */
static void check_visitor(const struct td_visitor *visitor) {
  size_t words = (size_t)1 << visitor->regions->shift >> TD_FRESH_WORD;
  for (size_t i = 0; i < words; i++)
    assert(visitor->fresh[i] == 0);
  for (size_t i = 0; i < words / 64; i++)
    assert(visitor->summary[i] == 0);
}

/* Tests and scans until nothing waits in the region. The caller owns it. */
static void visit(struct td_visit_state *s, uint32_t r) {
  struct td_visitor *visitor = s->visitor;
  struct td_regions *regions = visitor->regions;
  s->first = (uint64_t)r << regions->shift;
  for (bool found = true; found;) {
    found = td_region_has_deferred(&regions->at[r]) && !td_chunks_are_scarce(visitor);
    found |= sift_open(s, r);
    for (uint32_t number = td_region_take(&regions->at[r]); number;) {
      struct td_chunk *chunk = &regions->pool.at[number];
      uint32_t next = chunk->next;
      if (next) fetch_chunk(&regions->pool.at[next]);
      found |= td_sift(s, chunk, chunk->count);
      td_chunks_put(&regions->pool, &visitor->stock, number);
      number = next;
    }
    if (found) td_scan_fresh(s);
  }
  if (TD_REGIONS_CHECKED) check_visitor(visitor);
  td_region_leave(&regions->at[r]);
}

/* Returns how much waits in a region that could be claimed, counted in chunks. */
static uint32_t waiting(const struct td_region *region, bool deferred) {
  uint64_t word = td_region_look(region);
  if (td_region_is_owned(word)) return 0;
  return td_region_waiting(word) + (deferred && td_region_has_deferred(region));
}

/* Claims the region in which most waits. Returns false if nothing waits. */
static bool claim_fullest(struct td_visitor *visitor, bool deferred, uint32_t *claimed) {
  struct td_regions *regions = visitor->regions;
  const uint32_t count = td_regions_count(regions);
  for (;;) {
    uint32_t most = 0;
    for (uint32_t r = 0; r < count; r++) {
      const uint32_t much = waiting(&regions->at[r], deferred);
      if (much <= most) continue;
      most = much;
      *claimed = r;
    }
    if (most == 0) return false;
    if (td_region_claim(&regions->at[*claimed])) return true;
  }
}

/* While chunks are scarce, a visit for deferred objects would only defer them again. If others have
 * all the chunks, visiting ends, and these objects are found by the flags of their pages. */
static bool claim_any(struct td_visitor *visitor, uint32_t *claimed) {
  if (claim_fullest(visitor, !td_chunks_are_scarce(visitor), claimed)) return true;
  td_visitor_close(visitor);
  return claim_fullest(visitor, !td_chunks_are_scarce(visitor), claimed);
}

/* A round of visits: do they pay? */
struct round {
  uint64_t visits, sifted; /* when it began */
  uint64_t before;         /* references a visit in the round before */
};

/* Few references wait when a visit tests few, and not many more than in the round before. */
static bool are_narrow(struct round *round, const struct td_visit_state *s, uint64_t visits) {
  uint64_t done = visits - round->visits;
  if (done < ROUND_VISITS || done < td_regions_count(s->visitor->regions)) return false;
  uint64_t mean = (s->sifted - round->sifted) / done;
  bool narrow = mean < NARROW_REFERENCES && 4 * mean < 5 * round->before;
  *round = (struct round){.visits = visits, .sifted = s->sifted, .before = mean};
  return narrow;
}

void td_visitor_run(struct td_visitor *visitor) {
  struct tide_marker_stats *stats = &visitor->marker->stats;
  struct td_visit_state s = {.visitor = visitor, .v = td_view_of(visitor->marker->set->space)};
  struct round round = {0};
  uint64_t begin = td_plat_now_ns(), visits = 0;
  bool narrow = false;
  td_event_at(&visitor->marker->events, begin, TIDE_TIMELINE_REGIONS_BEGIN, 0, 0);
  td_regions_announce(visitor->regions);
  td_recruit(visitor->marker);
  for (uint32_t r; !narrow && claim_any(visitor, &r);) {
    visit(&s, r);
    if (++visits % RECRUIT_VISITS == 0) td_recruit(visitor->marker);
    narrow = are_narrow(&round, &s, visits);
  }
  td_visitor_close(visitor);
  stats->objects += s.objects;
  stats->region_visits += visits;
  stats->region_objects += s.objects;
  stats->region_references += s.sifted;
  uint64_t now = td_plat_now_ns();
  stats->region_ns += now - begin;
  td_event_at(&visitor->marker->events, now, TIDE_TIMELINE_REGIONS_END, 0, s.objects);
}

/* Claims the next region in which a chunk waits. A marker that finds none has looked at all. */
static bool claim_next(struct td_visitor *visitor, uint32_t *claimed) {
  struct td_regions *regions = visitor->regions;
  const uint32_t count = td_regions_count(regions);
  uint32_t r = visitor->cursor < count ? visitor->cursor : 0;
  for (uint32_t i = 0; i < count; i++, r = r + 1 < count ? r + 1 : 0) {
    if (!waiting(&regions->at[r], false) || !td_region_claim(&regions->at[r])) continue;
    *claimed = r;
    visitor->cursor = r;
    return true;
  }
  return false;
}

/* ---- For a marker that follows references one by one ---- */

bool td_regions_wait(const struct td_regions *regions) {
  /* relaxed: see td_regions.used. */
  if (!atomic_load_explicit(&regions->used, memory_order_relaxed)) return false;
  for (uint32_t r = 0; r < td_regions_count(regions); r++)
    if (waiting(&regions->at[r], false)) return true;
  return false;
}

uint32_t td_visitor_unload(struct td_visitor *visitor, uintptr_t *objects, bool *many) {
  struct td_regions *regions = visitor->regions;
  uint32_t r, count = 0;
  *many = false;
  /* relaxed: as above. */
  if (!atomic_load_explicit(&regions->used, memory_order_relaxed)) return 0;
  const struct td_view v = td_view_of(visitor->marker->set->space);
  /* What waited may be gone by the time of the claim, and since then others have relied on this
   * owner. So it looks at all regions again. */
  while (count == 0 && claim_next(visitor, &r)) {
    *many = td_region_waiting(td_region_look(&regions->at[r])) > 1;
    uint32_t number = td_region_pop(&regions->at[r], regions->pool.at);
    if (number) {
      const struct td_chunk *chunk = &regions->pool.at[number];
      uint64_t start = td_regions_chunk_start(regions, r, chunk);
      for (count = 0; count < chunk->count; count++)
        objects[count] = td_view_object(&v, start + chunk->at[count]);
      td_chunks_put(&regions->pool, &visitor->stock, number);
    }
    td_region_leave(&regions->at[r]);
  }
  return count;
}

/* ---- After a phase ---- */

void td_regions_check(const struct td_markers *set) {
  const struct td_regions *regions = set->regions;
  uint32_t used = 0;
  for (uint32_t r = 0; r < td_regions_count(regions); r++)
    assert(td_region_look(&regions->at[r]) == 0);
  for (unsigned i = 0; i < set->limit; i++) {
    const struct td_visitor *visitor = set->marker[i]->visitor;
    /* relaxed: td_term_over has acquired it: [term.leave]. */
    used += atomic_load_explicit(&visitor->stock.balance, memory_order_relaxed);
    for (uint32_t part = 0; part < td_regions_parts(regions); part++)
      assert(!visitor->open[part]);
  }
  assert(used == 0);
}
