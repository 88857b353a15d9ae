/* SPDX-License-Identifier: MIT */
/* The collection cycle:
 *   stop     every other mutator reaches a safepoint or is in a blocking section
 *   retire   the unused rests of bump runs go back, so that every object is a real one
 *   mark     from all roots, in parallel
 *   reclaim  ephemerons, weak references, finalizers (gc/cycle/reclaim.h tells the order)
 *   sort     empty blocks return to the pool, the others wait to be swept by allocation
 *   resume   and only then is memory given back to the system */
#include "gc/cycle/collect.h"

#include <inttypes.h>
#include <stdio.h>

#include "gc/check/caller/call.h"
#include "gc/check/readable.h"
#include "gc/check/verify.h"
#include "gc/cycle/asked.h"
#include "gc/cycle/owed.h"
#include "gc/when/when.h"
#include "gc/cycle/reclaim.h"
#include "gc/cycle/turn.h"
#include "gc/cycle/young.h"
#include "gc/roots/gather.h"
#include "gc/roots/source.h"
#include "gc/stats/stats.h"
#include "gc/threads/inside.h"
#include "gc/threads/stop/pause.h"
#include "gc/threads/stop/registers.h"
#include "gc/threads/stop/world.h"
#include "gc/threads/thread.h"
#include "gc/weak/ephemeron.h"
#include "gc/weak/finalizers.h"
#include "heap/epoch.h"
#include "heap/sort.h"
#include "heap/young/young.h"

/* A collection in the making. */
struct cycle {
  struct tide_heap *heap;
  struct tide_mutator *self;
  enum tide_cycle_kind kind;
  enum tide_cycle_cause cause;
  bool keeps;       /* what is young becomes old, unlooked at: gc/when/when.h */
  bool logged_much; /* it came for what was logged */
  bool rooted;      /* there was memory to remember the roots: it takes place */
  void (*then)(struct tide_mutator *, void *); /* before the resume; may be NULL */
  void *argument;
  uint64_t begin_ns, stopped_ns, marked_ns, weak_ns, swept_ns;
  uint64_t worked_ns; /* by this thread, at the beginning */
  uint64_t told_ns;   /* spent in the program's callbacks until the blocks were sorted */
  size_t root_bytes;  /* read by marking */
};

/* Marking from roots. The first phase also calls the root callbacks. */
struct marking {
  struct tide_heap *heap;
  bool begun;
  size_t root_words;
};

static void mark_spans(const struct td_span *spans, size_t count, void *context) {
  struct marking *marking = context;
  struct tide_heap *heap = marking->heap;
  struct td_roots roots = {.spans = spans, .span_count = count};
  if (!marking->begun && td_roots_have_callbacks(heap)) {
    roots.callback = td_roots_call_back;
    roots.context = heap;
  }
  marking->begun = true;
  for (size_t i = 0; i < count; i++)
    marking->root_words += spans[i].count;
  td_mark_phase(heap->markers, &roots);
}

static void mark_roots(struct marking *marking) {
  const struct td_root_list *list =
      td_roots_gather(marking->heap, TD_WORDS_FRESH, mark_spans, marking);
  mark_spans(list->spans, list->count, marking);
}

/* Returns how many bytes of roots were read. */
static size_t mark(struct tide_heap *heap, struct cycle *cycle) {
  struct marking marking = {.heap = heap};
  if (cycle->kind == TIDE_CYCLE_FULL) td_space_begin_marking(&heap->space);
  td_ephemerons_begin(heap);
  td_mark_begin(heap->markers);
  if (cycle->keeps) {
    td_young_keep(&heap->space);
    heap->stats->building->all.logged = 0;
  } else {
    if (cycle->kind == TIDE_CYCLE_YOUNG) cycle->logged_much = td_young_mark_logged(heap);
    mark_roots(&marking);
  }
  td_ephemerons_close(heap);
  return marking.root_words * sizeof(uintptr_t);
}

/* Did the program want the collection now? */
static bool was_asked(enum tide_cycle_cause cause) {
  return cause == TIDE_CAUSE_CALL || cause == TIDE_CAUSE_INSPECT || cause == TIDE_CAUSE_STRESS;
}

static void sort(const struct cycle *cycle) {
  struct tide_heap *heap = cycle->heap;
  struct tide_cycle_stats *stats = &heap->stats->building->all;
  uint64_t before = heap->space.live_bytes;
  bool young = cycle->kind == TIDE_CYCLE_YOUNG;
  stats->kind = heap->last_kind = cycle->kind;
  stats->cause = cycle->cause;
  stats->blocks_freed =
      young ? td_space_end_young(&heap->space) : td_space_end_marking(&heap->space);
  stats->bytes = heap->space.live_bytes;
  stats->promoted_bytes = young && stats->bytes > before ? stats->bytes - before : 0;
  if (!young) stats->logged = 0;
}

/* Decides what is due next. */
static void decide(const struct cycle *cycle) {
  struct tide_heap *heap = cycle->heap;
  const struct tide_cycle_stats *stats = &heap->stats->building->all;
  /* relaxed: world stopped. */
  uint64_t allocated = atomic_load_explicit(&heap->allocated_bytes, memory_order_relaxed);
  bool was_on = heap->when->youth.on;
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
  if (heap->space.has_young) td_young_follow(heap, was_on);
}

