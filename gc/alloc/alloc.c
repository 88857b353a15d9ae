/* Allocation behind the inlined fast path. */
#include "gc/check/caller/check.h"
#include "gc/cycle/budget.h"
#include "gc/cycle/collect.h"
#include "gc/cycle/young.h"
#include "gc/layout/layouts.h"
#include "gc/object/runs.h"
#include "gc/state/error.h"
#include "gc/stats/stats.h"
#include "gc/threads/inside.h"
#include "gc/threads/mutator/callback.h"
#include "gc/threads/thread.h"
#include "heap/alloc.h"
#include "heap/avoid.h"
#include "heap/large.h"
#include "heap/log.h"
#include "heap/medium.h"
#include "heap/quarantine.h"
#include "heap/young.h"

/* A mutator adds to the heap's count of allocated bytes this often. */
#define FLUSH_BYTES ((uint64_t)256 << 10)

/* So many collections of other threads are tried before this thread's own. */
#define OTHERS_MOST 4u

/* Under TIDE_STRESS one in STRESS_FULL collections is full. */
#define STRESS_FULL 8u

/* What to allocate. size_class is 0 for objects with blocks of their own. */
struct request {
  tide_layout layout;
  unsigned size_class;
  size_t bytes;      /* of the cell, or of the large object */
  bool in_blocks;    /* an object over half a block is to begin with a block */
  enum td_room room; /* why the last attempt failed */
};

static void *refuse(struct tide_mutator *mutator, enum tide_status status) {
  mutator->alloc_status = status;
  return NULL;
}

/* Takes a cell from the mutator's run, or from a new one. Cells that were freed come before a new
 * block, but not before the first run since a collection: where a program frees what it has just
 * allocated, that cell would go to and fro, and each time the long way. From a run it goes back to
 * the run. */
static void *take_small(struct tide_mutator *mutator, struct request *request) {
  uint32_t at = (uint32_t)request->layout * TIDE_BUMP_SLOTS + request->size_class;
  struct tide_bump *run = &mutator->runs[at];
  if (run->limit - run->next < request->bytes) {
    bool listed = run->limit != 0;
    void *freed = listed ? td_runs_take_freed(mutator, at, request->bytes) : NULL;
    if (freed) return freed;
    size_t got = td_space_refill(&mutator->heap->space, run, request->layout, request->size_class,
                                 &request->room);
    if (!listed && run->limit) mutator->filled[mutator->filled_count++] = at;
    if (!got) return td_runs_take_freed(mutator, at, request->bytes);
    mutator->handed_out += got;
    if (mutator->handed_out > FLUSH_BYTES) td_runs_flush_counts(mutator);
  }
  void *object = (void *)run->next;
  run->next += request->bytes;
  return object;
}

static void *take_large(struct tide_mutator *mutator, struct request *request) {
  struct td_space *space = &mutator->heap->space;
  void *object = NULL;
  if (request->bytes <= TD_MEDIUM_BYTES_MAX && !request->in_blocks)
    object = td_space_alloc_medium(space, request->layout, request->bytes);
  if (!object)
    object = td_space_alloc_large(space, request->layout, request->bytes, &request->room);
  if (object) mutator->handed_out += request->bytes;
  return object;
}

static TD_KEEPS_CALL void tell_growth(struct tide_mutator *mutator, void *object) {
  struct td_callback call;
  td_callback_begin(mutator, &call, (uintptr_t)object, "an event");
  td_stats_tell_growth(mutator->heap);
  td_callback_end(mutator, &call);
  /* If it has collected, the object is old by now. But its first stores need no barrier. */
  if (mutator->heap->space.has_young) td_log_fresh_if_old(&mutator->heap->space, (uintptr_t)object);
}

static void *take(struct tide_mutator *mutator, struct request *request) {
  void *object = request->size_class ? take_small(mutator, request) : take_large(mutator, request);
  /* relaxed: see td_stats_tell. */
  if (object && atomic_load_explicit(&mutator->heap->stats->has_event, memory_order_relaxed) &&
      td_stats_growth_is_news(mutator->heap))
    tell_growth(mutator, object);
  return object;
}

static size_t blocks_of(struct request *request) {
  return request->size_class ? 1 : (request->bytes + TD_BLOCK_BYTES - 1) >> TD_BLOCK_LOG2;
}

