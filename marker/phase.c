/* SPDX-License-Identifier: MIT */
/* The frame of a collection: what the collecting thread does around and between phases. */
#include "heap/space/counted.h"
#include "marker/base/deferred.h"
#include "marker/base/root_slices.h"
#include "marker/scan/rare.h"
#include "marker/marker.h"
#include "marker/region/regions.h"
#include "platform/probes.h"

/* Of more than there are CPUs, those that work wait for those that do not. */
static uint32_t enough_markers(const struct td_markers *set) {
  if (td_is_early(set)) return 1;
  return set->cpus < set->limit ? set->cpus : set->limit;
}

/* World stopped: may there be too little to mark for a second marker? A small heap has as much
 * alive as after the last collection. */
static bool has_little(const struct td_markers *set) {
  const size_t used = (size_t)td_counted_look(&set->space->used_blocks) << TD_BLOCK_LOG2;
  const size_t live = set->space->live_bytes;
  return td_is_young(set) || (live && used < TD_ALONE_BYTES ? live : used) < TD_RECRUIT_BYTES;
}

void td_mark_begin(struct td_markers *set) {
  set->cycle++;
  set->mark_ns = 0;
  set->space->view_frontier = set->space->frontier;
  set->has_little = has_little(set);
  const uint32_t enough = enough_markers(set);
  /* relaxed, all: td_term_start publishes them: [term.start]. */
  atomic_store_explicit(&set->flagged, 0, memory_order_relaxed);
  atomic_store_explicit(&set->enough, enough, memory_order_relaxed);
  atomic_store_explicit(&set->blocks, set->space->frontier, memory_order_relaxed);
  td_regions_begin(set->regions, set->space);
  for (unsigned i = 0; i < set->limit; i++) {
    struct td_marker *marker = set->marker[i];
    td_visitor_begin(marker->visitor);
    marker->stats = (struct tide_marker_stats){0};
    marker->took_part = i == 0;
    marker->queued_leaves = 0;
    marker->weak = marker->ephemerons = 0;
    marker->recruit_step = TD_RECRUIT_STEP;
  }
}

/* The program wants CPUs, too. */
static uint32_t enough_beside(const struct td_markers *set) {
  uint32_t most = set->cpus / TD_BESIDE_CPUS > 1 ? set->cpus / TD_BESIDE_CPUS : 1;
  uint32_t enough = enough_markers(set);
  return enough < most ? enough : most;
}

void td_mark_begin_beside(struct td_markers *set, uint32_t mutators) {
  td_mark_begin(set);
  set->beside = true;
  set->yields = mutators < set->cpus;
  /* relaxed: as in td_mark_begin. */
  atomic_store_explicit(&set->enough, enough_beside(set), memory_order_relaxed);
  td_deferred_answer_for_others(set->marker[0]);
}

/* The callback passes references one by one. They are deferred: marking has not begun. */
void td_mark_call_back(struct td_markers *set, const struct td_roots *roots) {
  struct td_marker *marker = set->marker[0];
  struct td_trace_buffer buffer;
  td_trace_buffer_init(&buffer, marker);
  uint64_t since = td_plat_now_ns();
  roots->callback(&buffer.tracer, roots->context);
  td_trace_buffer_flush(&buffer);
  marker->stats.roots_ns += td_plat_now_ns() - since;
}

void td_mark_phase(struct td_markers *set, const struct td_roots *roots) {
  struct td_marker *self = set->marker[0];
  uint64_t begin = td_plat_now_ns();
  td_root_slices_begin(set, roots->spans, roots->span_count);
  set->phase++;
  set->start_ns = begin - set->mark_ns;
  /* Later phases may have next to nothing to mark. */
  set->recruit_first = set->mark_ns > 0 || set->has_little ? TD_RECRUIT_LATE : TD_RECRUIT_FIRST;
  self->joined_ns = begin;
  td_event_at(&self->events, begin, TIDE_TIMELINE_JOIN, 0, 0);
  TD_PROBE1(join, 0);
  if (set->beside) td_deferred_answer_for_others(self);
  if (roots->callback) td_mark_call_back(set, roots);
  td_term_start(&set->term);
  set->engine->work(self, true);
  if (TD_REGIONS_CHECKED) td_regions_check(set);
  set->mark_ns += td_plat_now_ns() - begin;
}

/* During marking, trace_ns counts all the time that a marker was active. */
static void split_time(struct tide_marker_stats *m) {
  uint64_t span = m->ended_ns - m->started_ns;
  m->idle_ns = span > m->trace_ns ? span - m->trace_ns : 0;
  m->trace_ns -= m->roots_ns;
}

void td_mark_end(struct td_markers *set, struct tide_cycle_stats *stats,
                 struct tide_marker_stats *figures) {
  stats->engine = set->engine->queue->name;
  stats->markers = set->limit;
  stats->available = set->available;
  stats->recruited = 0;
  stats->objects = stats->steals = 0;
  stats->mark_ns = set->mark_ns;
  stats->region_pool_bytes = td_chunks_used_bytes(&set->regions->pool);
  for (unsigned i = 0; i < set->limit; i++) {
    struct td_marker *marker = set->marker[i];
    const struct tide_marker_stats *one = &marker->stats;
    set->engine->shrink(marker);
    td_growth_free(&marker->growth);
    stats->recruited += marker->took_part;
    stats->objects += one->objects;
    stats->steals += one->steals;
    figures[i] = *one;
    split_time(&figures[i]);
  }
  set->marked_ns += set->mark_ns;
  set->epoch = set->space->epoch;
  set->beside = set->yields = false;
  /* relaxed: td_markers_ready has said why. */
  atomic_fetch_add_explicit(&set->collecting, 1, memory_order_relaxed);
}
