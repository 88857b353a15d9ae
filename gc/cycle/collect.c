/* The collection cycle:
 *   stop     every other mutator reaches a safepoint or is in a blocking region
 *   retire   the unused rests of bump runs go back, so that every object is a real one
 *   mark     from all roots, in parallel
 *   weak     ephemerons, weak references, finalizers (gc/cycle/reclaim.h tells the order)
 *   sort     empty blocks return to the pool, the others wait to be swept by allocation
 *   resume   and only then give memory back to the system */
#include "gc/cycle/collect.h"

#include <inttypes.h>
#include <stdio.h>

#include "gc/cycle/ephemeron.h"
#include "gc/finalizer.h"
#include "gc/mutator/attach.h"
#include "gc/roots/set.h"
#include "gc/mutator/stacks.h"
#include "gc/base/stats.h"
#include "gc/cycle/verify.h"
#include "gc/cycle/reclaim.h"
#include "gc/stop/world.h"
#include "heap/blocks.h"
#include "heap/epoch.h"
#include "heap/sort.h"
#include "heap/slabs.h"

/* A collection in the making. */
struct cycle {
  struct tide_heap *heap;
  struct tide_mutator *self;
  void (*then)(struct tide_mutator *, void *); /* before the resume; may be NULL */
  void *argument;
  uint64_t begin_ns, stopped_ns, marked_ns, weak_ns, swept_ns;
  uint64_t allocated_bytes; /* so far, when it began */
};

static void mark_spans(struct tide_heap *heap, const struct td_span *spans, size_t count,
                       void *first) {
  struct td_roots roots = {.spans = spans, .span_count = count};
  if (*(bool *)first && heap->roots.callback_count) {
    roots.callback = td_roots_call_back;
    roots.context = heap;
  }
  *(bool *)first = false;
  td_mark_run(heap->markers, &roots);
}

static void mark(struct tide_heap *heap) {
  bool first = true;
  td_space_begin_marking(&heap->space);
  td_ephemerons_begin(heap);
  td_mark_begin(heap->markers);
  td_roots_gather(heap, true, mark_spans, &first);
  td_ephemerons_close(heap);
}

static void retire_runs(struct tide_heap *heap) {
  for (struct tide_mutator *m = heap->world.mutators; m; m = m->next)
    td_mutator_retire_runs(m);
}

static void set_budget(struct cycle *cycle, uint64_t freed_blocks) {
  struct tide_heap *heap = cycle->heap;
  struct tide_cycle_stats *stats = heap->building;
  stats->blocks_freed = freed_blocks;
  pthread_mutex_lock(&heap->space.lock);
  struct td_sizing_facts facts = {
      .live_bytes = stats->bytes,
      .used_blocks = heap->space.used_blocks,
      .collect_ns = cycle->swept_ns - cycle->stopped_ns,
      .mutator_ns = cycle->begin_ns - heap->ended_ns,
      .allocated_bytes = cycle->allocated_bytes - heap->allocated_before,
  };
  heap->space.budget_blocks = td_sizing_next(&heap->policy, &facts);
  pthread_mutex_unlock(&heap->space.lock);
  heap->allocated_before = cycle->allocated_bytes;
}

/* Everything between the stop and the resume. */
static void collect_stopped(struct cycle *cycle) {
  struct tide_heap *heap = cycle->heap;
  struct tide_cycle_stats *stats = heap->building;
  retire_runs(heap);
  /* relaxed: world stopped. */
  cycle->allocated_bytes = atomic_load_explicit(&heap->allocated_bytes, memory_order_relaxed);
  if (heap->verify) td_verify_begin(heap);
  td_stats_tell(heap, TIDE_EVENT_MARK_BEGIN);
  mark(heap);
  cycle->marked_ns = td_stats_tell(heap, TIDE_EVENT_MARK_END);
  td_weak_process(heap);
  td_mark_end(heap->markers, stats);
  stats->objects += heap->ephemerons.objects;
  cycle->weak_ns = td_stats_tell(heap, TIDE_EVENT_WEAK_END);
  uint32_t freed = td_space_end_marking(&heap->space);
  stats->bytes = heap->space.live_bytes;
  cycle->swept_ns = td_stats_tell(heap, TIDE_EVENT_SWEEP_END);
  set_budget(cycle, freed);
  if (heap->verify) td_verify_or_abort(heap);
}

static void write_log(const struct tide_heap *heap, const struct tide_cycle_stats *stats) {
  fprintf(stderr,
          "tidemark: collection %" PRIu64 ": live %" PRIu64 " objects, %" PRIu64
          " KiB; mark %" PRIu64 " us with %u of %u markers (%s); pause %" PRIu64
          " us; freed %" PRIu64 " blocks; next at %" PRIu32 " blocks\n",
          stats->number, stats->objects, stats->bytes >> 10, stats->mark_ns / 1000,
          stats->recruited, stats->markers, stats->engine, stats->pause_ns / 1000,
          stats->blocks_freed, heap->space.budget_blocks);
}

