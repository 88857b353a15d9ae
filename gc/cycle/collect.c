/* SPDX-License-Identifier: MIT */
/* The collection cycle:
 *   stop     every other mutator reaches a safepoint or is in a blocking section
 *   retire   the unused rests of bump runs go back, so that every object is a real one
 *   mark     from all roots, in parallel
 *   reclaim  ephemerons, weak references, finalizers (gc/cycle/reclaim.h tells the order)
 *   sort     empty blocks return to the pool, the others wait to be swept by allocation; after the
 *            resume, if there are other threads that need not wait for it: then objects are old
 *            from their first moment until all is sorted, and a short stop ends that
 *   resume   and only then is memory given back to the system */
#include "gc/cycle/collect.h"

#include "gc/check/caller/check.h"
#include "gc/check/verify.h"
#include "gc/cycle/asked.h"
#include "gc/cycle/beside_thread.h"
#include "gc/cycle/owed.h"
#include "gc/when/when.h"
#include "gc/cycle/reclaim.h"
#include "gc/cycle/steps.h"
#include "gc/cycle/turn.h"
#include "gc/cycle/young.h"
#include "gc/cycle/young_beside.h"
#include "gc/roots/gather.h"
#include "gc/stats/stats.h"
#include "gc/threads/inside.h"
#include "gc/threads/stop/pause.h"
#include "gc/threads/stop/registers.h"
#include "gc/threads/stop/safe.h"
#include "gc/threads/stop/world.h"
#include "gc/threads/thread.h"
#include "gc/weak/ephemeron.h"
#include "gc/weak/finalizers.h"
#include "heap/epoch.h"
#include "heap/cells/sort.h"
#include "heap/young/young.h"

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
static size_t mark(struct tide_heap *heap, struct td_cycle *cycle) {
  struct marking marking = {.heap = heap};
  if (cycle->kind == TIDE_CYCLE_FULL) td_space_begin_marking(&heap->space);
  if (cycle->sorts) td_young_suspend(heap);
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

/* One thread alone gains nothing by it. */
static bool may_sort_beside(const struct td_cycle *cycle) {
  const struct tide_heap *heap = cycle->heap;
  /* relaxed: changed under the lock that we hold. */
  bool alone = atomic_load_explicit(&heap->world->count, memory_order_relaxed) == 1;
  bool full = cycle->kind == TIDE_CYCLE_FULL;
  return full && !alone && !cycle->then && td_cycle_may_sort_beside(heap);
}

/* Everything between the stop and the resume. */
static void collect_stopped(struct td_cycle *cycle) {
  struct tide_heap *heap = cycle->heap;
  struct tide_cycle_stats *stats = &heap->stats->building->all;
  td_pause_retire_runs(heap);
  if (heap->verify) td_verify_begin(heap);
  td_stats_tell(heap, TIDE_EVENT_MARK_BEGIN);
  heap->marking = true;
  cycle->sorts = may_sort_beside(cycle);
  cycle->root_bytes = mark(heap, cycle);
  cycle->marked_ns = td_stats_tell(heap, TIDE_EVENT_MARK_END);
  td_reclaim(heap);
  td_mark_end(heap->markers, stats, heap->stats->building->marker);
  /* relaxed: a figure. */
  atomic_store_explicit(&heap->markers_allowed, stats->markers, memory_order_relaxed);
  stats->objects += heap->ephemerons->objects;
  cycle->weak_ns = td_stats_tell(heap, TIDE_EVENT_WEAK_END);
  heap->last_beside = false;
  td_cycle_sort(cycle);
  heap->marking = false;
  if (!cycle->sorts) {
    td_cycle_end_sorting(cycle);
    td_young_follow(heap);
  }
  td_owed_settle(heap, cycle->self, cycle->kind);
  if (heap->verify) td_verify_or_abort(heap);
}

/* The figures of a collection are complete. */
static void publish(struct td_cycle *cycle) {
  td_cycle_publish(cycle);
  if (cycle->queued) td_stats_tell(cycle->heap, TIDE_EVENT_FINALIZERS_PENDING);
}

/* Under the world's lock, inside td_stack_call. */
static void collect_locked(void *argument) {
  struct td_cycle *cycle = argument;
  struct tide_heap *heap = cycle->heap;
  cycle->worked_ns = td_plat_thread_ns();
  cycle->begin_ns = td_stats_begin(heap, cycle->kind, cycle->cause);
  cycle->rooted = td_cycle_stop_with_roots(cycle);
  if (!cycle->rooted) {
    td_stats_abandon(heap);
    return;
  }
  td_roots_lock(heap);
  heap->finalizers->pending_before = heap->finalizers->pending_count;
  cycle->stopped_ns = td_stats_tell(heap, TIDE_EVENT_STOPPED);
  collect_stopped(cycle);
  cycle->queued = heap->finalizers->pending_count > heap->finalizers->pending_before;
  td_roots_unlock(heap);
  if (heap->concurrent && cycle->cause >= TIDE_CAUSE_GROWTH) td_beside_note_stopped(heap);
  if (!cycle->sorts) publish(cycle);
  if (cycle->then) cycle->then(cycle->self, cycle->argument);
  /* The next collection waits for this one's end: the world's lock may be given up meanwhile. */
  if (cycle->sorts) td_world_set_beside(heap, true);
  (void)td_cycle_resume(cycle, cycle->begin_ns);
}

/* As a thread that stands still: the stops of other heaps need not wait for it. */
static void sort_safely(void *argument) {
  const struct td_cycle *cycle = argument;
  td_thread_enter_safe(NULL);
  td_sort_rest(&cycle->heap->space);
  td_thread_leave_safe(NULL);
}

/* A short stop, from which on objects are young again. */
static void resume_young(void *argument) {
  struct td_cycle *cycle = argument;
  const uint64_t since = td_plat_now_ns();
  td_world_stop(cycle->heap, cycle->self);
  td_young_resume(cycle->heap);
  (void)td_cycle_resume(cycle, since);
}

/* Without the world's lock, so that threads may come and go meanwhile. */
static void sort_beside(struct td_cycle *cycle) {
  struct tide_heap *heap = cycle->heap;
  int cancel_state = heap->world->cancel_state;
  td_world_unlock_safe(heap);
  td_stack_call(sort_safely, cycle);
  td_world_lock_beside(heap);
  heap->world->cancel_state = cancel_state;
  (void)td_cycle_end_sorting_beside(cycle, resume_young);
  pthread_mutex_lock(&heap->finalizers->lock); /* events' functions may ask what was queued */
  publish(cycle);
  pthread_mutex_unlock(&heap->finalizers->lock);
  td_world_set_beside(heap, false);
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
  struct td_cycle cycle = {.heap = heap,
                           .self = mutator,
                           .kind = wish.kind,
                           .cause = wish.cause,
                           .keeps = wish.kind == TIDE_CYCLE_YOUNG && heap->space.bears_old,
                           .then = then,
                           .argument = argument};
  struct td_call call;
  td_call_begin(&call, "a trace function, root callback, event or visit");
  td_markers_ready(heap->markers);
  td_cycle_set_asks(heap, true);
  if (td_sources_before_stop(heap)) td_stack_call(collect_locked, &cycle);
  td_cycle_set_asks(heap, false);
  td_stack_clear_below();
  if (cycle.sorts) sort_beside(&cycle);
  if (cycle.rooted) {
    td_stats_tell(heap, TIDE_EVENT_RESUMED);
    if (cycle.kind == TIDE_CYCLE_FULL) td_beside_set_pace(heap);
    if (heap->log)
      td_cycle_write_log(heap, &heap->stats->last->all); /* not before: it may wait for a stream */
    if (cycle.kind == TIDE_CYCLE_FULL) td_budget_trim(heap);
  }
  td_call_end(&call);
  end_and_unlock(heap);
  return cycle.rooted;
}

/* Makes a young collection if one may happen while a full one goes on. Returns whether there was
 * one, or should have been. */
static bool collect_beside(struct tide_mutator *mutator, struct td_wish wish, uint64_t seen,
                           enum td_collected *collected) {
  struct tide_heap *heap = mutator->heap;
  if (wish.kind != TIDE_CYCLE_YOUNG || !heap->concurrent || !td_turn_take(heap, false))
    return false;
  /* relaxed: changed under the lock that we hold. */
  bool by_other =
      seen != TD_SEEN_ANY && atomic_load_explicit(&heap->cycles, memory_order_relaxed) != seen;
  if (by_other || !td_young_beside_goes_on(heap)) {
    td_world_unlock(heap);
    *collected = TD_COLLECTED_BY_OTHER;
    return by_other;
  }
  enum td_young_done done = td_young_beside_collect(mutator, wish.cause);
  td_world_unlock(heap);
  if (done != TD_YOUNG_NO_MEMORY) td_cycle_tell_resumed(heap);
  *collected = done == TD_YOUNG_COLLECTED ? TD_COLLECTED : TD_COLLECTED_NO_MEMORY;
  return done != TD_YOUNG_ENDED;
}

static enum td_collected collect(struct tide_mutator *mutator, struct td_wish wish, uint64_t seen,
                                 void (*then)(struct tide_mutator *, void *), void *argument) {
  struct tide_heap *heap = mutator->heap;
  enum td_collected collected;
  if (!then && collect_beside(mutator, wish, seen, &collected)) return collected;
  /* What is young cannot be collected beside the program any more, but there may be room. */
  bool awaits = wish.cause != TIDE_CAUSE_YOUNG || seen == TD_SEEN_ANY;
  if (!td_turn_take(heap, awaits)) return TD_COLLECTED_PAUSED;
  /* relaxed: changed under the lock that we hold. */
  bool by_other =
      seen != TD_SEEN_ANY &&
      (heap->world->beside || atomic_load_explicit(&heap->cycles, memory_order_relaxed) != seen);
  if (by_other) {
    td_world_unlock(heap); /* it may go on beside the program: what is asked for waits for that */
    return TD_COLLECTED_BY_OTHER;
  }
  if (!td_asked_begin(heap->asked)) {
    end_and_unlock(heap);
    return TD_COLLECTED_PAUSED;
  }
  /* While young collections do not pay, one that somebody wants is a full one. */
  if (heap->space.bears_old && wish.cause != TIDE_CAUSE_YOUNG) wish.kind = TIDE_CYCLE_FULL;
  return collect_and_unlock(mutator, wish, then, argument) ? TD_COLLECTED : TD_COLLECTED_NO_MEMORY;
}

bool td_collect_beside(struct tide_mutator *mutator, struct td_wish wish) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  bool may_wait = wish.kind == TIDE_CYCLE_FULL && wish.cause != TIDE_CAUSE_ROOM;
  return may_wait && mutator->heap->concurrent && td_beside_wish(mutator->heap);
}

