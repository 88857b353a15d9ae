/* SPDX-License-Identifier: MIT */
#include "gc/cycle/beside.h"

#include <string.h>

#include "gc/check/caller/check.h"
#include "gc/check/verify.h"
#include "gc/cycle/asked.h"
#include "gc/cycle/beside_thread.h"
#include "gc/cycle/obstacle.h"
#include "gc/cycle/owed.h"
#include "gc/cycle/reclaim.h"
#include "gc/cycle/steps.h"
#include "gc/cycle/young.h"
#include "gc/cycle/young_beside.h"
#include "gc/roots/gather.h"
#include "gc/stats/stats.h"
#include "gc/threads/mutator/written.h"
#include "gc/threads/stop/pause.h"
#include "gc/threads/stop/registers.h"
#include "gc/threads/stop/world.h"
#include "gc/weak/ephemeron.h"
#include "gc/weak/finalizers.h"
#include "gc/weak/order.h"
#include "gc/when/when.h"
#include "heap/cells/sort.h"
#include "heap/epoch.h"

/* What mutators have marked is looked into beside the program so often, and is less each time; then
 * the world stays stopped. What dies has the stops that are left: up to four of its own, and more.
 * The last one is stop 3. */
#define ROUNDS 8u
#define STOPS_MAX 16u
_Static_assert(sizeof((struct tide_cycle_stats *)0)->stops_ns == STOPS_MAX * sizeof(uint64_t),
               "each stop has its place");

struct beside {
  struct td_cycle cycle; /* first */
  struct td_beside *own;
  struct td_reclaim reclaim;
  const char *stopped; /* why the world had to stand still while marking, or NULL */
  bool again;          /* stop 2 found something to scan */
  unsigned stops;
  uint64_t stops_ns[STOPS_MAX];
  uint64_t asked_ns, aside_ns; /* when the stop was wanted; spent marking between stops */
  uint64_t allocated;          /* by the program, when it began */
  uint64_t overwritten;        /* objects that mutators have marked */
  uint64_t paced_ns;           /* that they have waited */
  bool awaited;                /* the program has used up all room meanwhile */
};

/* ---- Stops ---- */

static void resume(struct beside *b) {
  b->stops_ns[b->stops++] = td_cycle_resume(&b->cycle, b->asked_ns);
}

/* ---- Stop 1 ---- */

static void mark_now(const struct td_span *spans, size_t count, void *context) {
  struct beside *b = context;
  struct td_roots roots = {.spans = spans, .span_count = count};
  for (size_t i = 0; i < count; i++)
    b->cycle.root_bytes += spans[i].count * sizeof(uintptr_t);
  td_mark_phase(b->cycle.heap->markers, &roots);
}

static void mark_stopped(struct beside *b) {
  const struct td_root_list *list = td_roots_gather(b->cycle.heap, TD_WORDS_FRESH, mark_now, b);
  mark_now(list->spans, list->count, b);
}

/* The mutators' barriers look from here on. The resume carries that to them. */
static void set_beside(struct tide_heap *heap, bool beside) {
  heap->beside = beside ? INT8_MAX : 0;
  if (heap->space.has_young) heap->space.marks[0] = (uint8_t)heap->beside;
}

static void start_marking(struct beside *b) {
  struct tide_heap *heap = b->cycle.heap;
  b->stopped = td_beside_obstacle(heap);
  if (!b->stopped && !td_snapshot_take(&b->own->snapshot, heap))
    b->stopped = "there is no memory for a copy of the roots";
  if (b->stopped) {
    td_space_begin_marking(&heap->space);
    td_mark_begin(heap->markers);
  } else {
    td_space_begin_marking_beside(&heap->space);
    /* relaxed: under the world's lock. */
    td_mark_begin_beside(heap->markers,
                         atomic_load_explicit(&heap->world->count, memory_order_relaxed));
    set_beside(heap, true);
  }
  if (b->stopped || !td_young_beside_begin(heap)) td_young_suspend(heap);
  td_ephemerons_begin(heap);
  if (td_roots_have_callbacks(heap))
    td_mark_call_back(heap->markers,
                      &(struct td_roots){.callback = td_roots_call_back, .context = heap});
}

/* The world stands still. */
static void begin_stopped(struct beside *b) {
  struct tide_heap *heap = b->cycle.heap;
  td_roots_lock(heap);
  heap->finalizers->pending_before = heap->finalizers->pending_count;
  b->cycle.stopped_ns = td_stats_tell(heap, TIDE_EVENT_STOPPED);
  td_pause_retire_runs(heap);
  if (heap->verify) td_verify_begin(heap);
  for (struct tide_mutator *m = heap->world->mutators; m; m = m->next)
    m->overwritten = m->paced_ns = 0;
  td_stats_tell(heap, TIDE_EVENT_MARK_BEGIN);
  start_marking(b);
  if (b->stopped)
    mark_stopped(b);
  else
    td_roots_unlock(heap);
}

/* ---- Stop 2 ---- */

