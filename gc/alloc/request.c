/* SPDX-License-Identifier: MIT */
#include "gc/alloc/request.h"

#include "gc/alloc/dead.h"
#include "gc/check/caller/check.h"
#include "gc/when/when.h"
#include "gc/cycle/beside_thread.h"
#include "gc/cycle/collect.h"
#include "gc/cycle/owed.h"
#include "gc/cycle/turn.h"
#include "gc/object/runs.h"
#include "gc/state/error.h"
#include "gc/stats/stats.h"
#include "gc/threads/mutator/callback.h"
#include "gc/threads/mutator/written.h"
#include "gc/threads/stop/pause.h"
#include "heap/withheld/avoid.h"
#include "heap/cells/medium.h"
#include "heap/cells/pace.h"
#include "heap/memory/ahead.h"
#include "heap/memory/backing.h"
#include "heap/space/find.h"
#include "heap/withheld/quarantine.h"
#include "heap/young/young.h"

/* A mutator adds to the heap's count of allocated bytes this often. */
#define FLUSH_BYTES ((uint64_t)256 << 10)

/* OTHERS_MOST collections of other threads are tried before this thread's own. */
#define OTHERS_MOST 4u

/* How often an allocation tries again in the room that is left beside the program. */
#define BESIDE_MOST 4u

/* Blocks whose dead the program is told of at once, where there is no other room. */
#define TELL_BLOCKS 16u

/* How long a mutator waits at a time that is to allocate more slowly beside the program. */
#define PACE_NS UINT64_C(400000)

/* Under TIDE_STRESS one in STRESS_FULL collections is full. */
#define STRESS_FULL 8u

/* A small object has a cell, a longer one blocks. */
static bool is_small(const struct td_request *request) {
  return request->bytes <= TD_SMALL_BYTES_MAX && !request->in_blocks;
}

static size_t blocks_of(const struct td_request *request) {
  return is_small(request) ? 1 : (request->bytes + TD_BLOCK_BYTES - 1) >> TD_BLOCK_LOG2;
}

static bool refuse(struct tide_mutator *mutator, enum tide_status status) {
  mutator->alloc_status = status;
  return false;
}

/* ---- Before the first attempt ---- */

bool td_may_allocate(struct tide_mutator *mutator) {
  if (!td_mutator_check(mutator, "allocation")) return false;
  if (td_mutator_may_act(mutator, "allocation") && !mutator->callback) return true;
  mutator->alloc_status = TIDE_ERROR_STATE;
  if (mutator->callback)
    td_misuse("allocation with mutator %p in %s", (void *)mutator, mutator->callback);
  return false;
}

/* Young collections and, beside the program, full ones, if the heap has them, and every few one
 * that is full and stops it. Where the program sees to them, they are due. */
static void collect_for_stress(struct tide_mutator *mutator) {
  struct tide_heap *heap = mutator->heap;
  uint64_t turn = ++mutator->stress_turns;
  bool usual = turn % STRESS_FULL != 0, young = usual && td_young_are_born(&heap->space);
  bool beside = usual && heap->concurrent && (turn % 2 != 0 || !young);
  struct td_wish wish = {young ? TIDE_CYCLE_YOUNG : TIDE_CYCLE_FULL, TIDE_CAUSE_STRESS};
  if (heap->collects != TIDE_COLLECTS_WHEN_DUE) {
    td_owe(mutator, wish);
    td_owed_tell(mutator);
  } else if (!beside || !td_beside_begin(heap)) {
    td_collect_and(mutator, "allocation", wish, NULL, NULL);
  }
}

/* A collection goes on, and its end is what there may be too little room for: it gets the CPU. */
static void keep_pace(struct tide_mutator *mutator) {
  uint32_t pace = td_pace(&mutator->heap->space);
  if (TIDE_LIKELY(!pace) || mutator->cache.handed_out < pace) return;
  td_runs_flush_counts(mutator);
  uint64_t since = td_plat_now_ns();
  td_turn_wait(mutator->heap, PACE_NS);
  mutator->paced_ns += td_plat_now_ns() - since;
}

static bool begin(struct tide_mutator *mutator, struct td_request *request) {
  if (!td_may_allocate(mutator)) return false;
  if (request->layout >= TIDE_LAYOUT_MAX || request->bytes > PTRDIFF_MAX - TD_BLOCK_BYTES)
    return refuse(mutator, TIDE_ERROR_ARGUMENT);
  if (request->bytes == 0) request->bytes = 1;
  tide_safepoint(mutator);
  td_collect_owed(mutator);
  keep_pace(mutator);
  if (td_dead_wait(mutator->heap)) (void)td_dead_tell(mutator, 1 + mutator->dead_to_tell);
  mutator->dead_to_tell = 0;
  uint64_t stress = mutator->heap->stress;
  if (stress && ++mutator->stress_count >= stress) {
    mutator->stress_count = 0;
    collect_for_stress(mutator);
  }
  request->step = TD_STEP_FIRST;
  return true;
}