/* Under the world's lock, inside td_stack_call. */
static void collect_locked(void *argument) {
  struct cycle *cycle = argument;
  struct tide_heap *heap = cycle->heap;
  struct tide_cycle_stats *stats = heap->building;
  cycle->begin_ns = td_stats_tell(heap, TIDE_EVENT_CYCLE_BEGIN);
  td_world_stop(heap, cycle->self);
  pthread_mutex_lock(&heap->roots.lock);
  pthread_mutex_lock(&heap->finalizers.lock);
  cycle->stopped_ns = td_stats_tell(heap, TIDE_EVENT_STOPPED);
  collect_stopped(cycle);
  pthread_mutex_unlock(&heap->finalizers.lock);
  pthread_mutex_unlock(&heap->roots.lock);
  /* relaxed: written under the world's lock; readers only ask whether it has changed. */
  stats->number = atomic_fetch_add_explicit(&heap->cycles, 1, memory_order_relaxed) + 1;
  stats->stop_ns = cycle->stopped_ns - cycle->begin_ns;
  stats->weak_ns = cycle->weak_ns - cycle->marked_ns;
  stats->sweep_ns = cycle->swept_ns - cycle->weak_ns;
  heap->ended_ns = td_stats_tell(heap, TIDE_EVENT_CYCLE_END);
  stats->pause_ns = heap->ended_ns - cycle->begin_ns;
  if (heap->log) write_log(heap, stats);
  td_stats_publish(heap);
  if (cycle->then) cycle->then(cycle->self, cycle->argument);
  td_world_resume(heap, cycle->self);
}

/* Free memory beyond what the last few budgets wanted goes back to the system. */
static void trim(struct tide_heap *heap) {
  pthread_mutex_lock(&heap->space.lock);
  /* relaxed: under the lock. */
  size_t committed = atomic_load_explicit(&heap->space.committed_slabs, memory_order_relaxed);
  committed *= TD_SLAB_BYTES;
  size_t used = (size_t)heap->space.used_blocks * TD_BLOCK_BYTES;
  pthread_mutex_unlock(&heap->space.lock);
  size_t keep = (size_t)td_sizing_keep(&heap->policy) * TD_BLOCK_BYTES;
  if (committed <= keep + TD_SLAB_BYTES) return;
  if (td_space_trim(&heap->space, keep > used ? keep - used : 0)) td_stats_tell_growth(heap);
}

static void collect_and_unlock(struct tide_mutator *mutator,
                               void (*then)(struct tide_mutator *, void *), void *argument) {
  struct tide_heap *heap = mutator->heap;
  struct cycle cycle = {.heap = heap, .self = mutator, .then = then, .argument = argument};
  td_stack_call(collect_locked, &cycle);
  trim(heap);
  td_slabs_tick(&heap->space);
  td_world_unlock(heap);
}

bool td_collect_unless(struct tide_mutator *mutator, uint64_t seen) {
  struct tide_heap *heap = mutator->heap;
  td_world_lock(heap);
  /* relaxed: changed under the lock that we hold. */
  if (atomic_load_explicit(&heap->cycles, memory_order_relaxed) != seen) {
    td_world_unlock(heap);
    return false;
  }
  collect_and_unlock(mutator, NULL, NULL);
  return true;
}

/* May this thread stop the world with this mutator? */
static enum tide_status check_caller(struct tide_mutator *mutator, const char *function) {
  if (!mutator) return TIDE_ERROR_ARGUMENT;
  if (!td_mutator_check(mutator, function) || mutator->blocking_depth ||
      td_inside_collection(mutator->heap))
    return TIDE_ERROR_STATE;
  return TIDE_OK;
}

enum tide_status td_collect_and(struct tide_mutator *mutator, const char *function,
                                void (*run)(struct tide_mutator *, void *), void *argument) {
  enum tide_status status = check_caller(mutator, function);
  if (status != TIDE_OK) return status;
  td_world_lock(mutator->heap);
  collect_and_unlock(mutator, run, argument);
  return TIDE_OK;
}

enum tide_status tide_collect(struct tide_mutator *mutator) {
  return td_collect_and(mutator, "tide_collect", NULL, NULL);
}

bool td_collect_grow_budget(struct tide_heap *heap, uint32_t blocks) {
  pthread_mutex_lock(&heap->space.lock);
  uint32_t used = heap->space.used_blocks, most = heap->space.max_blocks;
  uint64_t wanted = (uint64_t)used + used / 8 + blocks;
  bool grew = heap->space.budget_blocks < most;
  if (wanted <= heap->space.budget_blocks) wanted = (uint64_t)heap->space.budget_blocks + blocks;
  if (grew) {
    heap->space.budget_blocks = wanted < most ? (uint32_t)wanted : most;
    td_sizing_raised(&heap->policy, heap->space.budget_blocks);
  }
  pthread_mutex_unlock(&heap->space.lock);
  return grew;
}

bool td_inside_collection(struct tide_heap *heap) {
  /* relaxed: compared with our own identity, which only this thread stores there. */
  return atomic_load_explicit(&heap->world.holder, memory_order_relaxed) == td_thread_identity() ||
         td_markers_has_thread(heap->markers);
}

/* ---- Looking at a heap that stands still ---- */

struct stopped_call {
  struct tide_mutator *mutator;
  void (*run)(struct tide_mutator *, void *);
  void *argument;
};

static void run_stopped(void *argument) {
  struct stopped_call *call = argument;
  struct tide_heap *heap = call->mutator->heap;
  td_world_stop(heap, call->mutator);
  retire_runs(heap);
  call->run(call->mutator, call->argument);
  td_world_resume(heap, call->mutator);
}

enum tide_status td_with_world_stopped(struct tide_mutator *mutator, const char *function,
                                       void (*run)(struct tide_mutator *, void *), void *argument) {
  enum tide_status status = check_caller(mutator, function);
  if (status != TIDE_OK) return status;
  struct stopped_call call = {mutator, run, argument};
  struct tide_heap *heap = mutator->heap;
  td_world_lock(heap);
  td_stack_call(run_stopped, &call);
  td_world_unlock(heap);
  return TIDE_OK;
}