/* Everything between the stop and the resume. */
static void collect_stopped(struct cycle *cycle) {
  struct tide_heap *heap = cycle->heap;
  struct tide_cycle_stats *stats = &heap->stats->building->all;
  td_pause_retire_runs(heap);
  if (heap->verify) {
    td_roots_demand_readable(heap);
    td_verify_begin(heap);
  }
  td_stats_tell(heap, TIDE_EVENT_MARK_BEGIN);
  heap->marking = true;
  cycle->root_bytes = mark(heap, cycle);
  cycle->marked_ns = td_stats_tell(heap, TIDE_EVENT_MARK_END);
  td_reclaim(heap);
  td_mark_end(heap->markers, stats, heap->stats->building->marker);
  /* relaxed: a figure. */
  atomic_store_explicit(&heap->markers_allowed, stats->markers, memory_order_relaxed);
  stats->objects += heap->ephemerons->objects;
  cycle->weak_ns = td_stats_tell(heap, TIDE_EVENT_WEAK_END);
  sort(cycle);
  heap->marking = false;
  cycle->told_ns = heap->stats->told_ns;
  cycle->swept_ns = td_stats_tell(heap, TIDE_EVENT_SWEEP_END);
  decide(cycle);
  td_owed_settle(cycle->self, cycle->kind);
  if (heap->verify) td_verify_or_abort(heap);
}

static void write_young_log(const struct tide_heap *heap, const struct tide_cycle_stats *stats) {
  if (stats->kind == TIDE_CYCLE_YOUNG)
    fprintf(stderr,
            "tidemark: promoted %" PRIu64 " KiB, looked into %" PRIu64 " old objects or slots\n",
            stats->promoted_bytes >> 10, stats->logged);
  fprintf(stderr, "tidemark: young collections: %s %zu KiB\n",
          heap->when->youth.on ? "the next one after" : "they do not pay, tried again after",
          heap->when->youth.due_bytes >> 10);
}

/* What a young collection found are objects that were young; the heap has the old ones as well. */
static void write_log(const struct tide_heap *heap, const struct tide_cycle_stats *stats) {
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
  if (heap->space.has_young) write_young_log(heap, stats);
}

/* The figures of a collection that has ended become those of the last one. */
static void publish(struct cycle *cycle) {
  struct tide_heap *heap = cycle->heap;
  struct tide_cycle_stats *stats = &heap->stats->building->all;
  /* relaxed: written under the world's lock; readers only ask whether it has changed. */
  stats->number = atomic_fetch_add_explicit(&heap->cycles, 1, memory_order_relaxed) + 1;
  stats->stop_ns = cycle->stopped_ns - cycle->begin_ns;
  stats->weak_ns = cycle->weak_ns - cycle->marked_ns;
  stats->sweep_ns = cycle->swept_ns - cycle->weak_ns;
  heap->when->ended_ns = td_stats_tell(heap, TIDE_EVENT_CYCLE_END);
  stats->pause_ns = heap->when->ended_ns - cycle->begin_ns;
  td_stats_publish(heap);
}

static void set_asks(struct tide_heap *heap, bool asks) {
  /* relaxed: a hint. */
  atomic_store_explicit(&heap->roots->asks_since_ns, asks ? td_plat_now_ns() : 0,
                        memory_order_relaxed);
}

static void stop_world(void *argument) {
  const struct cycle *cycle = argument;
  set_asks(cycle->heap, false);
  td_world_stop(cycle->heap, cycle->self);
}

/* Returns false if there is no memory to remember the roots. */
static bool stop_with_roots(struct cycle *cycle) {
  while (!td_sources_stop(cycle->heap, stop_world, cycle))
    if (!td_sources_before_stop(cycle->heap)) return false;
  return true;
}

/* Under the world's lock, inside td_stack_call. */
static void collect_locked(void *argument) {
  struct cycle *cycle = argument;
  struct tide_heap *heap = cycle->heap;
  cycle->worked_ns = td_plat_thread_ns();
  cycle->begin_ns = td_stats_begin(heap, cycle->kind, cycle->cause);
  cycle->rooted = stop_with_roots(cycle);
  if (!cycle->rooted) {
    td_stats_abandon(heap);
    return;
  }
  pthread_mutex_lock(&heap->roots->lock);
  pthread_mutex_lock(&heap->finalizers->lock);
  heap->finalizers->pending_before = heap->finalizers->pending_count;
  cycle->stopped_ns = td_stats_tell(heap, TIDE_EVENT_STOPPED);
  collect_stopped(cycle);
  pthread_mutex_unlock(&heap->finalizers->lock);
  pthread_mutex_unlock(&heap->roots->lock);
  publish(cycle);
  if (heap->finalizers->pending_count > heap->finalizers->pending_before)
    td_stats_tell(heap, TIDE_EVENT_FINALIZERS_PENDING);
  if (cycle->then) cycle->then(cycle->self, cycle->argument);
  td_pause_hand_back_runs(heap);
  td_world_resume(heap, cycle->self);
}