/* ---- Collecting ---- */

static struct td_wish wish_for(struct tide_heap *heap, enum td_room room) {
  pthread_mutex_lock(&heap->space.lock);
  struct td_wish wish = td_when_due(heap->when, room, td_young_bytes(&heap->space));
  pthread_mutex_unlock(&heap->space.lock);
  return wish;
}

/* Is it no help if the heap grows? */
static bool is_at_limit(struct tide_heap *heap, const struct td_request *request) {
  if (request->room != TD_ROOM_OVER_BUDGET) return request->room > TD_ROOM_YOUNG_DUE;
  pthread_mutex_lock(&heap->space.lock);
  size_t most = heap->space.max_blocks, end = heap->space.used_blocks + blocks_of(request);
  bool last = td_backing_bound(&heap->space) >= most || end > most;
  pthread_mutex_unlock(&heap->space.lock);
  return last;
}

/* May allocation collect, or does the program see to it? */
static bool may_collect(struct tide_heap *heap, const struct td_request *request) {
  if (heap->collects == TIDE_COLLECTS_AT_LIMIT) return is_at_limit(heap, request);
  return heap->collects == TIDE_COLLECTS_WHEN_DUE;
}

static void *take_room(struct tide_mutator *mutator, struct td_request *request) {
  struct td_space *space = &mutator->heap->space;
  struct td_cache *cache = &mutator->cache;
  const size_t granules = (request->bytes + TD_GRANULE_BYTES - 1) / TD_GRANULE_BYTES;
  request->unfit =
      !td_layout_fits(&space->layouts.at[request->layout], granules * TD_GRANULE_BYTES);
  if (request->unfit) return NULL;
  if (is_small(request))
    return td_cache_take(space, cache, request->layout, request->bytes, &request->room);
  void *object = td_space_alloc_long(space, request->layout, request->bytes, request->in_blocks,
                                     &request->room);
  if (object) cache->handed_out += td_space_object_bytes(space, (uintptr_t)object);
  return object;
}

/* relaxed: a reason to try again; the lock orders the rest. */
static uint64_t cycles_of(struct tide_heap *heap) {
  return atomic_load_explicit(&heap->cycles, memory_order_relaxed);
}

/* Where no cell of its size is left, a larger one holds an object, too. */
static void take_larger(struct tide_mutator *mutator, struct td_request *request) {
  enum td_room room = request->room;
  size_t alignment = request->alignment ? request->alignment : 1, bytes = request->bytes;
  for (unsigned c = td_class_of(bytes); c; c = td_class_aligned(bytes + 1, alignment)) {
    bytes = td_class_bytes(c);
    request->object =
        td_cache_take(&mutator->heap->space, &mutator->cache, request->layout, bytes, &room);
    if (request->object) return;
  }
}

/* In the stop of this thread's own full collection. The first time the heap may still grow, which
 * is better than a larger cell. */
static void take_stopped(struct tide_mutator *mutator, void *argument) {
  struct td_request *request = argument;
  if (request->own == 0 && !is_at_limit(mutator->heap, request)) return;
  request->tried = true;
  /* The cells of runs that are held look free before that. */
  td_pause_hand_back_runs(mutator->heap);
  request->object = take_room(mutator, request);
  if (request->object || !is_small(request)) return;
  take_larger(mutator, request);
  mutator->scarce = cycles_of(mutator->heap);
}

/* Sizes that have no block left would cost a collection for each object: until the next one, which
 * comes when larger cells are used up, too, those are taken at once. */
static bool is_scarce(const struct tide_mutator *mutator, const struct td_request *request) {
  return mutator->scarce && mutator->scarce == cycles_of(mutator->heap) && is_small(request);
}

/* Returns whether there may be room now. What another thread's collection found may be used up by
 * third ones before we run, so this goes on until this thread's own full collection. Others may
 * collect without end, and leave no room for what is wanted here as long as the heap does not grow:
 * hence the bound. At the limit this thread takes its share before others run: of a size there may
 * be fewer blocks than mutators, and each keeps one. */
