/* SPDX-License-Identifier: MIT */
#include "gc/cycle/young_beside.h"

#include "gc/check/caller/check.h"
#include "gc/check/verify.h"
#include "gc/cycle/obstacle.h"
#include "gc/cycle/owed.h"
#include "gc/cycle/steps.h"
#include "gc/cycle/young.h"
#include "gc/foreign/settle.h"
#include "gc/object/scan.h"
#include "gc/roots/gather.h"
#include "gc/stats/stats.h"
#include "gc/threads/mutator/written.h"
#include "gc/threads/stop/pause.h"
#include "gc/threads/stop/registers.h"
#include "gc/threads/stop/world.h"
#include "gc/threads/thread.h"
#include "gc/weak/finalizers.h"
#include "gc/when/when.h"
#include "heap/cells/sort.h"
#include "heap/young/young.h"

struct collection {
  struct td_scanner scanner; /* first */
  struct td_cycle cycle;
  struct td_young_beside *own;
  struct tide_cycle_stats stats;
  bool keeps; /* not all can be looked into: everything lives */
  bool ends;  /* nor can this or a later one be made, until the full one has ended */
};

/* ---- Marking ---- */

static void found(struct td_scanner *scanner, uintptr_t target) {
  struct collection *c = (struct collection *)scanner;
  const struct td_space *space = scanner->space;
  uint64_t granule = td_granule_of(space->base, target);
  if (granule >= td_block_granule(space->frontier)) return;
  uint8_t *mark = &space->marks[granule];
  if (td_mark_load(mark) != TD_YOUNG) return;
  td_mark_store(mark, space->epoch);
  c->stats.objects++;
  if (!td_worklist_push(&c->own->list, target)) c->keeps = true;
}

static void found_weak(struct td_scanner *scanner, struct td_weak_object *weak) {
  found(scanner, weak->target);
}

static void found_ephemeron(struct td_scanner *scanner, struct td_ephemeron_object *ephemeron) {
  found(scanner, ephemeron->key);
  found(scanner, ephemeron->value);
}

static void scan_listed(struct collection *c) {
  while (c->own->list.count)
    td_scan_object(&c->scanner, c->own->list.at[--c->own->list.count]);
}

static void scan_spans(const struct td_span *spans, size_t count, void *context) {
  struct collection *c = context;
  for (size_t i = 0; i < count; i++) {
    if (spans[i].kind == TD_SPAN_OBJECTS)
      td_scan_object(&c->scanner, (uintptr_t)spans[i].start);
    else
      td_scan_span(&c->scanner, &spans[i]);
    scan_listed(c);
  }
}

static void mark_written(struct collection *c) {
  struct td_written_part *parts;
  if (!td_written_take(c->cycle.heap, &parts)) c->keeps = true;
  for (const struct td_written_part *part = parts; part; part = part->next) {
    scan_spans(part->at, part->count, c);
    c->stats.logged += part->count;
  }
  td_written_put(c->cycle.heap, parts);
}

/* Objects that have a finalizer die in full collections only. */
static void mark_finalizable(struct collection *c) {
  const struct td_finalizers *f = c->cycle.heap->finalizers;
  for (size_t i = 0; i < f->count; i++)
    if (f->at[i].object) found(&c->scanner, f->at[i].object);
  scan_listed(c);
}

static void mark(struct collection *c) {
  struct tide_heap *heap = c->cycle.heap;
  td_scanner_init(&c->scanner, &heap->space, found);
  c->scanner.weak = found_weak;
  c->scanner.ephemeron = found_ephemeron;
  mark_written(c);
  const struct td_root_list *list = td_roots_gather(heap, TD_WORDS_FRESH, scan_spans, c);
  scan_spans(list->spans, list->count, c);
  td_roots_call_back(&c->scanner.tracer, heap);
  td_settle_report_waiting(&c->scanner.tracer, heap);
  mark_finalizable(c);
}

/* ---- A collection ---- */

/* What the full collection has gathered stays as it is: it marks from it. */
static void swap_roots(struct tide_heap *heap) {
  struct td_root_set *roots = heap->roots;
  struct td_young_beside *own = heap->young_beside;
  struct td_root_list list = roots->list, told = roots->told;
  roots->list = own->roots;
  roots->told = own->told;
  own->roots = list;
  own->told = told;
}

static void sort(struct collection *c) {
  struct tide_heap *heap = c->cycle.heap;
  const uint64_t before = heap->space.live_bytes,
                 young = heap->space.young_bytes - heap->when->external.young_bytes;
  if (c->keeps) td_young_keep_beside(&heap->space);
  c->stats.blocks_freed = td_space_end_young_beside(&heap->space);
  c->stats.bytes = heap->space.live_bytes;
  if (c->stats.bytes > before) c->stats.promoted_bytes = c->stats.bytes - before;
  if (young > c->stats.promoted_bytes) c->own->freed_bytes += young - c->stats.promoted_bytes;
}