static struct td_wish wish_for(struct tide_heap *heap, enum td_room room) {
  if (room == TD_ROOM_YOUNG_DUE || (room == TD_ROOM_OVER_BUDGET && td_young_may_do(heap)))
    return (struct td_wish){TIDE_CYCLE_YOUNG, TIDE_CAUSE_YOUNG};
  return (struct td_wish){TIDE_CYCLE_FULL,
                          room == TD_ROOM_OVER_BUDGET ? TIDE_CAUSE_GROWTH : TIDE_CAUSE_ROOM};
}

/* Collects until an attempt after this thread's own full collection has failed too: what another
 * thread's collection found may be used up by third ones before we run. A young collection is tried
 * if it is due, and then another attempt is made. Others may collect without end, and leave no room
 * for what is wanted here as long as the heap does not grow: hence the bound. */
static void *take_after_collection(struct tide_mutator *mutator, struct request *request) {
  struct tide_heap *heap = mutator->heap;
  enum td_collected collected;
  struct td_wish wish;
  unsigned others = 0;
  do {
    /* relaxed: another thread's collection is a reason to try again; the lock orders the rest. */
    uint64_t seen = atomic_load_explicit(&heap->cycles, memory_order_relaxed);
    void *object = take(mutator, request);
    if (object) return object;
    wish = wish_for(heap, request->room);
    collected = td_collect_unless(mutator, wish, others < OTHERS_MOST ? seen : TD_SEEN_ANY);
    if (collected == TD_COLLECTED_BY_OTHER) others++;
  } while (collected == TD_COLLECTED_BY_OTHER || collected == TD_COLLECTED_POSTPONED ||
           (collected == TD_COLLECTED && wish.kind == TIDE_CYCLE_YOUNG));
  return collected == TD_COLLECTED ? take(mutator, request) : NULL;
}

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
static bool may_grow(struct tide_heap *heap, struct request *request) {
  if (request->room == TD_ROOM_YOUNG_DUE) {
    /* Collecting is paused; the next one sets them anew. */
    td_young_set_due(&heap->space, SIZE_MAX, SIZE_MAX);
    return true;
  }
  return request->room == TD_ROOM_OVER_BUDGET && td_budget_grow(heap, (uint32_t)blocks_of(request));
}

/* There is no room: collect, then let the heap grow if it was the budget that is used up, then ask
 * the embedder. */
static void *take_by_force(struct tide_mutator *mutator, struct request *request) {
  struct tide_heap *heap = mutator->heap;
  size_t blocks = blocks_of(request);
  if (blocks > td_budget_most(heap)) return refuse(mutator, TIDE_ERROR_MEMORY);
  for (bool asked = false;;) {
    void *object = take_after_collection(mutator, request);
    while (!object && may_grow(heap, request))
      object = take(mutator, request);
    if (object) return object;
    if (heap->verify && td_quarantine_drain(&heap->space)) continue;
    if (td_avoid_give_up(&heap->space)) continue;
    if (asked || !ask_embedder(mutator, request->bytes)) return refuse(mutator, TIDE_ERROR_MEMORY);
    asked = true;
  }
}

/* May this thread allocate here and now? */
static bool allowed(struct tide_mutator *mutator) {
  if (!td_mutator_check(mutator, "allocation")) return false;
  if (td_mutator_may_act(mutator, "allocation") && !mutator->callback) return true;
  mutator->alloc_status = TIDE_ERROR_STATE;
  if (mutator->callback)
    td_misuse("allocation with mutator %p in %s", (void *)mutator, mutator->callback);
  return false;
}

/* Does the layout exist, and do its reference slots lie inside the object? Asked here only: a run
 * that the inlined path takes from was made by a request that has passed. */
static bool fits_layout(const struct td_space *space, const struct request *request) {
  return request->layout < TIDE_LAYOUT_MAX &&
         td_layout_fits(&space->layouts.at[request->layout], request->bytes);
}

/* Young collections, if the heap has them, and every few a full one. */
static void collect_for_stress(struct tide_mutator *mutator) {
  bool young = mutator->heap->space.has_young && ++mutator->stress_turns % STRESS_FULL != 0;
  struct td_wish wish = {young ? TIDE_CYCLE_YOUNG : TIDE_CYCLE_FULL, TIDE_CAUSE_STRESS};
  td_collect_and(mutator, "allocation", wish, NULL, NULL);
}

static void *allocate(struct tide_mutator *mutator, struct request *request) {
  struct tide_heap *heap = mutator->heap;
  if (!fits_layout(&heap->space, request)) return refuse(mutator, TIDE_ERROR_ARGUMENT);
  tide_safepoint(mutator);
  if (heap->stress && ++mutator->stress_count >= heap->stress) {
    mutator->stress_count = 0;
    collect_for_stress(mutator);
  }
  void *object = take(mutator, request);
  return object ? object : take_by_force(mutator, request);
}