/* May the program go on once more, while more is marked? */
static bool may_resume(const struct beside *b) {
  return !b->stopped && b->stops < (b->reclaim.begun ? STOPS_MAX - 2 : ROUNDS + 1);
}

/* Marks what is left, or lets the program go on while that is marked. Returns whether all is. */
static bool close_marking(struct beside *b) {
  struct tide_heap *heap = b->cycle.heap;
  b->again = may_resume(b);
  if (b->again) {
    b->again = td_mark_is_behind(heap->markers) || td_ephemerons_defer(heap);
  } else {
    td_mark_phase(heap->markers, &(struct td_roots){0});
    td_ephemerons_close(heap);
  }
  return !b->again;
}

/* The same for what dies: what it reaches is not marked yet. */
static bool close_dying(struct beside *b) {
  struct tide_heap *heap = b->cycle.heap;
  if (!b->reclaim.begun) b->cycle.marked_ns = td_stats_tell(heap, TIDE_EVENT_MARK_END);
  while (td_reclaim_next(heap, &b->reclaim)) {
    b->cycle.queued |= heap->finalizers->pending_count > heap->finalizers->pending_before;
    atomic_store_explicit(&heap->gave, true, memory_order_relaxed); /* relaxed: world stopped */
    b->again = may_resume(b);
    if (b->again) return false;
    (void)close_marking(b);
  }
  return true;
}

static void end_marking(struct beside *b) {
  struct tide_heap *heap = b->cycle.heap;
  struct tide_cycle_stats *stats = &heap->stats->building->all;
  set_beside(heap, false);
  td_reclaim_finish(heap, &b->reclaim);
  td_mark_end(heap->markers, stats, heap->stats->building->marker);
  stats->objects += heap->ephemerons->objects;
  for (struct tide_mutator *m = heap->world->mutators; m; m = m->next) {
    b->overwritten += m->overwritten;
    b->paced_ns += m->paced_ns;
  }
  stats->objects += b->overwritten;
  /* relaxed: a figure. */
  atomic_store_explicit(&heap->markers_allowed, stats->markers, memory_order_relaxed);
  b->cycle.weak_ns = td_stats_tell(heap, TIDE_EVENT_WEAK_END);
}

static void sort(struct beside *b) {
  struct tide_heap *heap = b->cycle.heap;
  td_pause_retire_runs(heap);
  heap->last_beside = !b->stopped;
  b->cycle.sorts = td_cycle_may_sort_beside(heap);
  td_cycle_sort(&b->cycle);
  td_owed_settle(heap, NULL, TIDE_CYCLE_FULL);
  if (heap->verify) td_verify_or_abort(heap);
}

static void end_stopped(struct beside *b) {
  struct tide_heap *heap = b->cycle.heap;
  td_young_beside_end(heap, false);
  if (!close_marking(b)) return;
  if (!b->stopped) td_roots_lock(heap); /* else they have been locked since */
  heap->marking = true;
  if (close_dying(b)) end_marking(b);
  heap->marking = false;
  if (!b->again) sort(b);
  td_roots_unlock(heap);
}

/* ---- A collection ---- */

/* Under the world's lock, inside td_stack_call. */
static TD_KEEPS_CALL void begin_locked(void *argument) {
  struct beside *b = argument;
  struct tide_heap *heap = b->cycle.heap;
  struct td_call call;
  td_call_begin(&call, "a trace function, root callback, event or visit");
  td_markers_ready(heap->markers);
  td_cycle_set_asks(heap, true);
  if (td_sources_before_stop(heap)) {
    b->cycle.worked_ns = td_plat_thread_ns();
    b->asked_ns = b->cycle.begin_ns = td_stats_begin(heap, b->cycle.kind, b->cycle.cause);
    b->cycle.rooted = td_cycle_stop_with_roots(&b->cycle);
    if (b->cycle.rooted) {
      begin_stopped(b);
      if (b->stopped) end_stopped(b);
      td_world_set_beside(heap, true);
      resume(b);
    } else {
      td_stats_abandon(heap);
    }
  }
  td_cycle_set_asks(heap, false);
  td_call_end(&call);
}

/* Every stop but the first: calls `stopped` in it. The same. */
static TD_KEEPS_CALL void stop_again(struct beside *b, void (*stopped)(struct beside *b)) {
  struct tide_heap *heap = b->cycle.heap;
  struct td_call call;
  td_call_begin(&call, "a root callback, event or visit");
  b->asked_ns = td_plat_now_ns();
  td_world_stop(heap, NULL);
  td_stats_tell(heap, TIDE_EVENT_STOPPED);
  stopped(b);
  resume(b);
  td_call_end(&call);
}

static void end_locked(void *argument) {
  stop_again(argument, end_stopped);
}

/* From the roots, if they were not marked yet, until nothing is behind. Trace functions may run,
 * and may not do what none may do that runs in a collection. */