/* The bounds of the next one, by what this one took. Nobody wants one any more. */
static void decide(struct collection *c) {
  struct tide_heap *heap = c->cycle.heap;
  struct td_youth *youth = &heap->when->youth_beside;
  td_youth_adjust(youth, &(struct td_facts){.worked_ns = td_plat_thread_ns() - c->cycle.worked_ns,
                                            .mutator_ns = c->cycle.begin_ns - c->own->ended_ns,
                                            .logged_much = c->stats.logged >= youth->logged_due});
  pthread_mutex_lock(&heap->space.lock);
  (void)td_external_begin(heap->when, TIDE_CYCLE_YOUNG);
  pthread_mutex_unlock(&heap->space.lock);
  td_young_set_due(&heap->space, youth->due_bytes, youth->logged_due);
  td_young_switch_barriers(heap);
  td_owed_settle(heap, c->cycle.self, TIDE_CYCLE_YOUNG);
}

static void collect_stopped(struct collection *c) {
  struct tide_heap *heap = c->cycle.heap;
  td_pause_retire_runs(heap);
  uint64_t since = td_plat_now_ns();
  mark(c);
  c->cycle.marked_ns = td_plat_now_ns();
  c->stats.mark_ns = c->cycle.marked_ns - since;
  sort(c);
  c->stats.sweep_ns = td_plat_now_ns() - c->cycle.marked_ns;
  if (heap->verify) td_verify_references_or_abort(heap);
  decide(c);
}

static void publish(struct collection *c) {
  struct tide_cycle_stats *stats = &c->stats;
  stats->kind = TIDE_CYCLE_YOUNG;
  stats->cause = c->cycle.cause;
  stats->engine = "serial";
  stats->markers = stats->recruited = stats->available = 1;
  stats->stop_ns = c->cycle.stopped_ns - c->cycle.begin_ns;
  c->own->ended_ns = td_plat_now_ns();
  stats->pause_ns = c->own->ended_ns - c->cycle.begin_ns;
  td_stats_publish_beside(c->cycle.heap, stats);
}

/* World stopped, for something may have come up until then. Weak slots in place, threads that a
 * signal stops, and functions that are told of the dead: this collection knows nothing of them. */
static bool has_obstacle(struct tide_heap *heap) {
  return heap->space.layouts.any_told || td_beside_obstacle(heap) != NULL;
}

static void collect_or_end(struct collection *c) {
  struct tide_heap *heap = c->cycle.heap;
  c->ends = has_obstacle(heap);
  if (c->ends) {
    td_young_beside_end(heap, true);
    return;
  }
  td_roots_lock(heap);
  collect_stopped(c);
  td_roots_unlock(heap);
  publish(c);
}

/* Under the world's lock, inside td_stack_call. */
static TD_KEEPS_CALL void collect_locked(void *argument) {
  struct collection *c = argument;
  struct tide_heap *heap = c->cycle.heap;
  struct td_call call;
  td_call_begin(&call, "a trace function, root callback or event");
  td_cycle_set_asks(heap, true);
  swap_roots(heap);
  c->cycle.worked_ns = td_plat_thread_ns();
  c->cycle.begin_ns = td_plat_now_ns();
  c->cycle.rooted = td_sources_before_stop(heap) && td_cycle_stop_with_roots(&c->cycle);
  if (c->cycle.rooted) {
    c->cycle.stopped_ns = td_stats_tell(heap, TIDE_EVENT_STOPPED);
    collect_or_end(c);
    td_world_resume(heap, c->cycle.self);
  }
  swap_roots(heap);
  td_cycle_set_asks(heap, false);
  td_call_end(&call);
}

enum td_young_done td_young_beside_collect(struct tide_mutator *mutator,
                                           enum tide_cycle_cause cause) {
  struct tide_heap *heap = mutator->heap;
  struct collection c = {.cycle = {.heap = heap, .self = mutator, .cause = cause},
                         .own = heap->young_beside};
  td_stack_call(collect_locked, &c);
  td_stack_clear_below();
  if (!c.cycle.rooted) return TD_YOUNG_NO_MEMORY;
  if (c.ends) return TD_YOUNG_ENDED;
  if (heap->log) td_cycle_write_log(heap, &c.stats);
  return TD_YOUNG_COLLECTED;
}

/* ---- From stop to stop ---- */

bool td_young_beside_begin(struct tide_heap *heap) {
  struct td_young_beside *own = heap->young_beside;
  own->freed_bytes = 0;
  own->ended_ns = td_plat_now_ns();
  if (!heap->space.has_young || !heap->when->youth.on || has_obstacle(heap)) return false;
  if (!td_worklist_reserve(&own->list) || !td_root_list_init(&own->roots)) return false;
  td_young_bear_beside(&heap->space);
  td_young_switch_barriers(heap);
  td_youth_begin_beside(heap->when);
  td_young_set_due(&heap->space, heap->when->youth_beside.due_bytes,
                   heap->when->youth_beside.logged_due);
  return true;
}

void td_young_beside_end(struct tide_heap *heap, bool marking) {
  if (!td_young_are_born(&heap->space)) return;
  struct td_written_part *parts;
  (void)td_written_take(heap, &parts); /* all that it could lead to lives on */
  td_written_put(heap, parts);
  td_young_end_beside(&heap->space, marking);
  td_young_set_due(&heap->space, SIZE_MAX, SIZE_MAX);
}

bool td_young_beside_goes_on(const struct tide_heap *heap) {
  return heap->beside && td_young_are_born(&heap->space);
}

void td_young_beside_deinit(struct td_young_beside *own) {
  td_worklist_free(&own->list);
  td_root_list_deinit(&own->roots);
  td_root_list_deinit(&own->told);
}