enum td_collected td_collect_unless(struct tide_mutator *mutator, struct td_wish wish,
                                    uint64_t seen, void (*then)(struct tide_mutator *, void *),
                                    void *argument) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (wish.kind == TIDE_CYCLE_FULL) td_beside_note_awaited(mutator->heap);
  return collect(mutator, wish, seen, then, argument);
}

void td_collect_owed(struct tide_mutator *mutator) {
  struct tide_heap *heap = mutator->heap;
  /* relaxed: what another thread's collection has settled meanwhile is seen under the lock. */
  uint64_t seen = atomic_load_explicit(&heap->cycles, memory_order_relaxed);
  struct td_wish wish = td_owed(mutator);
  if (!wish.cause || mutator->callback) return;
  bool may = heap->collects == TIDE_COLLECTS_WHEN_DUE && !td_asked_is_paused(heap->asked);
  /* It is owed until stop 2. There is room meanwhile, or an allocation would have come here. */
  if (may && heap->concurrent && wish.kind == TIDE_CYCLE_FULL && td_beside_begin(heap)) return;
  if (!may || td_collect_unless(mutator, wish, seen, NULL, NULL) >= TD_COLLECTED_PAUSED)
    td_owed_tell(mutator);
}

enum tide_status tide_collect_due(struct tide_mutator *mutator) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!td_mutator_may_act(mutator, "tide_collect_due")) return td_refusal(mutator);
  struct td_wish wish = td_owed(mutator);
  return wish.cause ? td_collect_and(mutator, "tide_collect_due", wish, NULL, NULL) : TIDE_OK;
}

enum tide_status td_collect_and(struct tide_mutator *mutator, const char *function,
                                struct td_wish wish, void (*then)(struct tide_mutator *, void *),
                                void *argument) {
  if (!td_mutator_may_act(mutator, function)) return td_refusal(mutator);
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

enum tide_status tide_collect_begin(struct tide_mutator *mutator) {
  if (!td_mutator_may_act(mutator, "tide_collect_begin")) return td_refusal(mutator);
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  struct tide_heap *heap = mutator->heap;
  if (!heap->concurrent || td_asked_is_paused(heap->asked)) return TIDE_ERROR_STATE;
  return td_beside_begin(heap) ? TIDE_OK : TIDE_ERROR_SYSTEM;
}

enum tide_status tide_collect_young(struct tide_mutator *mutator) {
  struct td_wish wish = {TIDE_CYCLE_YOUNG, TIDE_CAUSE_CALL};
  return td_collect_and(mutator, "tide_collect_young", wish, NULL, NULL);
}