static void end_and_unlock(struct tide_heap *heap) {
  td_asked_end(heap->asked);
  td_world_unlock(heap);
}

/* Returns false if there was no memory to remember the roots, and nothing happened. */
static TD_KEEPS_CALL bool collect_and_unlock(struct tide_mutator *mutator, struct td_wish wish,
                                             void (*then)(struct tide_mutator *, void *),
                                             void *argument) {
  struct tide_heap *heap = mutator->heap;
  struct cycle cycle = {.heap = heap,
                        .self = mutator,
                        .kind = wish.kind,
                        .cause = wish.cause,
                        .keeps = wish.kind == TIDE_CYCLE_YOUNG && !heap->when->youth.on,
                        .then = then,
                        .argument = argument};
  struct td_call call;
  td_call_begin(&call, "a trace function, root callback, event or visit");
  td_markers_ready(heap->markers);
  set_asks(heap, true);
  if (td_sources_before_stop(heap)) td_stack_call(collect_locked, &cycle);
  set_asks(heap, false);
  td_stack_clear_below();
  if (cycle.rooted) {
    if (heap->log)
      write_log(heap, &heap->stats->last->all); /* not before: it may wait for a stream */
    if (cycle.kind == TIDE_CYCLE_FULL) td_budget_trim(heap);
  }
  td_call_end(&call);
  end_and_unlock(heap);
  return cycle.rooted;
}

static enum td_collected collect(struct tide_mutator *mutator, struct td_wish wish, uint64_t seen,
                                 void (*then)(struct tide_mutator *, void *), void *argument) {
  struct tide_heap *heap = mutator->heap;
  if (!td_turn_take(heap)) return TD_COLLECTED_PAUSED;
  /* relaxed: changed under the lock that we hold. */
  bool by_other =
      seen != TD_SEEN_ANY && atomic_load_explicit(&heap->cycles, memory_order_relaxed) != seen;
  if (by_other || !td_asked_begin(heap->asked)) {
    end_and_unlock(heap);
    return by_other ? TD_COLLECTED_BY_OTHER : TD_COLLECTED_PAUSED;
  }
  /* While young collections do not pay, one that somebody wants is a full one. */
  if (!heap->when->youth.on && wish.cause != TIDE_CAUSE_YOUNG) wish.kind = TIDE_CYCLE_FULL;
  return collect_and_unlock(mutator, wish, then, argument) ? TD_COLLECTED : TD_COLLECTED_NO_MEMORY;
}

enum td_collected td_collect_unless(struct tide_mutator *mutator, struct td_wish wish,
                                    uint64_t seen) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  return collect(mutator, wish, seen, NULL, NULL);
}

void td_collect_owed(struct tide_mutator *mutator) {
  struct tide_heap *heap = mutator->heap;
  /* relaxed: what another thread's collection has settled meanwhile is seen under the lock. */
  uint64_t seen = atomic_load_explicit(&heap->cycles, memory_order_relaxed);
  struct td_wish wish = td_owed(mutator);
  if (!wish.cause || mutator->callback) return;
  bool may = heap->collects == TIDE_COLLECTS_WHEN_DUE && !td_asked_is_paused(heap->asked);
  if (!may || td_collect_unless(mutator, wish, seen) >= TD_COLLECTED_PAUSED) td_owed_tell(mutator);
}

enum tide_status tide_collect_due(struct tide_mutator *mutator) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  enum tide_status status = td_pause_allowed(mutator, "tide_collect_due");
  if (status != TIDE_OK) return status;
  struct td_wish wish = td_owed(mutator);
  return wish.cause ? td_collect_and(mutator, "tide_collect_due", wish, NULL, NULL) : TIDE_OK;
}

enum tide_status td_collect_and(struct tide_mutator *mutator, const char *function,
                                struct td_wish wish, void (*then)(struct tide_mutator *, void *),
                                void *argument) {
  enum tide_status status = td_pause_allowed(mutator, function);
  if (status != TIDE_OK) return status;
  if (wish.kind == TIDE_CYCLE_YOUNG && !mutator->heap->space.has_young) return TIDE_ERROR_STATE;
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  enum td_collected collected = collect(mutator, wish, TD_SEEN_ANY, then, argument);
  if (collected == TD_COLLECTED) return TIDE_OK;
  return collected == TD_COLLECTED_PAUSED ? TIDE_ERROR_STATE : TIDE_ERROR_MEMORY;
}

enum tide_status tide_collect(struct tide_mutator *mutator) {
  struct td_wish wish = {TIDE_CYCLE_FULL, TIDE_CAUSE_CALL};
  return td_collect_and(mutator, "tide_collect", wish, NULL, NULL);
}

enum tide_status tide_collect_young(struct tide_mutator *mutator) {
  struct td_wish wish = {TIDE_CYCLE_YOUNG, TIDE_CAUSE_CALL};
  return td_collect_and(mutator, "tide_collect_young", wish, NULL, NULL);
}
