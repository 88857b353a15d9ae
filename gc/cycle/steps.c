/* SPDX-License-Identifier: MIT */
#include "gc/cycle/steps.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gc/check/caller/check.h"
#include "gc/cycle/young.h"
#include "gc/roots/gather.h"
#include "gc/stats/stats.h"
#include "gc/threads/stop/pause.h"
#include "gc/threads/stop/registers.h"
#include "gc/threads/stop/world.h"
#include "gc/weak/finalizers.h"
#include "gc/when/when.h"
#include "heap/cells/sort.h"

/* Did the program want the collection now? */
static bool was_asked(enum tide_cycle_cause cause) {
  return cause == TIDE_CAUSE_CALL || cause == TIDE_CAUSE_INSPECT || cause == TIDE_CAUSE_STRESS;
}

/* Of the blocks `freed` were given back. */
static void note_sorted(const struct td_cycle *cycle, uint64_t live_before, uint32_t freed) {
  struct tide_heap *heap = cycle->heap;
  struct tide_cycle_stats *stats = &heap->stats->building->all;
  bool young = cycle->kind == TIDE_CYCLE_YOUNG;
  stats->kind = heap->last_kind = cycle->kind;
  stats->cause = cycle->cause;
  stats->blocks_freed = freed;
  stats->bytes = heap->space.live_bytes;
  stats->promoted_bytes = young && stats->bytes > live_before ? stats->bytes - live_before : 0;
  if (!young) stats->logged = 0;
  stats->stops = 0; /* until it turns out to have marked beside the program */
  memset(stats->stops_ns, 0, sizeof stats->stops_ns);
  stats->concurrent_ns = stats->overwritten = stats->paced_ns = 0;
  stats->stopped_because = NULL;
}

static void decide(const struct td_cycle *cycle) {
  struct tide_heap *heap = cycle->heap;
  const struct tide_cycle_stats *stats = &heap->stats->building->all;
  /* relaxed: world stopped. */
  uint64_t allocated = atomic_load_explicit(&heap->allocated_bytes, memory_order_relaxed);
  td_when_set(heap,
              (struct td_facts){
                  .kind = cycle->kind,
                  .asked = was_asked(cycle->cause),
                  .collect_ns = cycle->swept_ns - cycle->stopped_ns - cycle->told_ns,
                  .worked_ns = td_plat_thread_ns() - cycle->worked_ns - heap->stats->told_work_ns,
                  .mutator_ns = cycle->begin_ns - heap->when->ended_ns,
                  .allocated_bytes = allocated - heap->when->allocated_before,
                  .promoted_bytes = stats->promoted_bytes,
                  .logged_much = cycle->logged_much,
                  .live_bytes = heap->space.live_bytes,
                  .leaf_bytes = heap->space.leaf_bytes,
                  .root_bytes = cycle->root_bytes,
                  .freed_blocks = (uint32_t)stats->blocks_freed,
              });
  heap->when->allocated_before = allocated;
}

bool td_cycle_may_sort_beside(const struct tide_heap *heap) {
  return !heap->verify && td_sort_may_wait(&heap->space);
}

void td_cycle_sort(struct td_cycle *cycle) {
  struct td_space *space = &cycle->heap->space;
  const uint64_t before = space->live_bytes;
  if (cycle->sorts)
    td_sort_begin(space);
  else if (cycle->kind == TIDE_CYCLE_YOUNG)
    note_sorted(cycle, before, td_space_end_young(space));
  else
    note_sorted(cycle, before, td_space_end_marking(space));
}

void td_cycle_end_sorting(struct td_cycle *cycle) {
  struct tide_heap *heap = cycle->heap;
  if (cycle->sorts) note_sorted(cycle, 0, heap->space.freed_beside);
  cycle->told_ns = heap->stats->told_ns;
  cycle->swept_ns = td_stats_tell(heap, TIDE_EVENT_SWEEP_END);
  decide(cycle);
}

bool td_cycle_end_sorting_beside(struct td_cycle *cycle, void (*resume_young)(void *)) {
  struct tide_heap *heap = cycle->heap;
  pthread_mutex_lock(&heap->finalizers->lock); /* events' functions may ask what was queued */
  td_cycle_end_sorting(cycle);
  pthread_mutex_unlock(&heap->finalizers->lock);
  bool stops = td_young_must_resume(heap);
  if (stops)
    td_stack_call(resume_young, cycle);
  else
    td_young_wait(heap);
  return stops;
}