static TD_KEEPS_CALL void mark_on(struct beside *b, bool from_roots) {
  struct tide_heap *heap = b->cycle.heap;
  struct td_call call;
  uint64_t since = td_plat_now_ns();
  td_call_begin(&call, "a trace function");
  td_self()->worlds++;
  if (from_roots) b->cycle.root_bytes += td_snapshot_mark(&b->own->snapshot, heap, &b->overwritten);
  do {
    td_mark_phase(heap->markers, &(struct td_roots){0});
    if (!td_mark_is_behind(heap->markers)) td_ephemerons_close(heap);
  } while (td_mark_is_behind(heap->markers));
  if (from_roots) td_order_beside(heap);
  td_self()->worlds--;
  td_call_end(&call);
  b->aside_ns += td_plat_now_ns() - since;
}

static void mark_beside(struct beside *b) {
  struct tide_heap *heap = b->cycle.heap;
  bool from_roots = true;
  do {
    mark_on(b, from_roots);
    from_roots = false;
    td_world_lock_beside(heap);
    td_stack_call(end_locked, b);
    td_world_unlock(heap);
    td_cycle_tell_resumed(heap);
  } while (b->again);
}

static void note_taken(const struct beside *b) {
  /* relaxed: a figure. */
  uint64_t allocated = atomic_load_explicit(&b->cycle.heap->allocated_bytes, memory_order_relaxed);
  double live = (double)b->cycle.heap->space.live_bytes + TD_BESIDE_LEAST;
  double freed = (double)b->cycle.heap->young_beside->freed_bytes;
  double taken = ((double)(allocated - b->allocated) - freed) / live;
  if (taken < 0) taken = 0;                      /* whole blocks count as freed */
  if (b->awaited || b->paced_ns > 0) taken *= 2; /* it would have been more */
  b->own->taken = td_smooth(b->own->taken, taken);
}

static void resume_young_stopped(struct beside *b) {
  td_young_resume(b->cycle.heap);
}

/* The same, inside td_stack_call. */
static void resume_young(void *argument) {
  stop_again(argument, resume_young_stopped);
}

/* All is sorted: objects may be young again, if that pays. */
static void decide_beside(struct beside *b) {
  struct tide_heap *heap = b->cycle.heap;
  td_world_lock_beside(heap);
  bool stops = td_cycle_end_sorting_beside(&b->cycle, resume_young);
  td_world_unlock(heap);
  if (stops) td_cycle_tell_resumed(heap);
}

static void publish(struct beside *b) {
  struct tide_heap *heap = b->cycle.heap;
  struct tide_cycle_stats *stats = &heap->stats->building->all;
  b->awaited = td_beside_was_awaited(b->own);
  note_taken(b);
  td_beside_set_pace(heap);
  stats->stops = b->stops;
  memcpy(stats->stops_ns, b->stops_ns, sizeof b->stops_ns);
  stats->concurrent_ns = b->aside_ns;
  stats->overwritten = b->overwritten;
  stats->paced_ns = b->paced_ns;
  stats->stopped_because = b->stopped ? b->stopped : b->awaited ? "there was no room left" : NULL;
  /* relaxed, both: figures. */
  atomic_fetch_add_explicit(&heap->stats->concurrent, !b->stopped, memory_order_relaxed);
  atomic_fetch_add_explicit(&heap->stats->degenerate, stats->stopped_because != NULL,
                            memory_order_relaxed);
  td_cycle_publish(&b->cycle);
  if (b->cycle.queued) td_stats_tell(heap, TIDE_EVENT_FINALIZERS_PENDING);
}

static void collect(struct tide_heap *heap) {
  struct beside b = {.cycle = {.heap = heap, .kind = TIDE_CYCLE_FULL, .cause = TIDE_CAUSE_GROWTH},
                     .own = heap->concurrent};
  td_world_lock_next(heap);
  bool may = td_beside_is_wanted(b.own) && td_asked_begin(heap->asked);
  /* relaxed: a figure. */
  b.allocated = atomic_load_explicit(&heap->allocated_bytes, memory_order_relaxed);
  if (may) td_stack_call(begin_locked, &b);
  if (!b.cycle.rooted) {
    td_beside_give_up(heap);
    td_asked_end(heap->asked);
    td_world_unlock(heap);
    return;
  }
  td_world_unlock(heap);
  td_cycle_tell_resumed(heap);
  if (!b.stopped) mark_beside(&b);
  td_sort_rest(&heap->space);
  decide_beside(&b);
  td_world_lock_beside(heap);
  pthread_mutex_lock(&heap->finalizers->lock); /* events' functions may ask what was queued */
  publish(&b);
  pthread_mutex_unlock(&heap->finalizers->lock);
  td_order_forget(heap);
  td_written_trim(heap);
  td_budget_trim(heap);
  td_world_set_beside(heap, false);
  td_asked_end(heap->asked);
  td_world_unlock(heap);
  if (heap->log) td_cycle_write_log(heap, &heap->stats->last->all);
}

bool td_beside_open(struct tide_heap *heap) {
  return td_beside_thread_open(heap, collect);
}