static void *allocate_bytes(struct tide_mutator *mutator, tide_layout layout, size_t bytes) {
  struct request request = {.layout = layout, .bytes = bytes ? bytes : 1};
  if (bytes > PTRDIFF_MAX - TD_BLOCK_BYTES) return refuse(mutator, TIDE_ERROR_ARGUMENT);
  if (request.bytes <= TD_SMALL_BYTES_MAX) {
    request.size_class = td_class_of(request.bytes);
    request.bytes = td_class_bytes(request.size_class);
  }
  return allocate(mutator, &request);
}

/* What most calls come to: the run goes on where it ended, or further on in its block. All checks
 * were made when the block was taken; where allocation is forbidden no run is to be found, as in
 * the inlined path. */
static void *take_next_piece(struct tide_mutator *mutator, tide_layout layout, size_t bytes) {
  if (bytes > TIDE_BUMP_INLINE_BYTES || layout >= TIDE_LAYOUT_MAX) return NULL;
  /* relaxed: as in tide_safepoint; a collection that waits is for the longer way. */
  if (__atomic_load_n(&mutator->fast.stop, __ATOMIC_RELAXED)) return NULL;
  const size_t cell = td_runs_cell(bytes);
  const uint32_t at = td_runs_index(layout, cell);
  if (mutator->fast.bump != mutator->runs || mutator->heap->stress) return NULL;
  struct tide_bump *run = &mutator->runs[at];
  if (run->limit == 0) return NULL;
  size_t got = td_space_advance(&mutator->heap->space, run);
  if (got == 0) return td_runs_take_freed(mutator, at, cell);
  mutator->handed_out += got;
  void *object = (void *)run->next;
  run->next += cell;
  return object;
}

void *tide_alloc_slow(struct tide_mutator *mutator, tide_layout layout, size_t bytes) {
  if (!mutator) {
    (void)allowed(mutator); /* says what is wrong */
    return NULL;
  }
  td_allocation_begin(mutator);
  void *object = take_next_piece(mutator, layout, bytes);
  if (!TIDE_LIKELY(object) && allowed(mutator)) object = allocate_bytes(mutator, layout, bytes);
  td_allocation_end(mutator);
  return object;
}

void *tide_alloc_array(struct tide_mutator *mutator, tide_layout layout, size_t count,
                       size_t bytes_each) {
  size_t bytes;
  if (__builtin_mul_overflow(count, bytes_each, &bytes)) {
    if (allowed(mutator)) mutator->alloc_status = TIDE_ERROR_ARGUMENT;
    return NULL;
  }
  if (count > 1 && layout > TIDE_LAYOUT_CONSERVATIVE && layout < TIDE_LAYOUT_MAX) {
    if (!allowed(mutator)) return NULL;
    enum tide_status status = td_layout_of_array(mutator->heap, &layout, bytes_each);
    if (status != TIDE_OK) return refuse(mutator, status);
  }
  if (!mutator) return tide_alloc_slow(mutator, layout, bytes);
  return tide_alloc(mutator, layout, bytes);
}

void *tide_alloc_aligned(struct tide_mutator *mutator, tide_layout layout, size_t bytes,
                         size_t alignment) {
  TD_HOLDS_STOPS struct td_self *inside = td_inside_begin();
  if (!allowed(mutator)) return NULL;
  if (alignment == 0 || (alignment & (alignment - 1)) || alignment > TD_BLOCK_BYTES ||
      bytes > PTRDIFF_MAX - TD_BLOCK_BYTES)
    return refuse(mutator, TIDE_ERROR_ARGUMENT);
  if (alignment <= TD_GRANULE_BYTES) return allocate_bytes(mutator, layout, bytes);
  /* Cells of a block start at multiples of their size; large objects at a block's start. */
  struct request request = {.layout = layout, .bytes = bytes ? bytes : 1, .in_blocks = true};
  if (request.bytes <= TD_SMALL_BYTES_MAX)
    request.size_class = td_class_aligned(request.bytes, alignment);
  if (request.size_class) request.bytes = td_class_bytes(request.size_class);
  return allocate(mutator, &request);
}

enum tide_status tide_alloc_status(const struct tide_mutator *mutator) {
  if (!mutator) return TIDE_ERROR_ARGUMENT;
  return mutator->thread == td_thread_identity() ? mutator->alloc_status : TIDE_ERROR_STATE;
}