uint64_t td_cycle_resume(struct td_cycle *cycle, uint64_t since_ns) {
  td_pause_hand_back_runs(cycle->heap);
  /* Before the resume: a thread that goes on may well take this one's CPU. */
  uint64_t stopped = td_plat_now_ns() - since_ns;
  if (stopped > cycle->longest_ns) cycle->longest_ns = stopped;
  td_world_resume(cycle->heap, cycle->self);
  return stopped;
}

static void write_young_log(const struct tide_heap *heap, const struct tide_cycle_stats *stats) {
  if (stats->kind == TIDE_CYCLE_YOUNG)
    fprintf(stderr,
            "tidemark: promoted %" PRIu64 " KiB, looked into %" PRIu64 " old objects or slots\n",
            stats->promoted_bytes >> 10, stats->logged);
  if (heap->when->youth.kind == TIDE_YOUNG_NEVER) return;
  fprintf(stderr, "tidemark: young collections: %s %zu KiB\n",
          heap->when->youth.on ? "the next one after" : "they do not pay, tried again after",
          heap->when->youth.due_bytes >> 10);
}

static void write_beside_log(const struct tide_cycle_stats *stats) {
  fprintf(stderr,
          "tidemark: beside the program: marked for %" PRIu64 " us, %u stops of at most %" PRIu64
          " us, %" PRIu64 " objects kept that were overwritten, threads waited for %" PRIu64
          " us in turns\n",
          stats->concurrent_ns / 1000, stats->stops, stats->pause_ns / 1000, stats->overwritten,
          stats->paced_ns / 1000);
}

/* What a young collection found are objects that were young; the heap has the old ones as well. */
void td_cycle_write_log(const struct tide_heap *heap, const struct tide_cycle_stats *stats) {
  bool young = stats->kind == TIDE_CYCLE_YOUNG;
  fprintf(stderr,
          "tidemark: %s collection %" PRIu64 ": %s %" PRIu64 " objects, %s%" PRIu64
          " KiB; mark %" PRIu64 " us with %u of %u markers (%s); pause %" PRIu64
          " us, of it stopping %" PRIu64 " us; freed %" PRIu64 " blocks; next at %" PRIu32
          " blocks\n",
          young ? "young" : "full", stats->number, young ? "kept" : "live", stats->objects,
          young ? "heap " : "", stats->bytes >> 10, stats->mark_ns / 1000, stats->recruited,
          stats->markers, stats->engine, stats->pause_ns / 1000, stats->stop_ns / 1000,
          stats->blocks_freed, heap->space.budget_blocks);
  if (stats->stopped_because)
    fprintf(stderr, "tidemark: not beside the program: %s\n", stats->stopped_because);
  else if (stats->stops > 0)
    write_beside_log(stats);
  if (heap->space.has_young) write_young_log(heap, stats);
}

/* The figures of a collection that has ended become those of the last one. */
void td_cycle_publish(struct td_cycle *cycle) {
  struct tide_heap *heap = cycle->heap;
  struct tide_cycle_stats *stats = &heap->stats->building->all;
  /* relaxed: written under the world's lock; readers only ask whether it has changed. */
  stats->number = atomic_fetch_add_explicit(&heap->cycles, 1, memory_order_relaxed) + 1;
  stats->stop_ns = cycle->stopped_ns - cycle->begin_ns;
  stats->weak_ns = cycle->weak_ns - cycle->marked_ns;
  stats->sweep_ns = cycle->swept_ns - cycle->weak_ns;
  heap->when->ended_ns = td_stats_tell(heap, TIDE_EVENT_CYCLE_END);
  stats->pause_ns = cycle->longest_ns ? cycle->longest_ns : heap->when->ended_ns - cycle->begin_ns;
  td_stats_publish(heap);
}

TD_KEEPS_CALL void td_cycle_tell_resumed(struct tide_heap *heap) {
  struct td_call call;
  td_call_begin(&call, "an event");
  td_self()->tells = true;
  td_stats_tell(heap, TIDE_EVENT_RESUMED);
  td_self()->tells = false;
  td_call_end(&call);
}

void td_cycle_set_asks(struct tide_heap *heap, bool asks) {
  /* relaxed: a hint. */
  atomic_store_explicit(&heap->roots->asks_since_ns, asks ? td_plat_now_ns() : 0,
                        memory_order_relaxed);
}

static void stop_world(void *argument) {
  const struct td_cycle *cycle = argument;
  td_cycle_set_asks(cycle->heap, false);
  td_world_stop(cycle->heap, cycle->self);
}

/* Returns false if there is no memory to remember the roots. */
bool td_cycle_stop_with_roots(struct td_cycle *cycle) {
  while (!td_sources_stop(cycle->heap, stop_world, cycle))
    if (!td_sources_before_stop(cycle->heap)) return false;
  return true;
}