static bool collect(struct tide_mutator *mutator, struct td_request *request) {
  if (is_scarce(mutator, request)) take_larger(mutator, request);
  if (request->object) return true;
  struct td_wish wish = wish_for(mutator->heap, request->room);
  /* What room there is may be others', or too little in one place. */
  if (request->beside < BESIDE_MOST && may_collect(mutator->heap, request) &&
      td_collect_beside(mutator, wish)) {
    request->beside++;
    return true;
  }
  uint64_t seen = request->others < OTHERS_MOST ? request->seen : TD_SEEN_ANY;
  /* Else take_stopped has nothing to do, and blocks may be sorted after the stop. */
  bool full = wish.kind == TIDE_CYCLE_FULL;
  bool takes = full && (request->own > 0 || is_at_limit(mutator->heap, request));
  void (*then)(struct tide_mutator *, void *) = takes ? take_stopped : NULL;
  enum td_collected collected = may_collect(mutator->heap, request)
                                    ? td_collect_unless(mutator, wish, seen, then, request)
                                    : TD_COLLECTED_PAUSED;
  bool failed = collected >= TD_COLLECTED_PAUSED;
  if (failed) {
    request->tried = true;
    td_owe(mutator, wish);
    td_owed_tell(mutator);
  }
  request->beside = 0;
  request->own += full && collected == TD_COLLECTED;
  if (collected == TD_COLLECTED_BY_OTHER)
    request->others++;
  else if (failed || full)
    request->step = TD_STEP_GROW;
  request->seen = cycles_of(mutator->heap);
  return !failed;
}

/* ---- Then ---- */

static TD_KEEPS_CALL bool ask_embedder(struct tide_mutator *mutator, size_t bytes) {
  struct tide_heap *heap = mutator->heap;
  if (!heap->out_of_memory) return false;
  struct td_callback call;
  td_callback_begin(mutator, &call, 0, "the out-of-memory hook");
  bool again = heap->out_of_memory(heap->out_of_memory_context, bytes);
  td_callback_end(mutator, &call);
  return again;
}

/* Lets the heap grow without a collection, if it is the heap's own bounds that are in the way. */
static bool grow(struct tide_heap *heap, const struct td_request *request) {
  if (request->room == TD_ROOM_YOUNG_DUE) {
    /* Collecting is paused; the next one sets them anew. */
    td_young_set_due(&heap->space, SIZE_MAX, SIZE_MAX);
    return true;
  }
  return request->room == TD_ROOM_OVER_BUDGET && td_budget_grow(heap, (uint32_t)blocks_of(request));
}

static bool let_go(struct tide_heap *heap) {
  return (heap->verify && td_quarantine_drain(&heap->space)) || td_avoid_give_up(&heap->space);
}

/* Returns whether another attempt is worth while. */
static bool make_room(struct tide_mutator *mutator, struct td_request *request) {
  struct tide_heap *heap = mutator->heap;
  if (request->step == TD_STEP_CHECK) return begin(mutator, request);
  if (request->unfit) return refuse(mutator, TIDE_ERROR_ARGUMENT);
  if (request->room != TD_ROOM_YOUNG_DUE && td_dead_tell(mutator, TELL_BLOCKS)) return true;
  if (request->step == TD_STEP_FIRST) {
    if (blocks_of(request) > td_budget_most(heap)) return refuse(mutator, TIDE_ERROR_MEMORY);
  } else {
    if (request->step == TD_STEP_COLLECT && collect(mutator, request)) return true;
    if (grow(heap, request)) return true;
    if (request->tried && !let_go(heap)) {
      if (request->asked || !ask_embedder(mutator, request->bytes))
        return refuse(mutator, TIDE_ERROR_MEMORY);
      request->asked = true;
    }
  }
  request->step = TD_STEP_COLLECT;
  request->others = 0;
  request->seen = cycles_of(heap);
  return true;
}

/* ---- Attempts ---- */

static TD_KEEPS_CALL void tell_growth(struct tide_mutator *mutator, void *object) {
  struct td_callback call;
  td_callback_begin(mutator, &call, (uintptr_t)object, "an event");
  td_stats_tell_growth(mutator->heap);
  td_callback_end(mutator, &call);
  /* If it has collected, the object is old by now. But its first stores need no barrier. */
  td_written_note_fresh(mutator, object);
}

/* Time for more memory, or for a collection beside the program? */
static void look_ahead(struct tide_heap *heap) {
  if (td_ahead_is_wanted(&heap->space)) td_beside_grow(heap);
  /* relaxed: a hint. */
  if (TIDE_LIKELY(!__atomic_load_n(&heap->space.runs_short, __ATOMIC_RELAXED))) return;
  if (heap->collects == TIDE_COLLECTS_WHEN_DUE) (void)td_beside_begin(heap);
}

static void *take(struct tide_mutator *mutator, struct td_request *request) {
  void *object = request->object ? request->object : take_room(mutator, request);
  if (is_small(request)) {
    look_ahead(mutator->heap);
    if (mutator->cache.handed_out > FLUSH_BYTES) td_runs_flush_counts(mutator);
  }
  /* relaxed: see td_stats_tell. */
  if (object && atomic_load_explicit(&mutator->heap->stats->has_event, memory_order_relaxed) &&
      td_stats_growth_is_news(mutator->heap))
    tell_growth(mutator, object);
  return object;
}

void *td_allocate(struct tide_mutator *mutator, struct td_request request) {
  void *object = NULL;
  while (!object && make_room(mutator, &request))
    object = take(mutator, &request);
  return object;
}
